// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cross-section lookups after XSBench (J. Tramm et al., PHYSOR 2014), event-based, written anew: at random energies in
// random materials, the cross sections of all nuclides of the material are interpolated from tables of their own, found
// by binary search, and added up. regroup/lookups/<nuclides>x<energies>/<impl>; materials, their shares, and the
// numbers of nuclides, energies and lookups are XSBench's (on CPUs a fiftieth of the lookups).
//
//   koalesce            parallel_regroup with_order(energy), once it has decided; the label says what
//   koalesce_unordered  the same without an order
//   koalesce_many       always over the grid in order of many bits, by an index map
//   koalesce_exact      the same in order of all bits
//   plain               a Kokkos::parallel_for
//   expert              sorts the lookups' numbers by material and energy, by CUB or Kokkos, and runs them so
//   ideal               the plain loop over lookups that lie in that order

#include <Koalesce/Regroup.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "Measure.hpp"
#include "Regroup.hpp"
#include "RegroupDecide.hpp"
#include "RegroupItems.hpp"
#include "RegroupPeers.hpp"

namespace perf::regroup {
namespace {

constexpr int materials = 12;

/// Nuclides of the fuel, the cladding, cold and hot water, the vessel, two reflectors, two plates and two nozzles and
/// the ends of the fuel, and how many of the lookups are in each.
constexpr std::array<int, materials> small_model{34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
constexpr std::array<int, materials> large_model{321, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
constexpr std::array<double, materials> shares{0.140, 0.052, 0.275, 0.134, 0.154, 0.064,
                                               0.066, 0.055, 0.008, 0.015, 0.025, 0.013};

/// A line of a nuclide's table.
struct CrossSections {
  static constexpr int kinds = 5;  // total, elastic, absorption, fission, and neutrons from fission

  double energy;
  double of[kinds];
};

template <class T>
Kokkos::View<T*, Exec> on_device(std::string const& name, std::vector<T> const& values) {
  Kokkos::View<T*, Exec> const view(Kokkos::view_alloc(name, Kokkos::WithoutInitializing), values.size());
  Kokkos::deep_copy(view, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                              values.data(), values.size()));
  return view;
}

/// What a lookup reads.
struct Tables {
  int energies;
  Kokkos::View<CrossSections const*, Exec> nuclides;  // energies of the first one, of the second one, ...
  Kokkos::View<int const*, Exec> first;               // of each material in the next two
  Kokkos::View<int const*, Exec> nuclide;
  Kokkos::View<double const*, Exec> density;

  /// The sum of the material's cross sections at an energy.
  KOKKOS_FUNCTION double operator()(int material, double energy) const {
    double sum[CrossSections::kinds] = {};
    for (int n = first(material); n < first(material + 1); ++n) {
      CrossSections const* const table = &nuclides(std::int64_t(nuclide(n)) * energies);
      int below = 0, above = energies - 1;
      while (above - below > 1) {
        int const middle = (below + above) / 2;
        if (table[middle].energy > energy) above = middle;
        else below = middle;
      }
      CrossSections const &low = table[below], &high = table[below + 1];
      double const part = (energy - low.energy) / (high.energy - low.energy), amount = density(n);
      for (int k = 0; k < CrossSections::kinds; ++k) sum[k] += amount * (low.of[k] + part * (high.of[k] - low.of[k]));
    }
    double all = 0;
    for (double const s : sum) all += s;
    return all;
  }
};

struct DrawTable {
  int energies;
  Kokkos::View<CrossSections*, Exec> nuclides;

  /// Energies are sorted because each is drawn from its own part of [0, 1).
  KOKKOS_FUNCTION void operator()(Index i) const {
    auto& line  = nuclides(i);
    line.energy = (double(i % energies) + random_at(i, 3)) / energies;
    for (int k = 0; k < CrossSections::kinds; ++k) line.of[k] = random_at(i, 4 + std::uint64_t(k));
  }
};

Tables make_tables(int nuclides, int energies, std::array<int, materials> const& counts) {
  Kokkos::View<CrossSections*, Exec> const table(Kokkos::view_alloc("cross sections", Kokkos::WithoutInitializing),
                                                 std::size_t(nuclides) * std::size_t(energies));
  Kokkos::parallel_for("cross sections", Range(0, Index(table.extent(0))), DrawTable{energies, table});
  std::vector<int> first{0}, nuclide;
  std::vector<double> density;
  for (int m = 0; m < materials; ++m) {
    // Any so many different ones.
    std::vector<int> all(std::size_t(nuclides), 0);
    std::iota(all.begin(), all.end(), 0);
    auto const place = [m](int n) { return random_at(n, 20 + std::uint64_t(m)); };
    std::sort(all.begin(), all.end(), [&](int a, int b) { return place(a) < place(b); });
    for (int n = 0; n < counts[std::size_t(m)]; ++n) {
      nuclide.push_back(all[std::size_t(n)]);
      density.push_back(random_at(Index(nuclide.size()), 40));
    }
    first.push_back(int(nuclide.size()));
  }
  return {energies, table, on_device("first", first), on_device("nuclides", nuclide), on_device("densities", density)};
}

struct DrawLookup {
  Kinds material;
  Kokkos::View<double*, Exec> energy;
  Kokkos::View<double const*, Exec> share;

  KOKKOS_FUNCTION void operator()(Index i) const {
    double u = random_at(i, 1) * 1.001;  // the shares' sum
    int m    = 0;
    for (; m < materials - 1 && u >= share(m); ++m) u -= share(m);
    material(i) = m;
    energy(i)   = random_at(i, 2);
  }
};

/// Lookups, and the order that an expert brings them into.
class Lookups {
 public:
  Lookups(Tables const& from, Index count)
      : tables(from),
        material("materials", count),
        energy("energies", count),
        result("results", count),
        m_sorted(count) {
    Kokkos::parallel_for(
        "lookups", Range(0, count),
        DrawLookup{material, energy, on_device("shares", std::vector<double>(shares.begin(), shares.end()))});
  }

  Index count() const { return Index(material.extent(0)); }

  Tables tables;
  Kinds material;
  Kokkos::View<double*, Exec> energy, result;

  SortedNumbers const& sorted() const { return m_sorted; }

 private:
  SortedNumbers m_sorted;
};

struct NumberLookup {
  Kinds material;
  Kokkos::View<double*, Exec> energy;
  SortedNumbers::Numbers number;

  KOKKOS_FUNCTION void operator()(Index i) const {
    number(i) = std::uint32_t(material(i)) << 28 | std::uint32_t(energy(i) * 0x1p28);
  }
};

struct Look {
  Tables tables;
  Kinds material;
  Kokkos::View<double*, Exec> energy, result;

  KOKKOS_FUNCTION void operator()(Index i) const { result(i) = tables(material(i), energy(i)); }
};

struct LookSorted {
  Look look;
  Indices item;

  KOKKOS_FUNCTION void operator()(Index slot) const { look(item(slot)); }
};

/// For lookups whose energies and results are a payload.
struct LookWith {
  Tables tables;

  KOKKOS_FUNCTION void operator()(Index, int material, double const& energy, double& result) const {
    result = tables(material, energy);
  }
};

struct Material {
  Kinds of;

  KOKKOS_FUNCTION int operator()(Index i) const { return of(i); }
};
struct Energy {
  Kokkos::View<double*, Exec> of;

  KOKKOS_FUNCTION double operator()(Index i) const { return of(i); }
};

/// Lookups in order, and their results back to where the others have theirs.
struct Gather {
  Indices item;
  Look from, to;

  KOKKOS_FUNCTION void operator()(Index slot) const {
    to.material(slot) = from.material(item(slot));
    to.energy(slot)   = from.energy(item(slot));
  }
};
struct Scatter {
  Indices item;
  Kokkos::View<double*, Exec> from, to;

  KOKKOS_FUNCTION void operator()(Index slot) const { to(item(slot)) = from(slot); }
};

void add_model(int nuclides, int energies, std::array<int, materials> const& counts) {
  Index const count = on_host ? 340000 : 17000000;
  auto const base   = "regroup/lookups/" + std::to_string(nuclides) + "x" + std::to_string(energies) + "/";
  double const nuclides_of_a_lookup = std::inner_product(counts.begin(), counts.end(), shares.begin(), 0.) / 1.001;
  auto const add                    = [&](std::string const& impl, auto const& run) {
    perf::add_prepared(base + impl, [=] {
      auto const lookups = std::make_shared<Lookups>(make_tables(nuclides, energies, counts), count);
      Look const look{lookups->tables, lookups->material, lookups->energy, lookups->result};
      Kokkos::parallel_for("plain", Range(0, count), look);
      Kokkos::View<double*, Exec> const expected("expected", count);
      Kokkos::deep_copy(expected, lookups->result);
      Kokkos::deep_copy(lookups->result, -1);
      Prepared ready = run(lookups, look, base + impl);
      ready.kernel();
      Index wrong = 0;
      Kokkos::parallel_reduce("mismatches", Range(0, count), Mismatch{lookups->result, expected}, wrong);
      if (wrong != 0) ready.error = std::to_string(wrong) + " results are wrong";
      ready.counts = {{"lookups", double(count)}, {"nuclides", double(count) * nuclides_of_a_lookup}};
      return ready;
    });
  };
  using Pointer       = std::shared_ptr<Lookups>;
  auto const koalesce = [&](std::string const& impl, auto const& with) {
    add(impl, [=](Pointer const& l, Look const& look, std::string const& label) {
      auto const call = [=] {
        Koalesce::parallel_regroup(label, with(Koalesce::RegroupPolicy(Exec(), 0, l->count()), *l),
                                   Koalesce::Paths(materials), Material{l->material}, LookWith{look.tables});
      };
      Prepared ready{call};
      ready.label = decide(label, call);
      return ready;
    });
  };
  koalesce("koalesce", [](auto const& policy, Lookups const& l) {
    return policy.with_order(Energy{l.energy})
        .with_payload(Koalesce::one_way(l.energy), Koalesce::round_trip(l.result));
  });
  koalesce("koalesce_unordered", [](auto const& policy, Lookups const& l) {
    return policy.with_payload(Koalesce::one_way(l.energy), Koalesce::round_trip(l.result));
  });
  for (auto const bits : {Koalesce::KeyBits::many, Koalesce::KeyBits::exact})
    koalesce(bits == Koalesce::KeyBits::many ? "koalesce_many" : "koalesce_exact",
             [bits](auto const& policy, Lookups const& l) {
               return policy.with_regroup(Koalesce::Regroup::always)
                   .with_scope(Koalesce::RegroupScope::grid)
                   .with_remap(Koalesce::RegroupRemap::index)
                   .with_order(Energy{l.energy}, bits)
                   .with_payload(Koalesce::one_way(l.energy), Koalesce::round_trip(l.result));
             });
  add("plain", [=](Pointer const& l, Look const& look, std::string const&) {
    return Prepared{[=] { Kokkos::parallel_for("plain", Range(0, l->count()), look); }};
  });
  auto const sort = [](Pointer const& l) {
    Kokkos::parallel_for("numbers", Range(0, l->count()), NumberLookup{l->material, l->energy, l->sorted().number()});
    l->sorted().sort();
  };
  add("expert", [=](Pointer const& l, Look const& look, std::string const&) {
    return Prepared{[=] {
      sort(l);
      Kokkos::parallel_for("sorted", Range(0, l->count()), LookSorted{look, l->sorted().item});
    }};
  });
  add("ideal", [=](Pointer const& l, Look const& look, std::string const&) {
    sort(l);
    Index const n = l->count();
    Look const in_order{look.tables, Kinds("materials in order", n),
                        Kokkos::View<double*, Exec>("energies in order", n),
                        Kokkos::View<double*, Exec>("results in order", n)};
    Kokkos::parallel_for("gather", Range(0, n), Gather{l->sorted().item, look, in_order});
    auto const loop = [=] { Kokkos::parallel_for("ideal", Range(0, n), in_order); };
    loop();
    Kokkos::parallel_for("scatter", Range(0, n), Scatter{l->sorted().item, in_order.result, look.result});
    return Prepared{loop};
  });
}

}  // namespace

void add_lookups() {
  add_model(68, 11303, small_model);
  if (!on_host) add_model(355, 11303, large_model);
}

}  // namespace perf::regroup

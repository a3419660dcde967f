// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies between host memory and a device's, with another layout on each side:
// transfer/<to_host|from_host>/<type>/<extents>/<impl>. The device's Views are column-major, the host's row-major.

#include "TransposeHost.hpp"

#include <Koalesce/Koalesce.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "Measure.hpp"

#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
namespace {

using perf::Exec;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class T>
class HostCopy {
 public:
  using Device     = Kokkos::View<T**, Kokkos::LayoutLeft, Exec>;
  using DeviceRows = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  using OnHost     = Kokkos::View<T**, Kokkos::LayoutRight, Host>;
  using Mirror     = Kokkos::View<T**, Kokkos::LayoutLeft, Host>;
  using Pinned     = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::SharedHostPinnedSpace>;
  using PinnedRows = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::SharedHostPinnedSpace>;

  /// \param[in] pitched whether the host's rows have elements between them.
  HostCopy(std::array<std::int64_t, 2> const& n, bool to_host, bool pitched)
      : m_to_host(to_host),
        m_device(without_values("device"), n[0], n[1]),
        m_memory(without_values("host"), n[0], n[1] + (pitched ? 3 : 0)),
        m_host(Kokkos::subview(m_memory, Kokkos::ALL, std::make_pair(std::int64_t(0), n[1]))) {
    perf::fill(m_device);
    Kokkos::parallel_for("first touch", Kokkos::RangePolicy<Host>(0, n[0]), [m = m_memory](std::int64_t i) {
      for (std::size_t j = 0; j < m.extent(1); ++j) m(i, j) = perf::value_at<T>(i - std::int64_t(j));
    });
  }

  /// Of the elements, once.
  double bytes() const { return sizeof(T) * double(m_device.size()); }

  void koalesce() const {
    if (m_to_host) Koalesce::copy_layout(Exec(), m_host, m_device);
    else Koalesce::copy_layout(Exec(), m_device, m_host);
  }

  /// A second View on the device in the host's layout, and one copy between the two memories.
  std::function<void()> by_device() const {
    DeviceRows const rows(without_values("rows"), m_device.extent(0), m_device.extent(1));
    bool const packs    = !m_host.span_is_contiguous();
    OnHost const packed = packs ? OnHost(without_values("packed"), m_host.extent(0), m_host.extent(1))
                                : OnHost(m_host.data(), m_host.extent(0), m_host.extent(1));
    return [=, *this] { copy_by(rows, packed, packs); };
  }

  /// The same through pinned memory, as much as the matrix takes, and the host's copy from or to it.
  std::function<void()> by_pinned() const {
    DeviceRows const rows(without_values("rows"), m_device.extent(0), m_device.extent(1));
    PinnedRows const packed(without_values("pinned"), m_device.extent(0), m_device.extent(1));
    return [=, *this] { copy_by(rows, packed, true); };
  }

  /// A mirror on the host, and a copy between layouts there.
  std::function<void()> by_mirror() const {
    Mirror const mirror(without_values("mirror"), m_device.extent(0), m_device.extent(1));
    return [=, *this] {
      if (m_to_host) {
        Kokkos::deep_copy(Exec(), mirror, m_device);
        Exec().fence();
        Kokkos::deep_copy(Host(), m_host, mirror);
      } else {
        Kokkos::deep_copy(Host(), mirror, m_host);
        Kokkos::deep_copy(Exec(), m_device, mirror);
      }
    };
  }

  /// As many bytes, with the same layout on both sides and host memory that is pinned: the bound.
  std::function<void()> pinned() const {
    Pinned const pinned(without_values("pinned"), m_device.extent(0), m_device.extent(1));
    return [=, *this] {
      if (m_to_host) Kokkos::deep_copy(Exec(), pinned, m_device);
      else Kokkos::deep_copy(Exec(), m_device, pinned);
    };
  }

  /// Sets what is copied to, so that a copy that does nothing is seen.
  void clear() const {
    if (!m_to_host) return Kokkos::deep_copy(m_device, T{});
    Kokkos::deep_copy(m_memory, T{});
  }

  std::int64_t mismatches() const {
    Exec().fence();
    auto const device  = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_device);
    auto const host    = m_host;
    std::int64_t wrong = 0;
    Kokkos::parallel_reduce(
        "mismatches", Kokkos::RangePolicy<Host>(0, std::int64_t(host.extent(0))),
        [=](std::int64_t i, std::int64_t& sum) {
          for (std::size_t j = 0; j < host.extent(1); ++j) sum += !(host(i, j) == device(i, j));
        },
        wrong);
    return wrong;
  }

 private:
  static auto without_values(char const* label) {
    return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
  }

  /// By `packed`, which has the layout of `rows`.
  template <class Packed>
  void copy_by(DeviceRows const& rows, Packed const& packed, bool packs) const {
    if (m_to_host) {
      Kokkos::deep_copy(Exec(), rows, m_device);
      Kokkos::deep_copy(Exec(), packed, rows);
      Exec().fence();
      if (packs) Kokkos::deep_copy(Host(), m_host, packed);
    } else {
      if (packs) Kokkos::deep_copy(Host(), packed, m_host);
      Kokkos::deep_copy(Exec(), rows, packed);
      Kokkos::deep_copy(Exec(), m_device, rows);
    }
  }

  bool m_to_host;
  Device m_device;
  OnHost m_memory;
  Kokkos::View<T**, Kokkos::LayoutStride, Host> m_host;
};

template <class T>
void add_host_copy(std::array<std::int64_t, 2> const& n, bool pitched = false) {
  for (bool const to_host : {true, false}) {
    std::string const base = std::string("transfer/") + (to_host ? "to_host/" : "from_host/") + perf::type_name<T>() +
                             "/" + perf::size_name(n) + (pitched ? "_pitched" : "") + "/";
    auto const add_way = [&](std::string const& name, auto const& make, bool is_checked) {
      perf::add_prepared(base + name, [=] {
        HostCopy<T> const copy(n, to_host, pitched);
        perf::Prepared ready{make(copy), copy.bytes()};
        // Both sides are equal, and none is what it was cleared to.
        copy.clear();
        ready.kernel();
        if (is_checked && copy.mismatches() != 0) ready.error = "elements are wrong";
        return ready;
      });
    };
    add_way(
        "koalesce", [](auto const& c) { return [=] { c.koalesce(); }; }, true);
    add_way(
        "kokkos_device", [](auto const& c) { return c.by_device(); }, true);
    add_way(
        "kokkos_pinned", [](auto const& c) { return c.by_pinned(); }, true);
    add_way(
        "kokkos_mirror", [](auto const& c) { return c.by_mirror(); }, true);
    add_way(
        "pinned_copy", [](auto const& c) { return c.pinned(); }, false);
  }
}

}  // namespace

void add_host_copies() {
  if (perf::on_host) return;
  add_host_copy<double>({16384, 16384});
  add_host_copy<double>({16384, 16384}, true);
  add_host_copy<float>({100003, 2001});
  add_host_copy<double>({1000, 300});
}
#else
void add_host_copies() {}
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_PLAN_STATE_HPP
#define KOALESCE_REGROUP_IMPL_PLAN_STATE_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/impl/TryAllocate.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace Koalesce::Impl {

/// Memory that kernels write and the host reads without waiting.
template <class Exec>
using ReportView =
    Kokkos::View<std::int64_t*,
                 std::conditional_t<Backend::on_host<Exec>, Kokkos::HostSpace, Kokkos::SharedHostPinnedSpace>>;

/// What a RegroupPlan is: memory, and whether the order in it holds.
template <class Exec>
class PlanState {
 public:
  /// The loop that the order is of.
  struct Shape {
    std::int64_t begin = 0, items = -1;
    int paths = 0;

    bool operator==(Shape const&) const = default;
  };

  PlanState() : m_report(Kokkos::view_alloc("Koalesce::RegroupPlan (report)", Kokkos::WithoutInitializing), 2) {
    m_report(0) = m_report(1) = 0;
  }

  /// Room for an order; what was there holds no more if it was another loop's. Null, if there is not enough memory.
  /// \param[in] captured  whether the call is: then nothing can be allocated.
  char* room(Shape const& shape, std::size_t bytes, bool captured) {
    if (captured && m_bytes.extent(0) < bytes) return nullptr;
    if (!(shape == m_shape)) renew();
    m_shape = shape;
    if (m_bytes.extent(0) < bytes) {
      renew();
      if (m_is_in_graph) m_kept.push_back(m_bytes);
      m_bytes = {};  // first, or there would have to be room for both
      m_bytes = try_allocate<View>("Koalesce::RegroupPlan (order)", bytes);
    }
    return m_bytes.data();
  }

  /// Whether the order has to be made, or is so old that it had better be.
  bool is_due() const {
    return !m_is_made || items_moved() > m_shape.items / max_moved || Kokkos::atomic_load(is_apart()) != 0;
  }

  void made() {
    // Keys among which few are far from all others stay apart in every order, as a sample sees them.
    bool const is_of_no_use = Kokkos::atomic_load(is_apart()) != 0 && m_calls < 2 * m_sample_every;
    m_sample_every          = is_of_no_use ? std::min(2 * m_sample_every, +rarest_sample) : +sample_every;
    for (auto* const number : {moved(), is_apart()}) Kokkos::atomic_store(number, std::int64_t(0));
    m_is_made = m_is_current = true;
    m_calls                  = 0;
    ++m_times_made;
  }

  /// Whether the order was that of the items in the last call.
  bool is_current() const { return m_is_current; }
  /// Items may have changed their paths or keys in a call that did not look at the order.
  void passed_by() { m_is_current = false; }

  /// Whether this call is one of those that look whether neighbors still have neighboring keys.
  bool wants_sample() { return ++m_calls % m_sample_every == 0; }
  void renew() { m_is_made = false; }

  /// Calls change(), which changes the order. If it throws, what is there is no order, and the next call makes one.
  template <class Change>
  void change(Change const& change) {
    m_is_made = false;
    change();
    m_is_made = m_is_current = true;
  }

  /// A graph has kernels that use and change the order, and may run at any time.
  void captured() {
    m_is_in_graph = true;
    renew();
  }

  std::int64_t times_made() const { return m_times_made; }
  std::int64_t items_moved() const { return Kokkos::atomic_load(moved()); }

  // What kernels tell: how many items have moved since the order was made; and 1, if neighbors' keys are far apart.
  std::int64_t* moved() const { return m_report.data(); }
  std::int64_t* is_apart() const { return m_report.data() + 1; }

 private:
  using View = Kokkos::View<char*, typename Exec::memory_space>;

  static constexpr std::int64_t max_moved = 4;                      // a part of the items
  static constexpr int sample_every = 16, rarest_sample = 1 << 20;  // calls: a sample takes some microseconds

  View m_bytes;
  std::vector<View> m_kept;  // memory that graphs use
  bool m_is_in_graph = false;
  Shape m_shape;
  bool m_is_made = false, m_is_current = false;
  std::int64_t m_times_made = 0;
  std::int64_t m_calls      = 0;  // since it was made
  int m_sample_every        = sample_every;
  ReportView<Exec> m_report;
};

struct PlanAccess {
  template <class Plan>
  static auto& state(Plan const& plan) {
    return *plan.m_state;
  }
};

}  // namespace Koalesce::Impl

#endif

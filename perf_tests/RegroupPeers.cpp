// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegroupPeers.hpp"

#include <Kokkos_Sort.hpp>
#include <Kokkos_StdAlgorithms.hpp>

#include <string>

#ifdef KOKKOS_ENABLE_CUDA
#include <cub/device/device_radix_sort.cuh>
#endif

namespace perf::regroup {
namespace {

struct Count {
  Indices item;

  KOKKOS_FUNCTION void operator()(Index i) const { item(i) = int(i); }
};

void count_up(Indices const& item) { Kokkos::parallel_for("count up", Range(0, Index(item.extent(0))), Count{item}); }

struct Predict {
  Kinds kind;
  Kokkos::View<std::uint8_t*, Exec> key;

  KOKKOS_FUNCTION void operator()(Index i) const { key(i) = std::uint8_t(kind(i)); }
};

struct IsFirst {
  Kinds kind;

  KOKKOS_FUNCTION bool operator()(int i) const { return kind(i) == 0; }
};

template <class View>
View room(std::string const& name, Index size) {
  return View(Kokkos::view_alloc(name, Kokkos::WithoutInitializing), std::size_t(size));
}

#ifdef KOKKOS_ENABLE_CUDA
using Keys = Kokkos::View<std::uint8_t*, Exec>;

/// Without scratch memory, says how much it needs. Errors leave items out of order, which the results show.
template <class Numbers>
std::size_t sort_pairs(char* scratch, std::size_t bytes, Numbers const& key, Numbers const& path, Indices const& value,
                       Indices const& item, int bits) {
  (void)cub::DeviceRadixSort::SortPairs(scratch, bytes, key.data(), path.data(), value.data(), item.data(),
                                        int(key.extent(0)), 0, bits, Exec().cuda_stream());
  return bytes;
}
#endif

}  // namespace

SortedItems::SortedItems(Shape const& shape)
    : path(room<Kokkos::View<std::uint8_t*, Exec>>("path", shape.items)), item(room<Indices>("item", shape.items)) {
  while (1 << m_bits < shape.paths) ++m_bits;
#ifdef KOKKOS_ENABLE_CUDA
  m_key   = room<Keys>("key", shape.items);
  m_value = room<Indices>("value", shape.items);
  count_up(m_value);
  m_scratch =
      room<Kokkos::View<char*, Exec>>("scratch", Index(sort_pairs(nullptr, 0, m_key, path, m_value, item, m_bits)));
#endif
}

void SortedItems::sort(Kinds const& kind) const {
#ifdef KOKKOS_ENABLE_CUDA
  Kokkos::parallel_for("predict", Range(0, Index(kind.extent(0))), Predict{kind, m_key});
  sort_pairs(m_scratch.data(), m_scratch.extent(0), m_key, path, m_value, item, m_bits);
#else
  Kokkos::parallel_for("predict", Range(0, Index(kind.extent(0))), Predict{kind, path});
  count_up(item);
  Kokkos::Experimental::sort_by_key(Exec(), path, item);
#endif
}

SortedNumbers::SortedNumbers(Index items)
    : item(room<Indices>("item", items)), m_number(room<Numbers>("number", items)) {
#ifdef KOKKOS_ENABLE_CUDA
  m_sorted = room<Numbers>("sorted", items);
  m_value  = room<Indices>("value", items);
  count_up(m_value);
  m_scratch =
      room<Kokkos::View<char*, Exec>>("scratch", Index(sort_pairs(nullptr, 0, m_number, m_sorted, m_value, item, 32)));
#endif
}

void SortedNumbers::sort() const {
#ifdef KOKKOS_ENABLE_CUDA
  sort_pairs(m_scratch.data(), m_scratch.extent(0), m_number, m_sorted, m_value, item, 32);
#else
  count_up(item);
  Kokkos::Experimental::sort_by_key(Exec(), m_number, item);
#endif
}

PartitionedItems::PartitionedItems(Shape const& shape)
    : first(room<Indices>("first", shape.items)),
      second(room<Indices>("second", shape.items)),
      m_all(room<Indices>("all", shape.items)) {
  count_up(m_all);
}

Index PartitionedItems::partition(Kinds const& kind) const {
  namespace KE = Kokkos::Experimental;
  return KE::partition_copy(Exec(), m_all, first, second, IsFirst{kind}).first - KE::begin(first);
}

}  // namespace perf::regroup

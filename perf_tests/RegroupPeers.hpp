// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_REGROUP_PEERS_HPP
#define KOALESCE_PERF_REGROUP_PEERS_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include "RegroupItems.hpp"

/// What else puts items in order of their paths.
namespace perf::regroup {

using Indices = Kokkos::View<int*, Exec>;

/// Items as keys and values: CUB's radix sort on CUDA, with as few bits as the paths need; Kokkos' sort_by_key
/// elsewhere.
class SortedItems {
 public:
  explicit SortedItems(Shape const& shape);

  /// Predicts and sorts; paths and items then are in order.
  void sort(Kinds const& kind) const;

  Kokkos::View<std::uint8_t*, Exec> path;
  Indices item;

 private:
  Kokkos::View<std::uint8_t*, Exec> m_key;  // of CUB, which sorts from one array to another
  Indices m_value;
  Kokkos::View<char*, Exec> m_scratch;
  int m_bits = 1;
};

/// Items in order of 32-bit numbers: CUB's radix sort on CUDA, of all bits; Kokkos' sort_by_key elsewhere.
class SortedNumbers {
 public:
  using Numbers = Kokkos::View<std::uint32_t*, Exec>;

  explicit SortedNumbers(Index items);

  /// What the user fills in.
  Numbers const& number() const { return m_number; }

  /// Afterwards `item` is in order of the numbers.
  void sort() const;

  Indices item;

 private:
  Numbers m_number, m_sorted;
  Indices m_value;
  Kokkos::View<char*, Exec> m_scratch;
};

/// Items of two paths, with Kokkos' partition_copy.
class PartitionedItems {
 public:
  explicit PartitionedItems(Shape const& shape);

  /// \returns how many items take the first path.
  Index partition(Kinds const& kind) const;

  Indices first, second;

 private:
  Indices m_all;
};

}  // namespace perf::regroup

#endif

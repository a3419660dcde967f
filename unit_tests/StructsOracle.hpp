// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_STRUCTS_ORACLE_HPP
#define KOALESCE_TEST_STRUCTS_ORACLE_HPP

#include "TestSupport.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

namespace Koalesce::Test {

/// Random bytes on the device, and their copy on the host.
template <class Exec>
class Bytes {
 public:
  Bytes(std::size_t size, Rng& rng)
      : m_device(Kokkos::view_alloc(Kokkos::WithoutInitializing, "bytes"), size),
        m_host(Kokkos::create_mirror(Kokkos::HostSpace(), m_device)) {
    for (std::size_t b = 0; b < size; b += sizeof(std::uint64_t)) {
      std::uint64_t const random = rng();
      std::memcpy(host() + b, &random, std::min(sizeof(random), size - b));
    }
    Kokkos::deep_copy(m_device, m_host);
  }

  unsigned char* device() const { return m_device.data(); }
  unsigned char* host() const { return m_host.data(); }

  /// What is on the device now.
  auto device_copy() const {
    auto const found = Kokkos::create_mirror(Kokkos::HostSpace(), m_device);
    Kokkos::deep_copy(found, m_device);
    return found;
  }

  ::testing::AssertionResult device_matches() const {
    auto const found = device_copy();
    bool const same  = std::memcmp(found.data(), host(), found.extent(0)) == 0;
    for (std::size_t b = 0; b < found.extent(0) && !same; ++b)
      if (found(b) != m_host(b)) return ::testing::AssertionFailure() << "byte " << b << " is wrong";
    return ::testing::AssertionSuccess();
  }

 private:
  Kokkos::View<unsigned char*, typename Exec::memory_space> m_device;
  Kokkos::View<unsigned char*, Kokkos::HostSpace> m_host;
};

template <class S, class M>
S struct_of(M S::*);
template <class S, class M>
std::type_identity<M> member_of(M S::*);

/// Where a member's array or the array of structs begins on the device and on the host, and the step to the next
/// element.
struct Place {
  unsigned char *device, *host;
  std::size_t step;
};

/// Structs in random memory, with memory around them that must stay as it is.
template <class Exec, class List>
class StructsInBytes;

template <class Exec, auto... Pointers>
class StructsInBytes<Exec, Members<Pointers...>> {
 public:
  static constexpr int count = int(sizeof...(Pointers));
  using S                    = std::common_type_t<decltype(struct_of(Pointers))...>;
  using Space                = typename Exec::memory_space;
  using View                 = StructView<Members<Pointers...>, Space>;

  /// \param[in] gap       an array of structs begins so many structs after a multiple of 256 bytes; arrays of members
  ///                      begin up to so many elements after one.
  StructsInBytes(StructForm form, std::size_t size, int gap, Rng& rng)
      : m_form(form), m_size(size), m_bytes(512 + (size + std::size_t(gap)) * sizeof(S) + count * 1024, rng) {
    std::size_t next = 256;
    if (form == StructForm::structs) {
      m_structs = place(next + gap * sizeof(S), sizeof(S));
      return;
    }
    for (int k = 0; k < count; ++k) {
      m_arrays[k] = place(next + std::size_t(random_int(rng, 0, gap)) * alignments[k], sizes[k]);
      next += (size * sizes[k] + gap * alignments[k] + 511) / 256 * 256;
    }
  }

  View view() const {
    return m_form == StructForm::structs ? View(Kokkos::View<S*, Space>(reinterpret_cast<S*>(m_structs.device), m_size))
                                         : arrays(std::make_index_sequence<count>());
  }

  /// Member k of struct i on the host.
  unsigned char* host(int k, std::size_t i) const {
    if (m_form == StructForm::arrays) return m_arrays[k].host + i * sizes[k];
    return m_structs.host + i * sizeof(S) + offset(k);
  }

  Bytes<Exec> const& bytes() const { return m_bytes; }

  /// Makes the host's structs hold between their members what the device's do.
  void take_padding() const {
    std::array<bool, sizeof(S)> is_member{};
    for (int k = 0; k < count; ++k)
      for (std::size_t b = 0; b < sizes[k]; ++b) is_member[offset(k) + b] = true;
    auto const found = m_bytes.device_copy();
    for (std::size_t i = 0; i < m_size; ++i)
      for (std::size_t b = 0; b < sizeof(S); ++b) {
        unsigned char* const byte = m_structs.host + i * sizeof(S) + b;
        if (!is_member[b]) *byte = found(std::size_t(byte - m_bytes.host()));
      }
  }

  static constexpr std::array<std::size_t, count> sizes{sizeof(typename decltype(member_of(Pointers))::type)...};
  static constexpr std::array<std::size_t, count> alignments{alignof(typename decltype(member_of(Pointers))::type)...};

 private:
  Place place(std::size_t byte, std::size_t step) const {
    return {m_bytes.device() + byte, m_bytes.host() + byte, step};
  }

  static std::size_t offset(int k) {
    S const object{};
    auto const* const base = reinterpret_cast<unsigned char const*>(&object);
    std::array<unsigned char const*, count> const members{
        reinterpret_cast<unsigned char const*>(&(object.*Pointers))...};
    return std::size_t(members[k] - base);
  }

  template <std::size_t... K>
  View arrays(std::index_sequence<K...>) const {
    return View(array(static_cast<typename decltype(member_of(Pointers))::type*>(nullptr), m_arrays[K])...);
  }

  template <class M>
  auto array(M*, Place const& at) const {
    return Kokkos::View<M*, Space>(reinterpret_cast<M*>(at.device), m_size);
  }
  template <class T, std::size_t N>
  auto array(T (*)[N], Place const& at) const {
    return Kokkos::View<T* [N], Kokkos::LayoutRight, Space>(reinterpret_cast<T*>(at.device), m_size);
  }

  StructForm m_form;
  std::size_t m_size;
  Bytes<Exec> m_bytes;
  Place m_structs{};
  std::array<Place, count> m_arrays{};
};

/// Copies member by member, on the host's copies.
template <class Structs>
void structs_oracle(Structs const& dst, Structs const& src, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    for (int k = 0; k < Structs::count; ++k) std::memcpy(dst.host(k, i), src.host(k, i), Structs::sizes[k]);
}

/// Copies random structs, and compares all memory around source and destination.
template <class P, class List>
void check_structs(Rng& rng, StructForm from, StructForm to, std::size_t size, int gap) {
  using Structs = StructsInBytes<typename P::exec, List>;
  Structs const src(from, size, gap, rng), dst(to, size, gap, rng);
  copy_structs<typename P::backend>(typename P::exec(), dst.view(), src.view());
  typename P::exec().fence();
  structs_oracle(dst, src, size);
  if (to == StructForm::structs && Impl::MemberList<List>::are_all) dst.take_padding();
  SCOPED_TRACE(std::to_string(size) + " structs, gap " + std::to_string(gap) +
               (from == StructForm::structs ? ", from structs" : ", from arrays") +
               (to == StructForm::structs ? " to structs" : " to arrays"));
  EXPECT_TRUE(dst.bytes().device_matches());
  EXPECT_TRUE(src.bytes().device_matches());
}

}  // namespace Koalesce::Test

#endif

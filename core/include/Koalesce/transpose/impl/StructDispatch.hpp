// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_STRUCT_DISPATCH_HPP
#define KOALESCE_TRANSPOSE_IMPL_STRUCT_DISPATCH_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/transpose/impl/StructAccess.hpp>
#include <Koalesce/transpose/impl/StructBackend.hpp>
#include <Koalesce/transpose/impl/StructWork.hpp>
#include <Koalesce/transpose/impl/TransposeDispatch.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace Koalesce::Impl {

template <class Dst, class Src>
StructWork struct_work(Dst const& dst, Src const& src) {
  using List         = MemberList<typename Dst::members>;
  auto const offsets = List::offsets();
  StructWork work{std::int64_t(dst.size()),
                  int(sizeof(typename List::struct_type)),
                  List::count,
                  src.form() == StructForm::structs,
                  dst.form() == StructForm::structs,
                  List::are_all,
                  {}};
  for (int k = 0; k < List::count; ++k)
    work.member[k] = {StructAccess::data(src, k), StructAccess::data(dst, k), List::bytes[k], offsets[k]};
  return work;
}

/// Whole structs on both sides are one piece of memory: words of the largest size.
inline StructWork as_words(StructWork const& work) {
  auto const* const from = work.member[0].from - work.member[0].offset;
  auto* const to         = work.member[0].to - work.member[0].offset;
  int const word         = word_dividing(work.struct_bytes, address_of(from), address_of(to));
  return {work.size * (work.struct_bytes / word), word, 1, false, false, true, {{from, to, word, 0}}};
}

/// The elements from one member's array to the next one's if members of `Bytes` bytes are the columns of a matrix whose
/// rows are the structs, else 0.
template <int Bytes>
std::int64_t matrix_pitch(StructWork const& work) {
  if (work.from_structs == work.to_structs || !work.in_order()) return 0;
  auto const array   = [&](int k) { return address_of(work.from_structs ? work.member[k].to : work.member[k].from); };
  auto const structs = address_of(work.from_structs ? work.member[0].from : work.member[0].to);
  if (structs % Bytes != 0 || array(0) % Bytes != 0 || array(1) < array(0)) return 0;
  auto const distance = array(1) - array(0);
  for (int k = 1; k < work.members; ++k)
    if (array(k) != array(0) + std::uint64_t(k) * distance) return 0;
  if (distance % Bytes != 0 || distance < std::uint64_t(work.size) * Bytes) return 0;
  return std::int64_t(distance / Bytes);
}

/// Members of one size that follow each other are a matrix, which is transposed; everything else is the backend's.
template <class BackendTag, class Exec, class Dst, class Src>
void dispatch_structs(Exec const& exec, std::string const& label, Dst const& dst, Src const& src) {
  using Tag = Resolve<BackendTag, Exec>;
  static_assert(StructBackend<Tag, Exec>,
                "Koalesce: the execution space's backend was not included, or lacks a function that StructBackend "
                "requires; include <Koalesce/Transpose.hpp>, or write that function");
  auto const work = struct_work(dst, src);
  if (work.size == 0) return;
  constexpr int bytes = MemberList<typename Dst::members>::common_bytes;
  if constexpr (is_word_size(bytes) && transposes_structs(Tag{}, std::type_identity<Exec>{})) {
    if (std::int64_t const pitch = matrix_pitch<bytes>(work); pitch > 0) {
      TransposeDim structs{work.size, work.members, 1}, members{work.members, 1, pitch};
      if (work.to_structs) {
        std::swap(structs.from, structs.to);
        std::swap(members.from, members.to);
      }
      return run_canonical(Tag{}, exec, label, reinterpret_cast<Word<bytes> const*>(work.member[0].from),
                           reinterpret_cast<Word<bytes>*>(work.member[0].to),
                           canonical_dims({structs, members}, false));
    }
  }
  bool const is_one_piece = work.from_structs && work.to_structs && work.may_write_structs();
  run_copy_structs(Tag{}, exec, label, is_one_piece ? as_words(work) : work);
}

}  // namespace Koalesce::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_HALO_REGIONS_HPP
#define KOALESCE_DISTRIBUTED_IMPL_HALO_REGIONS_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/stencil/impl/CanonicalField.hpp>
#include <Koalesce/stencil/impl/IndexOrder.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What goes where in an exchange of halos.
namespace Koalesce::Impl {

/// The part of one field's halo that is exchanged.
template <int Rank>
struct HaloNeed {
  Kokkos::Array<std::int64_t, Rank> width{};  ///< per dimension
  Kokkos::Array<std::int64_t, Rank> halo{};   ///< that the field has
  bool corners     = true;                    ///< beyond several faces at a time, too
  std::size_t size = 0;                       ///< bytes of an element
  bool reversed    = false;                   ///< the order of points in a message: the first index is the innermost

  /// Equal on all processes.
  std::string text() const {
    std::string words = std::to_string(size) + " bytes, width";
    for (int d = 0; d < Rank; ++d) words += " " + std::to_string(width[d]) + " of " + std::to_string(halo[d]);
    return words + (corners ? ", corners" : "") + (reversed ? ", first index innermost" : "");
  }
};

/// A direction to a neighbor, -1, 0 or 1 per dimension.
template <int Rank>
struct HaloDirection {
  Kokkos::Array<int, Rank> step{};

  /// 0 to 3^Rank - 1.
  int number() const {
    int n = 0;
    for (int d = 0; d < Rank; ++d) n = 3 * n + step[d] + 1;
    return n;
  }

  HaloDirection opposite() const {
    HaloDirection other;
    for (int d = 0; d < Rank; ++d) other.step[d] = -step[d];
    return other;
  }

  int dimensions() const {
    int n = 0;
    for (int d = 0; d < Rank; ++d) n += step[d] != 0;
    return n;
  }

  static constexpr int count = Rank == 1 ? 3 : Rank == 2 ? 9 : 27;

  static HaloDirection of(int number) {
    HaloDirection direction;
    for (int d = Rank - 1; d >= 0; --d, number /= 3) direction.step[d] = number % 3 - 1;
    return direction;
  }
};

/// A box of points of a field, in a message. Canonical dimensions.
struct HaloBox {
  Extents3 first;
  Divisor rows, row;    ///< per plane, points per row
  std::int64_t lines;   ///< rows of this box and those before it
  std::int64_t points;  ///< the same of points
  std::int64_t begin;   ///< its first element in the message, in bytes
  std::size_t message;  ///< the message's number

  KOKKOS_FUNCTION Extents3 point(std::int64_t i) const {
    std::int64_t const line = i / row;
    Extents3 at             = start(line);
    at[2] += i - line * row.divisor();
    return at;
  }

  /// The first point of a row.
  KOKKOS_FUNCTION Extents3 start(std::int64_t line) const {
    std::int64_t const plane = line / rows;
    return {first[0] + plane, first[1] + line - plane * rows.divisor(), first[2]};
  }
};

/// Where a message begins in some memory.
struct MessagePlace {
  std::byte* memory;
};

/// One neighbor's message.
struct HaloMessage {
  int rank, send_tag, receive_tag;
  std::int64_t begin, bytes;  ///< in the buffer of all messages
};

/// All messages of an exchange: of each a header, then the fields' points. What is sent and what is received have the
/// same places, because neighbors have equal extents along their common face.
template <int Rank>
struct HaloRegions {
  static constexpr std::int64_t alignment = 64;  ///< in bytes, of messages and of each field's part

  std::vector<HaloMessage> messages;
  std::vector<std::vector<HaloBox>> send, receive;  ///< of each field
  std::int64_t bytes = 0;

  HaloRegions(Domain<Rank> const& domain, std::vector<HaloNeed<Rank>> const& fields)
      : send(fields.size()), receive(fields.size()) {
    for (int number = 0; number < HaloDirection<Rank>::count; ++number) {
      auto const direction = HaloDirection<Rank>::of(number);
      if (!leads_away(domain, direction)) continue;
      std::int64_t const begin = bytes;
      bytes += alignment;
      bool any = false;
      for (std::size_t f = 0; f < fields.size(); ++f)
        if (has_part(fields[f], direction)) {
          any                      = true;
          std::int64_t const count = add_box(send[f], domain, fields[f], direction, false, bytes - begin);
          add_box(receive[f], domain, fields[f], direction, true, bytes - begin);
          bytes += (count * std::int64_t(fields[f].size) + alignment - 1) / alignment * alignment;
        }
      if (any)
        messages.push_back({rank_at(domain, direction), number, direction.opposite().number(), begin, bytes - begin});
      else bytes = begin;
    }
  }

 private:
  /// Whether there is another process; where a dimension has but one, halos are filled there.
  static bool leads_away(Domain<Rank> const& domain, HaloDirection<Rank> const& direction) {
    for (int d = 0; d < Rank; ++d)
      if (direction.step[d] != 0 && (domain.ranks()[d] == 1 || !domain.has_neighbor(d, direction.step[d])))
        return false;
    return direction.dimensions() > 0;
  }

  static bool has_part(HaloNeed<Rank> const& field, HaloDirection<Rank> const& direction) {
    for (int d = 0; d < Rank; ++d)
      if (direction.step[d] != 0 && field.width[d] == 0) return false;
    return field.corners || direction.dimensions() == 1;
  }

  static int rank_at(Domain<Rank> const& domain, HaloDirection<Rank> const& direction) {
    int at[Rank], rank = 0;
    for (int d = 0; d < Rank; ++d)
      at[d] = (domain.coordinates()[d] + direction.step[d] + domain.ranks()[d]) % domain.ranks()[d];
    MPI_Cart_rank(domain.comm(), at, &rank);
    return rank;
  }

  /// The interior's points next to a neighbor, or those beyond them. Returns their number.
  std::int64_t add_box(std::vector<HaloBox>& boxes, Domain<Rank> const& domain, HaloNeed<Rank> const& field,
                       HaloDirection<Rank> const& direction, bool beyond, std::int64_t begin) const {
    Extents3 first{0, 0, 0}, extents{1, 1, 1};
    for (int d = 0; d < Rank; ++d) {
      int const c =
          field.reversed ? IndexOrder<Rank, true>::canonical_dim(d) : IndexOrder<Rank, false>::canonical_dim(d);
      std::int64_t const n = domain.extents()[d], width = field.width[d];
      int const step = direction.step[d];
      extents[c]     = width;
      first[c]       = step < 0 ? (beyond ? -width : 0) : (beyond ? n : n - width);
      if (step != 0) continue;
      // Of faces of the whole grid they have the same ones, and what lies beyond them goes along.
      std::int64_t const before = field.corners && !domain.has_neighbor(d, -1) ? width : 0;
      std::int64_t const after  = field.corners && !domain.has_neighbor(d, 1) ? width : 0;

      first[c]   = -before;
      extents[c] = before + n + after;
    }
    std::int64_t const count = extents[0] * extents[1] * extents[2];
    HaloBox const before     = boxes.empty() ? HaloBox{} : boxes.back();
    boxes.push_back({first, Divisor(extents[1]), Divisor(extents[2]), before.lines + extents[0] * extents[1],
                     before.points + count, begin, messages.size()});
    return count;
  }
};

}  // namespace Koalesce::Impl

#endif

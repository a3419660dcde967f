// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_SHADOW_LINES_HOST_LINES_HPP
#define KOALESCE_PORTABLE_SHADOW_LINES_HOST_LINES_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/shadow/impl/LineReductionWork.hpp>
#include <Koalesce/tuning/impl/PartialResults.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

/// Reductions of lines on CPU threads. Each thread takes a part of the positions, of many lines or of one, and keeps
/// the updates in its L1 cache or in registers, in loops that vectorize.
namespace Koalesce::Impl::PortableBackend {

/// The numbers of these kernels.
struct HostLineTuning {
  static constexpr int update_bytes            = 8192;  ///< of a strip's updates, which stay in L1 beside the elements
  static constexpr int rows_at_once            = 4;     ///< read for a pass over a strip's updates
  static constexpr int lane_bytes              = 128;   ///< of a contiguous line's updates: adds do not wait for others
  static constexpr std::int64_t lines_at_once  = 64;    ///< contiguous lines of an item, at most
  static constexpr std::int64_t least_in_part  = 64;    ///< positions
  static constexpr std::int64_t least_in_strip = 64;    ///< lines
};

/// The updates of up to `Count` lines, or positions, side by side.
template <class Work, int Count>
class HostUpdates {
 public:
  explicit HostUpdates(Work const& work, int count) : m_work(work) {
    for_each(work.results, [&](auto const& result, auto k) {
      auto* const of_reducer = get<decltype(k)::value>(m_updates).data();
      result.reducer.init(of_reducer[0]);
      std::fill_n(of_reducer + 1, count - 1, of_reducer[0]);
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void consume(std::int64_t b, std::int64_t line, std::int64_t position,
                                           typename Work::value_type const& value, int slot) {
    m_work.consume(b, line, position, value, m_updates, slot);
  }

  typename Work::Update operator[](int slot) const {
    typename Work::Update update;
    for_each(m_work.results, [&](auto const&, auto k) {
      constexpr int reducer = decltype(k)::value;
      get<reducer>(update)  = get<reducer>(m_updates).data()[slot];
    });
    return update;
  }

  /// The slots first, first + step, ... before end, in order.
  typename Work::Update joined(int first, int step, int end) const {
    auto update = first < end ? (*this)[first] : m_work.identity();
    for (int slot = first + step; slot < end; slot += step) m_work.join(update, (*this)[slot]);
    return update;
  }

  /// Leaves the first `count` of them as parts, or results, of neighboring lines.
  void leave(std::int64_t b, std::int64_t part, std::int64_t line, int count) const {
    if (m_work.parts != nullptr) {
      auto* const parts = m_work.parts + m_work.part_number(b, part, line);
      for (int slot = 0; slot < count; ++slot) parts[slot] = (*this)[slot];
      return;
    }
    for_each(m_work.results, [&](auto const& result, auto k) {
      auto const* const of_reducer = get<decltype(k)::value>(m_updates).data();
      auto* const to               = result.data + b * result.batch + line * result.line;
      if (result.line == 1) std::copy_n(of_reducer, count, to);
      else
        for (int slot = 0; slot < count; ++slot) to[slot * result.line] = of_reducer[slot];
    });
  }

  /// Joins all to the first: the second half to the first half, and so on.
  void join_halves() {
    static_assert(std::has_single_bit(unsigned(Count)));
    for_each(m_work.results, [&](auto const& result, auto k) {
      auto* const of_reducer = get<decltype(k)::value>(m_updates).data();
      for (int half = Count / 2; half > 0; half /= 2)
        for (int slot = 0; slot < half; ++slot) result.reducer.join(of_reducer[slot], of_reducer[slot + half]);
    });
  }

 private:
  Work const& m_work;
  typename Work::template Updates<Count> m_updates;
};

template <class Work>
inline constexpr int host_strip =
    std::clamp(HostLineTuning::update_bytes / int(sizeof(typename Work::Update)), 64, 2048);

/// The positions of one of a line's parts.
struct HostPart {
  std::int64_t begin, end;

  template <class Work>
  HostPart(Work const& work, std::int64_t part)
      : begin(work.length / work.parts_per_line * part + std::min(part, work.length % work.parts_per_line)),
        end(begin + work.length / work.parts_per_line + (part < work.length % work.parts_per_line)) {}
};

/// Lines that lie next to each other, or short ones: strips of them, along a part of their positions.
template <class Work>
struct HostStrips {
  static constexpr int most = host_strip<Work>;

  using Updates = HostUpdates<Work, most>;

  Work work;
  std::int64_t width, strips;

  void operator()(std::int64_t item) const {
    std::int64_t const strip = item % strips, part = item / strips % work.parts_per_line;
    std::int64_t const b = item / strips / work.parts_per_line, line = strip * width;
    int const count = int(std::min(width, work.lines - line));
    HostPart const positions(work, part);
    Updates updates(work, count);
    if (work.at.line == 1) walk<true>(updates, b, line, count, positions);
    else walk<false>(updates, b, line, count, positions);
    updates.leave(b, part, line, count);
  }

 private:
  template <bool Contiguous>
  void walk(Updates& updates, std::int64_t b, std::int64_t line, int count, HostPart const& positions) const {
    constexpr int rows    = HostLineTuning::rows_at_once;
    std::int64_t position = positions.begin;
    for (; position + rows <= positions.end; position += rows)
      take<rows, Contiguous>(updates, b, line, count, position);
    for (; position < positions.end; ++position) take<1, Contiguous>(updates, b, line, count, position);
  }

  template <int Rows, bool Contiguous>
  KOKKOS_FORCEINLINE_FUNCTION void take(Updates& updates, std::int64_t b, std::int64_t line, int count,
                                        std::int64_t position) const {
    auto const* const from  = work.element(b, line, position);
    std::int64_t const step = Contiguous ? 1 : work.at.line;
    for (int l = 0; l < count; ++l)
      static_for<Rows>([&](auto r) {
        updates.consume(b, line + l, position + r.value, from[r.value * work.at.along + l * step], l);
      });
  }
};

/// Few lines next to each other without gaps, as the columns of a narrow matrix: the elements of several positions are
/// one array, with an update each.
template <class Work>
struct HostNarrow {
  static constexpr int most         = std::min(512, host_strip<Work>);
  static constexpr std::int64_t few = most / 8;  // lines
  static constexpr int at_once      = HostLineTuning::rows_at_once;

  using Updates = HostUpdates<Work, most>;

  Work work;

  static bool takes(Work const& work) { return work.at.line == 1 && work.at.along == work.lines && work.lines <= few; }

  void operator()(std::int64_t item) const {
    std::int64_t const b = item / work.parts_per_line, part = item % work.parts_per_line;
    HostPart const positions(work, part);
    int const lines = int(work.lines), rows = most / lines / 8 * 8, all = rows * lines;  // whole vectors
    int row_of[most], line_of[most];
    for (int slot = 0; slot < all; ++slot) {
      row_of[slot]  = slot / lines;
      line_of[slot] = slot % lines;
    }
    Updates updates(work, all);
    std::int64_t position = positions.begin;
    for (; position + at_once * rows <= positions.end; position += at_once * rows) {
      auto const* const from = work.element(b, 0, position);
      for (int slot = 0; slot < all; ++slot)
        static_for<at_once>([&](auto k) {
          updates.consume(b, line_of[slot], position + k * rows + row_of[slot], from[k * all + slot], slot);
        });
    }
    for (; position < positions.end; position += rows) {
      auto const* const from = work.element(b, 0, position);
      int const count        = int(std::min<std::int64_t>(rows, positions.end - position)) * lines;
      for (int slot = 0; slot < count; ++slot)
        updates.consume(b, line_of[slot], position + row_of[slot], from[slot], slot);
    }
    int const used = int(std::min<std::int64_t>(rows, positions.end - positions.begin)) * lines;
    for (int l = 0; l < lines; ++l) work.leave(b, part, l, updates.joined(l, lines, used));
  }
};

/// Contiguous lines one after the other, a part of each. A line's positions take turns with the updates of several
/// lanes.
template <class Work>
struct HostLines {
  /// A power of two: halves are joined.
  static constexpr int lanes =
      int(std::bit_floor(unsigned(std::clamp(HostLineTuning::lane_bytes / int(sizeof(typename Work::Update)), 8, 32))));

  using Updates = HostUpdates<Work, lanes>;

  Work work;
  std::int64_t width, blocks;  // lines of an item

  static bool takes(Work const& work) { return work.at.line > work.at.along && work.length >= lanes; }

  void operator()(std::int64_t item) const {
    std::int64_t const block = item % blocks, part = item / blocks % work.parts_per_line;
    std::int64_t const b = item / blocks / work.parts_per_line, end = std::min((block + 1) * width, work.lines);
    HostPart const positions(work, part);
    for (std::int64_t line = block * width; line < end; ++line)
      if (work.at.along == 1) reduce<true>(b, part, line, positions);
      else reduce<false>(b, part, line, positions);
  }

 private:
  template <bool Contiguous>
  void reduce(std::int64_t b, std::int64_t part, std::int64_t line, HostPart const& positions) const {
    Updates updates(work, lanes);
    std::int64_t const step = Contiguous ? 1 : work.at.along;
    auto const* from        = work.element(b, line, positions.begin);
    std::int64_t position   = positions.begin;
    for (; position + lanes <= positions.end; position += lanes, from += lanes * step)
      for (int lane = 0; lane < lanes; ++lane) updates.consume(b, line, position + lane, from[lane * step], lane);
    for (int lane = 0; position + lane < positions.end; ++lane)
      updates.consume(b, line, position + lane, from[lane * step], lane);
    updates.join_halves();
    work.leave(b, part, line, updates[0]);
  }
};

/// Joins the parts of a line in order.
template <class Work>
struct HostJoin {
  Work work;

  void operator()(std::int64_t item) const {
    std::int64_t const b = item / work.lines, line = item % work.lines;
    auto update = work.parts[work.part_number(b, 0, line)];
    for (std::int64_t part = 1; part < work.parts_per_line; ++part)
      work.join(update, work.parts[work.part_number(b, part, line)]);
    work.deliver(b, line, update);
  }
};

/// Parts of each line: one per thread, unless so many `others` are independent that each thread has several of them. A
/// thread then takes a run of positions, which on many machines lie in the memory of the thread that filled them.
template <class Exec, class Work>
std::int64_t host_parts(Exec const& exec, Work const& work, std::int64_t others) {
  std::int64_t const threads = threads_of(exec);
  if (others >= 4 * threads) return 1;
  return std::clamp<std::int64_t>(work.length / HostLineTuning::least_in_part, 1, threads);
}

/// Runs body(item) for `items` of each part, and joins the parts.
template <class Body, class Exec, class Work, class... Shape>
void run_host_lines(Exec const& exec, std::string const& label, Work work, std::int64_t parts_per_line,
                    std::int64_t items, Shape... shape) {
  using Range         = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  work.parts_per_line = parts_per_line;
  auto const run = [&] { Kokkos::parallel_for(label, Range(exec, 0, items * parts_per_line), Body{work, shape...}); };
  if (parts_per_line == 1) return run();
  std::int64_t const results = work.batch * work.lines;
  PartialResults<Exec, typename Work::Update> const parts(exec, work.function(), label, results * parts_per_line);
  work.parts = parts.data();
  run();
  Kokkos::parallel_for(label + " [join]", Range(exec, 0, results), HostJoin<Work>{work});
}

template <class Exec, class Work>
void reduce_lines_on_host(Exec const& exec, std::string const& label, Work const& work) {
  if (HostNarrow<Work>::takes(work))
    return run_host_lines<HostNarrow<Work>>(exec, label, work, host_parts(exec, work, work.batch), work.batch);
  std::int64_t const threads = threads_of(exec);
  if (HostLines<Work>::takes(work)) {
    std::int64_t const lines = work.batch * work.lines, parts = host_parts(exec, work, lines);
    std::int64_t const width  = std::clamp<std::int64_t>(lines / (16 * threads), 1, HostLineTuning::lines_at_once),
                       blocks = (work.lines + width - 1) / width;
    return run_host_lines<HostLines<Work>>(exec, label, work, parts, work.batch * blocks, width, blocks);
  }
  std::int64_t const parts    = host_parts(exec, work, work.batch);
  std::int64_t const a_thread = work.batch * parts * work.lines / (4 * threads);
  std::int64_t const width    = parts == threads
                                    ? +host_strip<Work>
                                    : std::clamp<std::int64_t>(a_thread, HostLineTuning::least_in_strip, host_strip<Work>);
  std::int64_t const strips   = (work.lines + width - 1) / width;
  run_host_lines<HostStrips<Work>>(exec, label, work, parts, work.batch * strips, width, strips);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif

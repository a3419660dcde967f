// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_PERSISTENT_KERNEL_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_PERSISTENT_KERNEL_HPP

#include <Koalesce/cuda/runtime/MessageSlot.hpp>
#include <Koalesce/cuda/stencil/steps/StepsTuning.hpp>
#include <Koalesce/cuda/stencil/steps/TileMessages.hpp>
#include <Koalesce/stencil/impl/boundary/BoundaryValue.hpp>
#include <Koalesce/stencil/impl/steps/StepsFaces.hpp>
#include <Koalesce/stencil/impl/steps/StepsFunctor.hpp>
#include <Koalesce/stencil/impl/steps/StepsStart.hpp>

#include <cstdint>
#include <tuple>

namespace Koalesce::Impl::CudaBackend {

/// How blocks divide the interior, in canonical dimensions: each has one tile.
struct PersistentGrid {
  int tiles[3];
  int max_size[3];       ///< points of the largest tile
  int pitch, plane;      ///< elements from row to row, and from plane to plane, of a tile in shared memory
  int cells;             ///< elements of a tile and its halo there
  int first_slot[27];    ///< of a block's messages from each direction
  int slots;             ///< of all its messages after a step
  int slots_in_columns;  ///< of those that come from neighbors in x
  int all_slots;         ///< of all blocks

  KOKKOS_FUNCTION int blocks() const { return tiles[0] * tiles[1] * tiles[2]; }
  KOKKOS_FUNCTION int max_points() const { return max_size[0] * max_size[1] * max_size[2]; }
  /// The first point of a tile in dimension c, which has n points.
  KOKKOS_FUNCTION int begin(int c, int tile, std::int64_t n) const { return int(tile * n / tiles[c]); }
};

/// Any number of steps in one kernel. Every block keeps a tile of the fields in shared memory, and after every step
/// sends its neighbors what they read of it.
/// \tparam BoundaryT  NoBoundary, or a StepsBoundary.
template <class WorkT, class BoundaryT>
class PersistentKernel {
 public:
  using Work     = WorkT;
  using Boundary = BoundaryT;
  using Order    = typename Work::Order;
  using Messages = TileMessages<Order, typename Work::Ins>;
  using Faces    = StepsFacesOf<Boundary>;

  static constexpr int threads = persistent_threads;

  static constexpr bool has_corners = Messages::has_corners();

  static std::int64_t shared_bytes(PersistentGrid const& grid) {
    return grid.cells * std::int64_t(2 * Cells::bytes) +
           (3 * grid.slots + grid.max_points()) * std::int64_t(sizeof(int));
  }
  /// Global memory for the messages, which is zero when the kernel begins.
  static std::size_t message_bytes(PersistentGrid const& grid) {
    return std::size_t(2) * grid.all_slots * Cells::slot_bytes;
  }

  static __device__ __forceinline__ void run(Work const& work, Boundary const& boundary, PersistentGrid const& grid,
                                             unsigned char* messages, int steps) {
    PersistentKernel(work, boundary, grid, messages).make_steps(steps);
  }

 private:
  template <class>
  struct CellsOf;
  template <class... Ts, class... Shapes>
  struct CellsOf<Pack<Field<Ts, Shapes>...>> {
    using Pointers = Pack<std::remove_const_t<Ts>*...>;
    template <int i>
    using Shape                     = std::tuple_element_t<i, std::tuple<Shapes...>>;
    static constexpr int bytes      = (int(sizeof(Ts)) + ...);
    static constexpr int slot_bytes = (int(sizeof(MessageSlot<std::remove_const_t<Ts>>)) + ...);
  };
  using Cells  = CellsOf<typename Work::Ins>;
  using Values = typename StepsStart<Work, Boundary>::Values;

  /// A set bit in a place: the value is not kept there.
  static constexpr int not_kept = 1 << 30;

  __device__ __forceinline__ PersistentKernel(Work const& work_, Boundary const& boundary_, PersistentGrid const& grid_,
                                              unsigned char* messages_)
      : work(work_), boundary(boundary_), grid(grid_), messages(messages_) {
    unsigned const b = blockIdx.x;
    tile[2]          = int(b % grid.tiles[2]);
    tile[1]          = int(b / grid.tiles[2] % grid.tiles[1]);
    tile[0]          = int(b / grid.tiles[2] / grid.tiles[1]);
    for (int c = 0; c < 3; ++c) {
      first[c]           = grid.begin(c, tile[c], work.extents[c]);
      size[c]            = grid.begin(c, tile[c] + 1, work.extents[c]) - first[c];
      at_face[0][c]      = tile[c] == 0 && !Faces::wraps(c);
      at_face[1][c]      = tile[c] + 1 == grid.tiles[c] && !Faces::wraps(c);
      auto const is_sent = [&](bool up) { return !at_face[up][c] && Messages::exist(Messages::along(c, up)); };
      inner_low[c]       = is_sent(false) ? Messages::radius(c) : 0;
      inner_high[c]      = size[c] - (is_sent(true) ? Messages::radius(c) : 0);
    }
    extern __shared__ __align__(16) unsigned char memory[];
    unsigned char* place = memory;
    auto const take      = [&](auto& cells, auto) KOALESCE_INLINE_LAMBDA {
      cells = reinterpret_cast<std::decay_t<decltype(cells)>>(place);
      place += grid.cells * sizeof(*cells);
    };
    for_each(now, take);
    for_each(next, take);
    sent_to  = reinterpret_cast<unsigned*>(place);
    received = reinterpret_cast<int*>(sent_to + grid.slots);
    places   = received + grid.slots;
  }

  __device__ __forceinline__ void make_steps(int steps) {
    load();
    list_messages();
    list_inner_points();
    __syncthreads();
#pragma unroll 1
    for (int step = 1; step <= steps; ++step) {
      bool const goes_on = step < steps;
      compute(step, goes_on);
      if (goes_on) {
        // Without corners, what lies beyond faces follows from the tile alone.
        if (!has_corners) fill_near();
        receive(step);
      }
      __syncthreads();
      if (has_corners && goes_on) fill_near();
      auto const computed = next;
      next                = now;
      now                 = computed;
    }
    for_each_in_box({0, 0, 0}, size, [&](int z, int y, int x) KOALESCE_INLINE_LAMBDA {
      auto const values = transform(now, [&](auto const* cells, auto) { return cells[place(z, y, x)]; });
      store(work.out, values, first[0] + z, first[1] + y, first[2] + x);
    });
  }

  /// The place of a point in the tile's shared memory.
  __device__ __forceinline__ int place(int z, int y, int x) const {
    return (z + Messages::radius(0)) * grid.plane + (y + Messages::radius(1)) * grid.pitch + x + Messages::radius(2);
  }

  /// Calls visit(i, z, y, x) for the points of a box of this size, row by row.
  template <class Visit>
  __device__ __forceinline__ static void for_each_of(int planes, int rows, int cols, Visit const& visit) {
    int const points = max(planes, 0) * max(rows, 0) * max(cols, 0);
    for (int i = int(threadIdx.x); i < points; i += threads) {
      int const row = i / cols;
      visit(i, row / rows, row % rows, i - row * cols);
    }
  }

  /// Calls visit(z, y, x) for the points of a box.
  template <class Visit>
  __device__ __forceinline__ static void for_each_in_box(int const (&low)[3], int const (&high)[3],
                                                         Visit const& visit) {
    for_each_of(high[0] - low[0], high[1] - low[1], high[2] - low[2],
                [&](int, int z, int y, int x) KOALESCE_INLINE_LAMBDA { visit(low[0] + z, low[1] + y, low[2] + x); });
  }

  /// Reads the tile and its halo. What lies beyond a face does not change, or is overwritten.
  __device__ __forceinline__ void load() {
    StepsStart<Work, Boundary> const start{work, boundary};
    int low[3], high[3];
    for (int c = 0; c < 3; ++c) {
      low[c]  = -Messages::radius(c);
      high[c] = size[c] + Messages::radius(c);
    }
    for_each_in_box(low, high, [&](int z, int y, int x) KOALESCE_INLINE_LAMBDA {
      auto const values = start.read({first[0] + z, first[1] + y, first[2] + x});
      keep(now, z, y, x, values);
      keep(next, z, y, x, values);
    });
  }

  __device__ __forceinline__ static void keep(typename Cells::Pointers const& cells, int at, Values const& values) {
    for_each(cells, [&](auto* to, auto i) KOALESCE_INLINE_LAMBDA { to[at] = get<decltype(i)::value>(values); });
  }
  __device__ __forceinline__ void keep(typename Cells::Pointers const& cells, int z, int y, int x,
                                       Values const& values) const {
    keep(cells, place(z, y, x), values);
  }

  /// Lists which points are sent where, and which places others arrive at.
  __device__ __forceinline__ void list_messages() {
    sends = 0;
    for (int i = int(threadIdx.x); i < grid.slots; i += threads) received[i] = -1;
    __syncthreads();
    for (int d = 0; d < Messages::directions; ++d) {
      int block   = 0;
      bool exists = Messages::exist(d);
      for (int c = 0; c < 3; ++c) {
        int const step = Messages::step(d, c);
        exists         = exists && !(step < 0 && at_face[0][c]) && !(step > 0 && at_face[1][c]);
        int const to   = tile[c] + step;
        block          = block * grid.tiles[c] + (to < 0 ? grid.tiles[c] - 1 : to == grid.tiles[c] ? 0 : to);
      }
      if (!exists) continue;
      int const slot    = block * grid.slots + grid.first_slot[Messages::opposite(d)];
      auto const extent = [&](int c) { return Messages::extent(d, c, size[c]); };
      for_each_of(extent(0), extent(1), extent(2), [&](int i, int z, int y, int x) KOALESCE_INLINE_LAMBDA {
        auto const from = [&](int c) { return Messages::first_sent(d, c, size[c]); };
        auto const to   = [&](int c) { return Messages::first_received(d, c, size[c]); };

        received[grid.first_slot[d] + i] = place(to(0) + z, to(1) + y, to(2) + x);
        sent_to[sends + i]               = unsigned(slot + i);
        list_point(sends + i, from(0) + z, from(1) + y, from(2) + x, d);
      });
      sends += Messages::points(d, size);
    }
  }

  /// Lists, after those that are sent, the points that no neighbor reads.
  __device__ __forceinline__ void list_inner_points() {
    int inner[3];
    for (int c = 0; c < 3; ++c) inner[c] = max(inner_high[c] - inner_low[c], 0);
    for_each_of(inner[0], inner[1], inner[2], [&](int i, int z, int y, int x) KOALESCE_INLINE_LAMBDA {
      list_point(sends + i, inner_low[0] + z, inner_low[1] + y, inner_low[2] + x, -1);
    });
    computed = sends + inner[0] * inner[1] * inner[2];
  }

  /// A point that is sent in a direction, or, -1, not. Its value is kept by who sends it along the first dimension.
  __device__ __forceinline__ void list_point(int i, int z, int y, int x, int direction) {
    int const at[] = {z, y, x};
    int keeper     = -1;
    for (int c = 2; c >= 0; --c)
      if (at[c] < inner_low[c] || at[c] >= inner_high[c]) keeper = Messages::along(c, at[c] >= inner_low[c]);
    places[i] = place(z, y, x) | (keeper == direction ? 0 : not_kept);
  }

  /// The values of the point at a place after a step.
  template <class F>
  __device__ __forceinline__ Values step_at(F const& functor, int at) const {
    auto const around = transform(now, [&](auto const* cells, auto f) KOALESCE_INLINE_LAMBDA {
      using Shape = typename Cells::template Shape<decltype(f)::value>;
      return Order::template neighborhood<Shape>(cells + at, grid.plane, grid.pitch, 1);
    });
    // Most functors do not need the indices. Then nothing is divided.
    int const in_plane   = at % grid.plane;
    std::int64_t const z = first[0] - Messages::radius(0) + at / grid.plane,
                       y = first[1] - Messages::radius(1) + in_plane / grid.pitch,
                       x = first[2] - Messages::radius(2) + in_plane % grid.pitch;
    auto const result    = to_pack(call_at<Order>(functor, around, Impl::load(work.points, z, y, x), z, y, x));
    Values values;
    for_each(values, [&](auto& value, auto f) KOALESCE_INLINE_LAMBDA { value = get<decltype(f)::value>(result); });
    return values;
  }

  /// Computes a step of all points: first those that neighbors wait for.
  __device__ __forceinline__ void compute(int step, bool sends_them) {
    auto const& functor = later_by(work.functor, step - 1);
    for (int i = int(threadIdx.x); i < computed; i += threads) {
      int const at      = places[i] & ~not_kept;
      auto const values = step_at(functor, at);
      if (at == places[i]) keep(next, at, values);
      if (sends_them && i < sends)
        for_each(values, [&](auto const& value, auto f) KOALESCE_INLINE_LAMBDA {
          slot_of<decltype(f)::value>(step, sent_to[i]).send(value, std::uint32_t(step));
        });
    }
  }

  /// A slot for field f, of all blocks' slots. Two sets take turns: a neighbor sends its next but one message when it
  /// has received what this block computes from its last.
  template <int f>
  __device__ __forceinline__ auto& slot_of(int step, unsigned number) const {
    std::size_t before = 0;
    for_each(now, [&](auto const* cells, auto k) {
      using Slot = MessageSlot<std::remove_const_t<std::remove_pointer_t<decltype(cells)>>>;
      if constexpr (f > decltype(k)::value) before += 2 * sizeof(Slot) * grid.all_slots;
    });
    using Slot = MessageSlot<std::remove_pointer_t<std::decay_t<decltype(get<f>(now))>>>;
    before += (step & 1) * sizeof(Slot) * grid.all_slots;
    return *reinterpret_cast<Slot*>(messages + before + number * unsigned(sizeof(Slot)));
  }

  /// Waits for the messages of a step. Several of a thread's are asked for at a time.
  __device__ __forceinline__ void receive(int step) {
    unsigned const first_slot = blockIdx.x * grid.slots;
    for_each(next, [&](auto* cells, auto i) KOALESCE_INLINE_LAMBDA {
      for (int slot = int(threadIdx.x); slot < grid.slots; slot += persistent_polls * threads) {
        int at[persistent_polls];
        std::remove_pointer_t<decltype(cells)> value[persistent_polls];
#pragma unroll
        for (int k = 0; k < persistent_polls; ++k)
          at[k] = slot + k * threads < grid.slots ? received[slot + k * threads] : -1;
        bool all = false;
        while (!all) {
          all = true;
#pragma unroll
          for (int k = 0; k < persistent_polls; ++k)
            if (at[k] >= 0 && !slot_of<decltype(i)::value>(step, first_slot + slot + k * threads)
                                   .receive(value[k], std::uint32_t(step)))
              all = false;
        }
#pragma unroll
        for (int k = 0; k < persistent_polls; ++k)
          if (at[k] >= 0) cells[at[k]] = value[k];
      }
    });
  }

  /// Gives what lies beyond faces its new values, where they follow from points inside.
  __device__ __forceinline__ void fill_near() {
    if constexpr (Faces::has_near) {
      if (!has_corners) __syncthreads();
      static_for<Order::rank>([&](auto d) KOALESCE_INLINE_LAMBDA {
        constexpr int c = Order::canonical_dim(decltype(d)::value);
        if constexpr (Faces::is_near(c)) {
          fill_near_in<c, false>();
          fill_near_in<c, true>();
          if (has_corners) __syncthreads();
        }
      });
    }
  }

  /// The same at one face of canonical dimension c.
  template <int c, bool up>
  __device__ __forceinline__ void fill_near_in() const {
    if (!at_face[up][c]) return;
    int low[3], high[3];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      // At corners the last of the caller's dimensions decides.
      int const around = has_corners ? Messages::radius(d) : 0;
      bool const last  = Order::user_dim(d) > Order::user_dim(c);
      low[d]           = last && at_face[0][d] ? 0 : -around;
      high[d]          = size[d] + (last && at_face[1][d] ? 0 : around);
    }
    low[c]  = up ? size[c] : -Messages::radius(c);
    high[c] = up ? size[c] + Messages::radius(c) : 0;
    for_each_in_box(low, high, [&](int z, int y, int x) KOALESCE_INLINE_LAMBDA { fill_beyond<c, up>(z, y, x); });
  }

  template <int c, bool up>
  __device__ __forceinline__ void fill_beyond(int z, int y, int x) const {
    auto const point  = user_index<Order>(first[0] + z, first[1] + y, first[2] + x);
    int const at      = c == 0 ? z : c == 1 ? y : x;
    int const outward = up ? at - size[c] + 1 : -at;
    for_each(next, [&](auto* cells, auto i) KOALESCE_INLINE_LAMBDA {
      auto const& value = get<decltype(i)::value>(boundary.values);
      auto const& both  = get<Order::user_dim(c)>(value.faces);
      auto const& face  = [&]() -> auto const& {
        if constexpr (up) return both.high;
        else return both.low;
      }();
      using T = std::remove_pointer_t<decltype(cells)>;

      cells[place(z, y, x)] = value_beyond<T>(
          face, point, value.extent, outward, work.extents[c], [&](std::int64_t inward) KOALESCE_INLINE_LAMBDA {
            int const there = up ? size[c] - 1 - int(inward) : int(inward);
            return cells[place(c == 0 ? there : z, c == 1 ? there : y, c == 2 ? there : x)];
          });
    });
  }

  Work const& work;
  Boundary const& boundary;
  PersistentGrid const& grid;
  unsigned char* messages;
  int tile[3], first[3], size[3];
  bool at_face[2][3];               ///< whether the interior ends below the tile, and above it
  int inner_low[3], inner_high[3];  ///< a box of the points that no neighbor reads
  typename Cells::Pointers now, next;
  int sends, computed;  ///< points that are sent, as often as they are, and with the others
  unsigned* sent_to;    ///< their slots
  int* received;        ///< the place of what arrives in each slot; -1: none
  int* places;          ///< of the points that are computed
};

}  // namespace Koalesce::Impl::CudaBackend

#endif

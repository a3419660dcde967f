// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_STEPS_KERNEL_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_STEPS_KERNEL_HPP

#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/cuda/stencil/steps/StepsFields.hpp>
#include <Koalesce/cuda/stencil/steps/StepsGrid.hpp>
#include <Koalesce/stencil/impl/boundary/HaloPoints.hpp>
#include <Koalesce/stencil/impl/steps/StepsFaces.hpp>
#include <Koalesce/stencil/impl/steps/StepsFunctor.hpp>

namespace Koalesce::Impl::CudaBackend {

/// Several steps in one sweep: a pipeline along z. Each step computes one plane for every plane that is read, some
/// planes behind the step before it, whose newest planes the threads hold.
/// \tparam BoundaryT  NoBoundary, or a StepsBoundary.
/// \tparam Apart      whether tiles and planes at the edges have a copy of the code to themselves: where points lie
///                    beyond the interior, or are read beyond a face that is near.
template <class WorkT, class BoundaryT, class TileT, int Depth, bool Apart>
struct StepsKernel {
  using Work     = WorkT;
  using Boundary = BoundaryT;
  using Order    = typename Work::Order;
  using Tile     = TileT;

  using Faces = StepsFacesOf<Boundary>;

  /// Whether canonical dimension c is periodic.
  KOKKOS_FUNCTION static constexpr bool wraps(int c) { return Faces::wraps(c); }

  /// Whether all planes change.
  static constexpr bool all_z = Faces::wraps(0) || Faces::is_near(0);
  /// Whether all points of a tile's planes do, because tiles lie between the faces.
  static constexpr bool all_yx = Faces::is_near(2) && (Faces::is_near(1) || Order::rank == 2);

  static constexpr int depth = Depth, width = Tile::width, rows = Tile::rows;
  static constexpr int rz = Work::rz, ry = Work::ry, rx = Work::rx;

  using Ins     = StepsFields<Work, Faces, Tile, Depth>;
  using Columns = typename Ins::Columns;
  using Planes  = typename Ins::Planes;

  static constexpr bool adds = Ins::adds;
  static constexpr int lag = Ins::lag, planes = Ins::planes, bytes = Ins::bytes, ahead = Ins::ahead;

  /// Points of a tile whose results are kept. In x they begin at a multiple of the width.
  static constexpr int halo_x = (depth * rx + width - 1) / width * width, halo_y = depth * ry;
  static constexpr int size_x = 32 * width, size_y = Tile::warps * rows;
  static constexpr int step_x = size_x - 2 * halo_x, step_y = size_y - 2 * halo_y;
  static constexpr bool rows_share = Order::rank == 3;  ///< if not, every warp has a tile of its own
  static constexpr bool apart      = Apart;

  static constexpr bool exists = step_x > 0 && (!rows_share || step_y > 0);

  static __device__ __forceinline__ void run(Work const& work, Boundary const& boundary, StepsGrid const& grid) {
    if (Apart && blockIdx.x >= grid.edge.blocks && blockIdx.y >= grid.inner.chunks) return;
    StepsKernel(work, boundary, grid).march();
  }

 private:
  __device__ __forceinline__ StepsKernel(Work const& work_, Boundary const& boundary_, StepsGrid const& grid_)
      : work(work_), boundary(boundary_), grid(grid_), n(work_.extents) {
    bool const edge       = Apart && blockIdx.x < grid.edge.blocks;
    auto const& blocks    = edge ? grid.edge : grid.inner;
    unsigned const block  = edge || !Apart ? blockIdx.x : blockIdx.x - grid.edge.blocks;
    unsigned const number = rows_share ? block : block * Tile::warps + threadIdx.y;
    auto const tile       = edge ? grid.edge_tile(number) : grid.inner_tile(number);
    x                     = first_of<2>(int(tile.x) * step_x, halo_x, size_x) + int(threadIdx.x) * width;
    y  = rows_share ? first_of<1>(int(tile.y) * step_y, halo_y, size_y) + int(threadIdx.y) * rows : 0;
    z0 = int(blockIdx.y) * (edge ? grid.edge.chunk : grid.inner.chunk);
    z1 = min(z0 + (edge ? grid.edge.chunk : grid.inner.chunk), int(n[0]));

    int const first = int(tile.x) * step_x, first_y = int(tile.y) * step_y;
    unsigned changing = 0, stored = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < width; ++c) {
        unsigned const bit = 1u << (r * width + c);
        bool const in_y = y + r >= 0 && y + r < int(n[1]), in_x = x + c >= 0 && x + c < int(n[2]);
        // What lies beyond a face that is near is computed where it is read; here any value will do.
        if ((in_y || wraps(1) || Faces::is_near(1)) && (in_x || wraps(2) || Faces::is_near(2))) changing |= bit;
        if (is_read<1>(y + r, ry) && is_read<2>(x + c, rx)) later_reads |= bit << (reads * points);
        bool const kept_y = !rows_share || (y + r >= first_y && y + r < first_y + step_y);
        if (kept_y && in_y && in_x && x + c >= first && x + c < first + step_x) stored |= bit;
      }
    if (!rows_share && number >= blocks.tiles) stored = 0;
    masks = changing << (changes * points) | stored << (stores * points) | all_bits << (reads * points);
    later_reads |= masks & ~(all_bits << (reads * points));

    planes_of_period = stand_in<0>(z0 - depth * rz, 0);

    // A vote, which the compiler knows to be the same in all threads of a warp.
    auto const everywhere = [](bool here) {
      return bool(__all_sync(~0u, rows_share ? bool(__syncthreads_and(here)) : here));
    };
    all  = everywhere(changing == all_bits);
    wide = everywhere(grid.wide && x >= 0 && x + width <= int(n[2]) && x % width == 0);
    for_each(work.in, [&](auto const& field, auto i) KOALESCE_INLINE_LAMBDA {
      using Column = std::decay_t<decltype(get<i.value>(columns))>;
      auto& from   = get<i.value>(sources);
      auto const z = stand_in<0>(z0 - depth * rz, halo<0>(Column::rz));
#pragma unroll
      for (int r = 0; r < rows; ++r) from.row[r] = field.at(z, stand_in<1>(y + r, halo<1>(Column::ry)), 0);
    });
  }

  /// Where a tile begins. At faces that are near there is nothing around what it keeps.
  template <int c>
  __device__ __forceinline__ int first_of(int kept, int halo, int size) const {
    return Faces::is_near(c) ? clamp(kept - halo, 0, int(n[c]) - size) : kept - halo;
  }

  /// Points beyond a face that are read from fields, or given by the boundary.
  template <int c>
  KOKKOS_FUNCTION static constexpr int halo(int radius) {
    return Faces::is_near(c) ? 0 : radius;
  }

  /// Whether a point of the interior depends on an index of canonical dimension c.
  template <int c>
  __device__ __forceinline__ bool is_read(int at, int radius) const {
    int const reach = wraps(c) ? depth * radius : halo<c>(radius);
    return at >= -reach && at < int(n[c]) + reach;
  }

  /// A value that the compiler must take for a new one, where planes take many registers. It then keeps none for what
  /// follows from it, such as one for every bit of the masks. A spilled one costs much: it can be read only when all
  /// copies that are on their way have arrived.
  template <class I>
  __device__ __forceinline__ static I opaque(I value) {
    if constexpr (Ins::held > 64) asm volatile("" : "+r"(value));
    return value;
  }

  template <class I>
  __device__ __forceinline__ static I clamp(I at, I low, I high) {
    return at < low ? low : at > high ? high : at;
  }

  /// What stands for an index: the one a period away, or, of those beyond a field's halo, which are not needed, its
  /// last.
  template <int c, class I>
  __device__ __forceinline__ I stand_in(I at, int halo) const {
    I const end = I(n[c]);
    if (wraps(c)) {
      at = clamp(at, I(-end), I(2 * end - 1));
      return at < 0 ? at + end : at < end ? at : at - end;
    }
    return clamp(at, I(-halo), I(end - 1 + halo));
  }

  __device__ __forceinline__ void march() {
    int plane      = z0 - depth * rz;
    int const last = z1 - 1 + depth * lag;
#pragma unroll
    for (int i = 0; i < ahead; ++i) read<true>(plane + i, i);
    start();
    masks = later_reads;
    // Whole turns, without a look at the end in between: what lies beyond it is not kept.
    if constexpr (Apart) {
      // Two loops, because in one both copies of the code would spill registers.
#pragma unroll 1
      while (plane <= last) {
#pragma unroll 1
        for (; plane <= last && is_at_edge(plane); plane += planes) turn<true>(plane);
#pragma unroll 1
        for (; plane <= last && !is_at_edge(plane); plane += planes) turn<false>(plane);
      }
    } else {
#pragma unroll 1
      for (; plane <= last; plane += planes) turn<true>(plane);
    }
  }

  /// Whether a turn that begins with this plane has points that lie beyond the interior, or are read beyond a face that
  /// is near.
  __device__ __forceinline__ bool is_at_edge(int plane) const {
    constexpr int below = Faces::is_near(0) ? rz : 0;
    constexpr int above = adds ? rz : below;  // the sums of planes beyond the interior begin with their own values
    bool const in_z     = wraps(0) || (plane - depth * lag >= below && plane + planes - lag <= int(n[0]) - above);
    return !in_z || opaque(blockIdx.x) < grid.edge.blocks;
  }

  template <bool edge>
  __device__ __forceinline__ void turn(int plane) {
    static_for<planes>([&](auto phase) KOALESCE_INLINE_LAMBDA { step<phase.value, edge>(plane + phase.value); });
  }

  /// Gives all levels, all rows that warps leave for each other, and the place where no plane is on its way yet values
  /// of the first plane: the functor never sees others than a field's.
  __device__ __forceinline__ void start() {
    wait_for_copies<ahead - 1>();
    for_each_edges([&](auto& column, auto* shared, auto i) KOALESCE_INLINE_LAMBDA {
      T_of<decltype(column)> first[rows][width];
      take<i.value>(0, first);
#pragma unroll
      for (int k = ahead; k < planes; ++k)
#pragma unroll
        for (int r = 0; r < rows; ++r) write_points(points_in<i.value>(k) + r * 32 * width, first[r]);
      column.start(shared, points_in<i.value>(0), first);
    });
    if constexpr (rows_share) __syncthreads();
  }

  template <class Column>
  using T_of = typename std::decay_t<Column>::value_type;

  /// The thread's points of field i where a plane arrives.
  template <int i>
  __device__ __forceinline__ auto* points_in(int in) const {
    extern __shared__ __align__(16) unsigned char memory[];
    using T      = T_of<decltype(get<i>(columns))>;
    using Column = std::decay_t<decltype(get<i>(columns))>;
    return reinterpret_cast<T*>(memory + Ins::template arrivals<i>) + in * Column::arrival_points +
           Column::arrival_place();
  }

  template <int i, class T>
  __device__ __forceinline__ void take(int in, T (&points)[rows][width]) const {
    auto const* const from = points_in<i>(in);
#pragma unroll
    for (int r = 0; r < rows; ++r) read_points(points[r], from + r * 32 * width);
  }

  /// Puts a plane of every field on its way to shared memory; each thread brings its own points. Where nothing needs
  /// them, those of an earlier plane stay in three dimensions: many threads that read one place wait for each other. In
  /// two, looking costs more.
  /// \tparam edge  whether the tile, or planes that are under way, may be at an edge.
  template <bool edge>
  __device__ __forceinline__ void read(int plane, int to_slot) {
    bool const turns = wraps(0) && ++planes_of_period == int(n[0]);
    if (turns) planes_of_period = 0;
    for_each(work.in, [&](auto const& field, auto i) KOALESCE_INLINE_LAMBDA {
      using Column = std::decay_t<decltype(get<i.value>(columns))>;
      using T      = T_of<Column>;
      auto& from   = get<i.value>(sources);
      T* const to  = points_in<i.value>(to_slot);
      if ((edge || !all_z) && is_beyond(plane)) {
        read_beyond<i.value>(plane, to);
      } else if (wide) {
#pragma unroll
        for (int k = 0; k < points; k += Column::vector)
          async_copy<Column::vector * sizeof(T)>(to + k / width * 32 * width + k % width,
                                                 from.row[k / width] + x + k % width);
      } else if constexpr (Faces::is_near(2) || !edge) {  // all points are in the rows
#pragma unroll
        for (int k = 0; k < points; ++k)
          async_copy<sizeof(T)>(to + k / width * 32 * width + k % width, from.row[k / width] + x + k % width);
      } else {
        unsigned const these = opaque(masks);
        int const first_x    = opaque(x);
#pragma unroll
        for (int k = 0; k < points; ++k)
          if (!rows_share || has<reads>(these, k))
            async_copy<sizeof(T)>(to + k / width * 32 * width + k % width,
                                  from.row[k / width] + stand_in<2>(first_x + k % width, halo<2>(Column::rx)));
      }
      constexpr int halo_z = halo<0>(Column::rz);
      if (wraps(0) || (plane >= -halo_z && plane < int(n[0]) - 1 + halo_z)) {
        std::ptrdiff_t const to_next = turns ? (1 - n[0]) * field.stride[0] : field.stride[0];
#pragma unroll
        for (int r = 0; r < rows; ++r) from.row[r] += to_next;
      }
    });
    commit_copies();
  }

  /// Whether points of a plane in this tile hold what the boundary says.
  __device__ __forceinline__ bool is_beyond(int plane) const {
    if constexpr (Faces::has_values) return !all || (!all_z && (plane < 0 || plane >= int(n[0])));
    else return false;
  }

  /// Reads such a plane. Threads write shared memory themselves where a value is not a field's. It is rare and much
  /// code, so it is there once for all points.
  template <int i, class T>
  __device__ __forceinline__ void read_beyond(int plane, T* to) const {
    if constexpr (Faces::has_values) {
      using Column      = std::decay_t<decltype(get<i>(columns))>;
      int const at      = stand_in<0>(plane, halo<0>(Column::rz));
      bool const here_z = all_z || (plane >= 0 && plane < int(n[0]));
#pragma unroll 1
      for (int k = 0; k < points; ++k) {
        T* const point = to + k / width * 32 * width + k % width;
        int const at_y = stand_in<1>(y + k / width, halo<1>(Column::ry));
        int const at_x = stand_in<2>(x + k % width, halo<2>(Column::rx));
        if (here_z && has<changes>(masks, k)) async_copy<sizeof(T)>(point, get<i>(work.in).at(at, at_y, at_x));
        else *point = get<i>(boundary.values)(user_index<Order>(at, at_y, at_x));
      }
    }
  }

  template <int phase, bool edge>
  __device__ __forceinline__ void step(int plane) {
    wait_for_copies<ahead - 1>();
    if constexpr (!adds)
      for_each(columns,
               [&](auto& column, auto i) KOALESCE_INLINE_LAMBDA { take<i.value>(phase, column.held[0][phase]); });
    read<edge>(plane + ahead, (phase + ahead) % planes);
    if constexpr (!adds) leave<phase, edge>(0, plane);
    // Where planes wait to be added, a level's is added before another takes its place.
    static_for<depth>([&](auto turn) KOALESCE_INLINE_LAMBDA {
      constexpr int level = adds && ry > 0 ? depth - 1 - turn.value : turn.value;
      compute<phase, level, edge>(plane - (level + 1) * lag);
    });
    if constexpr (rows_share) __syncthreads();
  }

  /// Leaves what other warps read of a level's newest plane, z.
  template <int phase, bool edge>
  __device__ __forceinline__ void leave(int level, int z) {
    for_each_edges([&](auto& column, auto* shared, auto i) KOALESCE_INLINE_LAMBDA {
      if constexpr (adds) column.template leave<phase>(shared, level);
      else column.template leave<phase>(shared, points_in<i.value>(0), level, near_faces<i.value, edge>(z));
    });
  }

  /// Calls visit(column, shared, i) with the rows of each field that warps leave for each other.
  template <class Visit>
  __device__ __forceinline__ void for_each_edges(Visit const& visit) {
    extern __shared__ __align__(16) unsigned char memory[];
    unsigned char* place = memory;
    for_each(columns, [&](auto& column, auto i) KOALESCE_INLINE_LAMBDA {
      using Column = std::decay_t<decltype(column)>;
      visit(column, reinterpret_cast<typename Column::value_type*>(place), i);
      place += Column::bytes;
    });
  }

  /// What a field needs to know of faces that are near, to compute plane z.
  template <int i, bool edge>
  __device__ __forceinline__ auto near_faces(int z) const {
    if constexpr (Faces::has_near && edge) {
      auto const& value = get<i>(boundary.values);
      bool const edge_z = Faces::is_near(0) && (z < rz || z >= int(n[0]) - rz);
      return NearFaces<Order, Boundary, std::decay_t<decltype(value)>>{value, {z, y, x}, edge_z};
    } else {
      return NoNearFaces();
    }
  }

  /// What a step needs of all fields around the thread's points of plane z: windows, or sums.
  template <int phase, int level, bool edge>
  __device__ __forceinline__ auto around(int z) {
    extern __shared__ __align__(16) unsigned char memory[];
    unsigned char const* place = memory;
    return transform(columns, [&](auto const&, auto i) KOALESCE_INLINE_LAMBDA {
      auto& column       = get<i.value>(columns);
      using Column       = std::decay_t<decltype(column)>;
      auto* const shared = reinterpret_cast<T_of<Column> const*>(place);
      place += Column::bytes;
      if constexpr (adds) {
        auto const keeps = [&](int j, int k) KOALESCE_INLINE_LAMBDA {
          return (!all_z && (z + j < 0 || z + j >= int(n[0]))) || !has<changes>(masks, k);
        };
        bool const any_keeps = edge && !((all_yx || all) && (all_z || (z >= 0 && z + rz < int(n[0]))));
        return column.template add<phase>(weights_of(work.functor), shared, points_in<i.value>(0), level, any_keeps,
                                          keeps);
      } else {
        return column.template window<phase>(shared, points_in<i.value>(0), level, near_faces<i.value, edge>(z));
      }
    });
  }

  /// A functor of sums sees none to which planes are missing at the beginning.
  template <int level>
  __device__ __forceinline__ bool can_be_called(int z) const {
    if constexpr (adds && is_linear_then<typename Work::Functor>) return z >= z0 - (depth - 1 - level) * rz;
    else return true;
  }

  template <int level, class Around>
  __device__ __forceinline__ auto result_at(Around const& given, int r, int c, int z) const {
    int const at_y = stand_in<1>(y + r, 0), at_x = stand_in<2>(x + c, 0);
    auto const functor = later_by(work.functor, level);
    auto const values  = load(work.points, z, at_y, at_x);
    if constexpr (adds) {
      Pack<> none;
      return finish_sum<Order>(functor, get<0>(given).of[0][r][c], values, z, at_y, at_x, none);
    } else {
      auto const around =
          transform(given, [&](auto const& window, auto) KOALESCE_INLINE_LAMBDA { return window.around(r, c); });
      return call_at<Order>(functor, around, values, z, at_y, at_x);
    }
  }

  /// One plane of the step from `level` to the next. \tparam edge  as of read().
  template <int phase, int level, bool edge>
  __device__ __forceinline__ void compute(int z) {
    constexpr bool is_last = level + 1 == depth;
    bool const in_z        = all_z || (z >= 0 && z < int(n[0]));
    Planes results{};
    int const at_z   = stand_in<0>(z, 0);
    auto const given = around<phase, level, edge>(z);
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < width; ++c) {
        if (!can_be_called<level>(z)) continue;
        auto const result = to_pack(result_at<level>(given, r, c, at_z));
        for_each(results,
                 [&](auto& values, auto i) KOALESCE_INLINE_LAMBDA { values[r * width + c] = get<i.value>(result); });
      }
    // Points beyond the interior keep their values. (A sum that does is not changed by planes.)
    if ((!adds || is_linear_then<typename Work::Functor>)&&edge && !((all_yx || all) && in_z)) {
      unsigned const these = in_z ? opaque(masks) : 0;
      for_each(columns, [&](auto const& column, auto i) KOALESCE_INLINE_LAMBDA {
#pragma unroll
        for (int k = 0; k < points; ++k)
          if (!has<changes>(these, k))
            get<i.value>(results)[k] = column.template center<phase>(level, k / width, k % width);
      });
    }
    if constexpr (adds) get<0>(columns).hold(level, get<0>(given));
    if constexpr (is_last) {
      if (z >= z0 && z < z1) store(z, results);
    } else {
      for_each(columns, [&](auto& column, auto i) KOALESCE_INLINE_LAMBDA {
        auto& newest = column.template newest_plane<phase>(level + 1);
#pragma unroll
        for (int k = 0; k < rows * width; ++k) newest[k / width][k % width] = get<i.value>(results)[k];
      });
      leave<phase, edge>(level + 1, z);
    }
  }

  __device__ __forceinline__ void store(int z, Planes const& results) {
    for_each(work.out, [&](auto const& field, auto i) KOALESCE_INLINE_LAMBDA {
      auto const& from     = get<i.value>(results);
      unsigned const these = opaque(masks);
      auto* to             = field.at(z, rows_share ? opaque(y) : 0, x);
#pragma unroll
      for (int r = 0; r < rows; ++r, to += field.stride[1]) {
        constexpr unsigned in_row = (1u << width) - 1;
        unsigned const here       = these >> (stores * points + r * width) & in_row;
        if (wide && here == in_row) {
          constexpr int vector = std::decay_t<decltype(get<i.value>(columns))>::vector;
#pragma unroll
          for (int c = 0; c < width; c += vector) store_vector<vector>(to + c, &from[r * width + c]);
        } else {
#pragma unroll
          for (int c = 0; c < width; ++c)
            if (here >> c & 1) to[c] = from[r * width + c];
        }
      }
    });
  }

  /// What holds of a thread's points: a bit for each, in one register.
  enum Mask {
    changes,  ///< the point is of the interior, or stands for one
    stores,   ///< its result is kept
    reads     ///< it is read from the field
  };
  static constexpr int points        = rows * width;
  static constexpr unsigned all_bits = (1u << points) - 1;
  static_assert(3 * points <= 32);

  template <Mask mask>
  __device__ __forceinline__ static bool has(unsigned masks, int point) {
    return masks >> (mask * points + point) & 1;
  }

  Work const& work;
  Boundary const& boundary;
  StepsGrid const& grid;
  Extents3 const& n;
  int x, y;
  int z0, z1;
  int planes_of_period;      ///< up to the one that is read next
  unsigned masks;            ///< at first all points are read, so that places in shared memory have values
  unsigned later_reads = 0;  ///< the masks from then on
  bool wide, all;            ///< all points of the tile change
  Columns columns;
  typename Ins::Sources sources;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif

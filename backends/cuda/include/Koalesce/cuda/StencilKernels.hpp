// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_KERNELS_HPP
#define KOALESCE_CUDA_STENCIL_KERNELS_HPP

#include <Koalesce/LinearStencil.hpp>
#include <Koalesce/cuda/PlaneReader.hpp>
#include <Koalesce/cuda/StencilGrid.hpp>

namespace Koalesce::Impl {

/// The calling thread's block and its place in it.
struct BlockPlace {
  std::int64_t z, y, x;  ///< the block's first point
  int planes;            ///< planes that the block computes
  int ty, tx;            ///< the thread's first point in the tile
  bool active;           ///< the thread has points in the tile

  __device__ __forceinline__ BlockPlace(StencilGrid const& grid, Extents3 const& extents, int points) {
    std::int64_t const block = blockIdx.x;
    x                        = block % grid.tiles_x * grid.step_x;
    y                        = block / grid.tiles_x % grid.tiles_y * grid.step_y;
    z                        = block / grid.tiles_x / grid.tiles_y * grid.chunk;
    planes                   = int(grid.chunk < extents[0] - z ? grid.chunk : extents[0] - z);
    ty                       = int(threadIdx.x) / grid.tile_x * points;
    tx                       = int(threadIdx.x) % grid.tile_x;
    active                   = ty < grid.tile_y;
  }

  /// The thread's rows that lie in the interior, at most `points`; 0 where its column does not.
  __device__ __forceinline__ int height(Extents3 const& extents, int points) const {
    std::int64_t const rows = extents[1] - y - ty;
    if (!active || x + tx >= extents[2] || rows <= 0) return 0;
    return rows < points ? int(rows) : points;
  }
};

/// The slot after `slot` in a ring.
template <int Slots>
__device__ __forceinline__ int next_slot(int slot) {
  return slot + 1 == Slots ? 0 : slot + 1;
}

/// The readers of all input fields, one behind the other in shared memory.
template <class Ins, int RadiusY, int RadiusX, bool Wide>
struct PlaneReaders;

template <class... Ts, int RadiusY, int RadiusX, bool Wide>
struct PlaneReaders<Pack<Field<Ts>...>, RadiusY, RadiusX, Wide> {
  using Ins = Pack<Field<Ts>...>;

  __host__ __device__ static constexpr int bytes(int slots, int tile_y, int tile_x) {
    return (PlaneReader<std::remove_const_t<Ts>, RadiusY, RadiusX, Wide>::bytes(slots, tile_y, tile_x) + ...);
  }

  static bool can_be_wide(Ins const& in) {
    bool wide = true;
    for_each(in, [&](auto const& field, auto) {
      using T = typename std::decay_t<decltype(field)>::value_type;
      wide    = wide && PlaneReader<T, RadiusY, RadiusX, Wide>::can_be_wide(field);
    });
    return wide;
  }

  static __device__ __forceinline__ auto make(Ins const& in, unsigned char* shared, int slots, std::int64_t z,
                                              std::int64_t y, std::int64_t x, StencilGrid const& grid,
                                              Extents3 const& extents) {
    return transform(in, [&](auto const& field, auto) {
      using Reader     = PlaneReader<typename std::decay_t<decltype(field)>::value_type, RadiusY, RadiusX, Wide>;
      auto* const here = shared;
      shared += Reader::bytes(slots, grid.tile_y, grid.tile_x);
      return Reader(here, field, z, y, x, grid.tile_y, grid.tile_x, extents[1], extents[2]);
    });
  }
};

/// Computes the values of a thread's points first ... last - 1 and then stores them: with all results before the first
/// store, the taps that neighboring points share are read once.
template <int Points, class Value, class Store>
__device__ __forceinline__ void compute_points(int first, int last, Value const& value, Store const& store) {
  if (first == 0 && last == Points) {
    decltype(value(0)) results[Points];
#pragma unroll
    for (int p = 0; p < Points; ++p) results[p] = value(p);
#pragma unroll
    for (int p = 0; p < Points; ++p) store(p, results[p]);
  } else {
#pragma unroll 1
    for (int p = first; p < last; ++p) store(p, value(p));
  }
}

/// The circular queue for any functor: the 2 * rz + 1 planes around the point, and those being read, rotate in shared
/// memory. A step waits for one plane, starts reading another into the slot of the oldest, and computes.
template <class WorkT, class TuningT, bool Wide>
struct QueueKernel {
  using Work   = WorkT;
  using Tuning = TuningT;
  using Order  = typename Work::Order;
  using Shape  = typename Work::Shape;

  static constexpr int slots         = 2 * Work::rz + 1 + Tuning::ahead;
  static constexpr int planes_before = 2 * Work::rz;
  static constexpr int inner_y = 0, inner_x = 0, ry = Work::ry, rx = Work::rx;

  using Readers = PlaneReaders<typename Work::Ins, ry, rx, Wide>;

  static int bytes(int tile_y, int tile_x) { return Readers::bytes(slots, tile_y, tile_x); }

  static __device__ __forceinline__ void run(Work const& work, StencilGrid const& grid) {
    extern __shared__ __align__(16) unsigned char shared[];
    BlockPlace const at(grid, work.extents, Tuning::points);
    auto readers    = Readers::make(work.in, shared, slots, at.z - Work::rz, at.y, at.x, grid, work.extents);
    auto const read = [&](int slot) { for_each(readers, [&](auto& reader, auto) { reader.read(slot); }); };

    int const steps = at.planes + planes_before;
    for (int s = 0; s < planes_before + Tuning::ahead; ++s) {
      if (s < steps) read(s);
      commit_copies();
    }

    int const height = at.height(work.extents, Tuning::points);
    int center = Work::rz, free = planes_before + Tuning::ahead;
    PaceKeeper pace(grid.pace, grid.chunk);
    for (int k = 0; k < at.planes; ++k) {
      pace.wait(k);
      wait_for_copies<Tuning::ahead - 1>();
      __syncthreads();
      pace.advance(k);
      if (k + planes_before + Tuning::ahead < steps) read(free);
      commit_copies();
      compute_points<Tuning::points>(
          0, height,
          [&](int p) {
            auto const around = transform(readers, [&](auto const& reader, auto) {
              return reader.template around<Order, Shape>(slots, center, at.ty, at.tx, p);
            });
            return call_at<Order>(work.functor, around, at.z + k, at.y + at.ty + p, at.x + at.tx);
          },
          [&](int p, auto const& result) { store(work.out, result, at.z + k, at.y + at.ty + p, at.x + at.tx); });
      center = next_slot<slots>(center);
      free   = next_slot<slots>(free);
    }
  }
};

/// Known weights: each plane is read from shared memory once and added to the partial sums, in registers, of the
/// 2 * rz + 1 output planes that it belongs to; the queue holds only the planes on their way in. The terms of each
/// point are added in the order of linear_sum.
template <class WorkT, class TuningT, bool Wide>
struct LinearKernel {
  using Work   = WorkT;
  using Tuning = TuningT;
  using Order  = typename Work::Order;
  using Shape  = typename Work::Shape;
  using Value  = std::remove_const_t<std::remove_pointer_t<decltype(get<0>(std::declval<Work const&>().in).origin)>>;
  using Weight = typename Work::Functor::weight_type;
  using Sum    = decltype(Weight() * Value());

  static constexpr int slots         = 1 + Tuning::ahead;
  static constexpr int planes_before = 2 * Work::rz;
  static constexpr int inner_y = 0, inner_x = 0, ry = Work::ry, rx = Work::rx;

  using Readers = PlaneReaders<typename Work::Ins, ry, rx, Wide>;

  static int bytes(int tile_y, int tile_x) { return Readers::bytes(slots, tile_y, tile_x); }

  static __device__ __forceinline__ void run(Work const& work, StencilGrid const& grid) {
    extern __shared__ __align__(16) unsigned char shared[];
    constexpr int rz = Work::rz, points = Tuning::points;
    BlockPlace const at(grid, work.extents, points);
    auto readers = Readers::make(work.in, shared, slots, at.z - rz, at.y, at.x, grid, work.extents);
    auto& reader = get<0>(readers);

    int const steps = at.planes + planes_before;
    for (int s = 0; s < Tuning::ahead; ++s) {
      if (s < steps) reader.read(s);
      commit_copies();
    }

    auto const& out  = get<0>(work.out);
    auto* to         = out.at(at.z - 2 * rz, at.y + at.ty, at.x + at.tx);
    int const height = at.height(work.extents, points);

    // sums[dz + rz][p] belongs to the output plane that sees the current plane at offset dz.
    Sum sums[2 * rz + 1][points] = {};
    int slot = 0, free = Tuning::ahead;
    PaceKeeper pace(grid.pace, grid.chunk + planes_before);
    for (int s = 0; s < steps; ++s) {
      pace.wait(s);
      wait_for_copies<Tuning::ahead - 1>();
      __syncthreads();
      pace.advance(s);
      if (s + Tuning::ahead < steps) reader.read(free);
      commit_copies();

      if (at.active) {
        Value const* const point = reader.slots() + slot * reader.plane() + reader.point(at.ty, at.tx);
        static_for<points + 2 * ry>([&](auto row) {
          constexpr int y        = decltype(row)::value - ry;
          Value const* const tap = point + y * reader.pitch();
          static_for<2 * rx + 1>([&](auto col) {
            constexpr int dx = decltype(col)::value - rx;
            if constexpr (is_used(y, dx)) {
              Value const v = tap[dx];
              static_for<points>([&](auto neighbor) {
                constexpr int p = decltype(neighbor)::value, dy = y - p;
                if constexpr (dy >= -ry && dy <= ry)
                  static_for<2 * rz + 1>([&](auto plane) {
                    constexpr int dz = decltype(plane)::value - rz;
                    if constexpr (Order::template contains<Shape>(dz, dy, dx))
                      sums[dz + rz][p] =
                          multiply_add(Order::in_user_order(work.functor, dz, dy, dx), v, sums[dz + rz][p]);
                  });
              });
            }
          });
        });
      }

      if (s >= planes_before) {
#pragma unroll
        for (int p = 0; p < points; ++p)
          if (p < height) to[p * out.stride[1]] = sums[2 * rz][p];
      }
      to += out.stride[0];
#pragma unroll
      for (int p = 0; p < points; ++p) {
#pragma unroll
        for (int j = 2 * rz; j > 0; --j) sums[j][p] = sums[j - 1][p];
        sums[0][p] = Sum{};
      }
      slot = next_slot<slots>(slot);
      free = next_slot<slots>(free);
    }
  }

 private:
  /// Whether a thread's points need the value at row y of them and offset dx.
  KOKKOS_FUNCTION static constexpr bool is_used(int y, int dx) {
    for (int p = 0; p < Tuning::points; ++p)
      for (int dz = -Work::rz; dz <= Work::rz; ++dz)
        if (y - p >= -ry && y - p <= ry && Order::template contains<Shape>(dz, y - p, dx)) return true;
    return false;
  }
};

/// Two queues: the planes that the first stage computed, halo included, rotate in shared memory, too. A tile's threads
/// compute the first stage everywhere in it and the second one inside the halo.
template <class WorkT, class TuningT, bool Wide>
struct StagedKernel {
  using Work        = WorkT;
  using Tuning      = TuningT;
  using Order       = typename Work::Order;
  using FirstShape  = typename Work::FirstShape;
  using SecondShape = typename Work::SecondShape;

  static constexpr int rz1 = Order::template radius<FirstShape>(0), rz2 = Order::template radius<SecondShape>(0);
  static constexpr int ry2 = Order::template radius<SecondShape>(1), rx2 = Order::template radius<SecondShape>(2);

  // The second stage also sees the inputs at its own point: their planes stay until it is done with them.
  static constexpr int kept          = rz1 >= rz2 ? 2 * rz1 + 1 : rz1 + rz2 + 1;
  static constexpr int slots         = kept + Tuning::ahead;
  static constexpr int mid_slots     = 2 * rz2 + 1;
  static constexpr int planes_before = 2 * rz1 + 2 * rz2;
  static constexpr int inner_y = 2 * ry2, inner_x = 2 * rx2;
  static constexpr int ry = Order::template radius<FirstShape>(1), rx = Order::template radius<FirstShape>(2);

  using Readers = PlaneReaders<typename Work::Ins, ry, rx, Wide>;

  template <class T>
  __host__ __device__ static constexpr int mid_bytes(int tile_y, int tile_x) {
    return (mid_slots * tile_y * tile_x * int(sizeof(T)) + 15) / 16 * 16;
  }

  static int bytes(int tile_y, int tile_x) {
    return Readers::bytes(slots, tile_y, tile_x) + bytes_of_mids(typename Work::Mids{}, tile_y, tile_x);
  }

  static __device__ __forceinline__ void run(Work const& work, StencilGrid const& grid) {
    extern __shared__ __align__(16) unsigned char shared[];
    constexpr int points = Tuning::points;
    BlockPlace const at(grid, work.extents, points);
    // The tile's first point, from which the first stage is computed, lies in the halo.
    std::int64_t const y0 = at.y - ry2, x0 = at.x - rx2;
    Extents3 const wide{work.extents[0], work.extents[1] + ry2, work.extents[2] + rx2};
    auto readers    = Readers::make(work.in, shared, slots, at.z - rz1 - rz2, y0, x0, grid, wide);
    auto const read = [&](int slot) { for_each(readers, [&](auto& reader, auto) { reader.read(slot); }); };

    int const mid_plane = grid.tile_y * grid.tile_x;
    auto* mid_shared    = shared + Readers::bytes(slots, grid.tile_y, grid.tile_x);
    auto const mids     = transform(typename Work::Mids{}, [&](auto const& none, auto) {
      using T    = std::decay_t<decltype(none)>;
      T* const m = reinterpret_cast<T*>(mid_shared);
      mid_shared += mid_bytes<T>(grid.tile_y, grid.tile_x);
      return m;
    });

    int const steps = at.planes + planes_before;
    for (int s = 0; s < 2 * rz1 + Tuning::ahead; ++s) {
      if (s < steps) read(s);
      commit_copies();
    }

    // Rows of the thread's first stage that the second stage can need.
    std::int64_t const rows = work.extents[1] + ry2 - y0 - at.ty;
    bool const in_column    = at.active && x0 + at.tx < work.extents[2] + rx2;
    int const mid_height    = !in_column || rows <= 0 ? 0 : rows < points ? int(rows) : points;
    // And its points of the second stage.
    bool const inside = in_column && at.tx >= rx2 && at.tx < grid.tile_x - rx2 && x0 + at.tx < work.extents[2];
    int const end     = int(min(std::int64_t(grid.tile_y - ry2), work.extents[1] - y0)) - at.ty;
    int const first = max(ry2 - at.ty, 0), last = inside ? min(end, points) : 0;

    int center = rz1, free = 2 * rz1 + Tuning::ahead, mid = 0;
    PaceKeeper pace(grid.pace, grid.chunk + 2 * rz2);
    for (int s = 0; s < at.planes + 2 * rz2; ++s) {
      pace.wait(s);
      wait_for_copies<Tuning::ahead - 1>();
      __syncthreads();
      pace.advance(s);
      if (s + 2 * rz1 + Tuning::ahead < steps) read(free);
      commit_copies();
      int const mid_point = mid * mid_plane + at.ty * grid.tile_x + at.tx;
      compute_points<points>(
          0, mid_height,
          [&](int p) {
            auto const around = transform(readers, [&](auto const& reader, auto) {
              return reader.template around<Order, FirstShape>(slots, center, at.ty, at.tx, p);
            });
            return to_pack(call_at<Order>(work.first, around, at.z - rz2 + s, y0 + at.ty + p, x0 + at.tx));
          },
          [&](int p, auto const& result) {
            for_each(mids, [&](auto* m, auto i) { m[mid_point + p * grid.tile_x] = get<decltype(i)::value>(result); });
          });

      int const k = s - 2 * rz2;
      if (k >= 0) {
        __syncthreads();
        // The middle one of the planes between the stages, and the input plane at the same z.
        int const mid_center = mid >= rz2 ? mid - rz2 : mid - rz2 + mid_slots;
        int const in_center  = center >= rz2 ? center - rz2 : center - rz2 + slots;
        compute_points<points>(
            first, last,
            [&](int p) {
              int const row     = at.ty + p;
              auto const around = transform(mids, [&](auto* m, auto) {
                using T = std::remove_pointer_t<decltype(m)>;
                return Order::template neighborhood<SecondShape>(static_cast<T const*>(m), mid_plane, grid.tile_x, 1,
                                                                 mid_slots, mid_center,
                                                                 mid_center * mid_plane + row * grid.tile_x + at.tx);
              });
              auto const inputs = transform(readers, [&](auto const& reader, auto) {
                using T = std::remove_const_t<std::remove_pointer_t<decltype(reader.slots())>>;
                return PointValue<T, Order::rank>(
                    reader.slots() + in_center * reader.plane() + reader.point(row, at.tx), {});
              });
              return call_at<Order>(work.second, around, inputs, at.z + k, y0 + row, x0 + at.tx);
            },
            [&](int p, auto const& result) { store(work.out, result, at.z + k, y0 + at.ty + p, x0 + at.tx); });
      }
      center = next_slot<slots>(center);
      free   = next_slot<slots>(free);
      mid    = next_slot<mid_slots>(mid);
    }
  }

 private:
  template <class... Ts>
  static int bytes_of_mids(Pack<Ts...> const&, int tile_y, int tile_x) {
    return (mid_bytes<Ts>(tile_y, tile_x) + ...);
  }
};

/// The only __global__ function: the kernels are types.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::Tuning::threads, Kernel::Tuning::min_blocks)
    stencil_kernel(__grid_constant__ typename Kernel::Work const work, __grid_constant__ StencilGrid const grid) {
  Kernel::run(work, grid);
}

}  // namespace Koalesce::Impl

#endif

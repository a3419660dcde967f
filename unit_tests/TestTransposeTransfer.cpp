// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CapturedGraph.hpp"
#include "KernelRecorder.hpp"
#include "TransposeOracle.hpp"

#include <cstdint>
#include <thread>
#include <vector>

/// Transpositions between host memory and a device's. Where there is no device its part is the host's own.
namespace Koalesce::Test {
namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;
using HostExec = Kokkos::DefaultHostExecutionSpace;

template <class P>
class TransposeTransfer : public ::testing::Test {};
TYPED_TEST_SUITE(TransposeTransfer, DefaultPaths::types, PathNames);

/// Extents of about `points` together, one of them mostly longer than the others.
template <int Rank>
Index<Rank> random_extents(Rng& rng, std::int64_t points) {
  auto n                         = index_of<Rank>(1);
  constexpr std::int64_t sizes[] = {1, 2, 3, 7, 16, 33, 100, 350};
  for (std::int64_t product = 1, d = 0; d < Rank; ++d) {
    n[d] = std::min(sizes[rng() % std::size(sizes)], points / product);
    product *= n[d];
  }
  return n;
}

template <class T, int Rank, class SrcExec, class DstExec, class Run>
void check_transfer(Rng& rng, Index<Rank> const& n, Run const& run) {
  auto const p = random_permutation<Rank>(rng);
  Field<SrcExec, T, Rank, LayoutStride> src(n, random_halo<Rank>(rng, 1), rng);
  Field<DstExec, T, Rank, LayoutStride> dst(permuted<Rank>(n, p), random_halo<Rank>(rng, 1), rng);
  fill_for_transpose(src, rng);
  run(window(dst), window(src), p);
  transpose_oracle(src, dst, p);
  SCOPED_TRACE(to_string<Rank>(n));
  EXPECT_TRUE(dst.device_matches());
  EXPECT_TRUE(src.device_matches());
}

/// The parts of a transfer by themselves, with pieces of a few elements to all of them.
template <class P, class T, int Rank>
void check_pieces(Rng& rng, Impl::HostSide host) {
  using Exec     = typename P::exec;
  using Tag      = Impl::Resolve<typename P::backend, Exec>;
  auto const run = [&](auto const& dst, auto const& src, Permutation<Rank> const& p) {
    std::size_t const sizes[] = {sizeof(T), 64, 1000, 30000, 1 << 20};
    Impl::TransferBuffers<Exec> buffers(sizes[rng() % std::size(sizes)]);
    std::vector<Impl::TransposeDim> dims;
    for (int d = 0; d < Rank; ++d)
      dims.push_back({std::int64_t(dst.extent(d)), std::int64_t(src.stride(p[d])), std::int64_t(dst.stride(d))});
    Impl::HostTransfer<Tag, T, Exec> transfer(Exec(), "pieces", src.data(), dst.data(), dims, host, buffers);
    host == Impl::HostSide::source ? transfer.from_host() : transfer.to_host();
    Exec().fence();
  };
  auto const n = random_extents<Rank>(rng, 3000);
  if (host == Impl::HostSide::source) check_transfer<T, Rank, HostExec, Exec>(rng, n, run);
  else check_transfer<T, Rank, Exec, HostExec>(rng, n, run);
}

template <class P, class T>
void check_all_pieces() {
  for_each_seed([](Rng& rng) {
    for (auto const host : {Impl::HostSide::source, Impl::HostSide::destination}) {
      check_pieces<P, T, 1>(rng, host);
      check_pieces<P, T, 2>(rng, host);
      check_pieces<P, T, 4>(rng, host);
    }
  });
}

TYPED_TEST(TransposeTransfer, pieces_of_doubles) { check_all_pieces<TypeParam, double>(); }
TYPED_TEST(TransposeTransfer, pieces_of_12_bytes) { check_all_pieces<TypeParam, Vec3<float>>(); }

template <class P, class T, class SrcExec, class DstExec>
void check_calls(Index<3> const& n) {
  auto const run = [&](auto const& dst, auto const& src, Permutation<3> const& p) {
    transpose<typename P::backend>(typename P::exec(), dst, src, p);
    typename P::exec().fence();
  };
  for_each_seed([&](Rng& rng) { check_transfer<T, 3, SrcExec, DstExec>(rng, n, run); });
}

TYPED_TEST(TransposeTransfer, to_and_from_host) {
  using Exec = typename TypeParam::exec;
  for (Index<3> const& n : {Index<3>{7, 1, 90}, Index<3>{0, 3, 4}, Index<3>{33, 40, 5}}) {
    check_calls<TypeParam, float, Exec, HostExec>(n);
    check_calls<TypeParam, float, HostExec, Exec>(n);
    check_calls<TypeParam, Kokkos::complex<double>, Exec, HostExec>(n);
    check_calls<TypeParam, Vec3<double>, HostExec, Exec>(n);
  }
}

/// More than two pieces, where there is a device.
TYPED_TEST(TransposeTransfer, large) {
  using Exec = typename TypeParam::exec;
  if (Backend::on_host<Exec>) GTEST_SKIP() << "nothing goes to a device";
  check_calls<TypeParam, double, Exec, HostExec>({3, 1500, 3001});
  check_calls<TypeParam, double, HostExec, Exec>({3, 1500, 3001});
}

/// Pieces in turn from several host threads, each with its own Views and, where there are any, stream.
template <class P>
void copy_there_and_back(typename P::exec const& exec, double value, Impl::TransferBuffers<typename P::exec>& buffers) {
  using Exec  = typename P::exec;
  using Tag   = Impl::Resolve<typename P::backend, Exec>;
  int const n = 300, m = 200;
  Kokkos::View<double**, LayoutRight, HostExec> const host("host", n, m), back("back", n, m);
  Kokkos::View<double**, LayoutLeft, Exec> const device("device", n, m);
  std::vector<Impl::TransposeDim> const there{{n, m, 1}, {m, 1, n}}, home{{n, 1, m}, {m, n, 1}};
  for (int round = 1; round < 4; ++round) {
    for (int i = 0; i < n * m; ++i) host.data()[i] = value * round + i;
    Impl::HostTransfer<Tag, double, Exec>(exec, "there", host.data(), device.data(), there, Impl::HostSide::source,
                                          buffers)
        .from_host();
    for (int i = 0; i < n * m; ++i) host.data()[i] = -1;  // the call is over
    Impl::HostTransfer<Tag, double, Exec>(exec, "back", device.data(), back.data(), home, Impl::HostSide::destination,
                                          buffers)
        .to_host();
    int wrong = 0;
    for (int i = 0; i < n * m; ++i) wrong += back.data()[i] != value * round + i;
    EXPECT_EQ(wrong, 0);
  }
}

TYPED_TEST(TransposeTransfer, host_memory_is_free_afterwards) {
  Impl::TransferBuffers<typename TypeParam::exec> buffers(50000);
  copy_there_and_back<TypeParam>({}, 1000, buffers);
}

TYPED_TEST(TransposeTransfer, several_host_threads) {
  using Exec = typename TypeParam::exec;
  if (Backend::on_host<Exec>) GTEST_SKIP() << "host threads share the instance's threads";
  auto const instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  Impl::TransferBuffers<Exec> buffers(50000);
  std::thread other([&] { copy_there_and_back<TypeParam>(instances[0], 1000, buffers); });
  copy_there_and_back<TypeParam>(instances[1], 3000, buffers);
  other.join();
}

/// Earlier work of the instance may write what is copied.
TYPED_TEST(TransposeTransfer, begins_after_earlier_work) {
  using Exec = typename TypeParam::exec;
  Exec const exec;
  Kokkos::View<double**, LayoutLeft, Exec> const device("device", 700, 900);
  Kokkos::View<double**, LayoutRight, HostExec> const host("host", 700, 900);
  Kokkos::deep_copy(exec, device, 3.);
  copy_layout<typename TypeParam::backend>(exec, host, device);
  exec.fence();
  double sum = 0;
  for (std::size_t i = 0; i < host.size(); ++i) sum += host.data()[i];
  EXPECT_EQ(sum, 3. * 700 * 900);
}

TYPED_TEST(TransposeTransfer, is_no_part_of_a_graph) {
  using Exec = typename TypeParam::exec;
  if (Backend::on_host<Exec>) GTEST_SKIP() << "nothing is captured on a host";
  Exec const exec;
  Kokkos::View<double**, LayoutLeft, Exec> const device("device", 70, 90);
  Kokkos::View<double**, LayoutRight, HostExec> const host("host", 70, 90);
  auto const copy = [&](Exec const& space) { copy_layout<typename TypeParam::backend>(space, host, device); };
  auto const text = error_in_capture(exec, copy);
  EXPECT_NE(text.find("Koalesce::copy_layout"), std::string::npos) << text;
  EXPECT_NE(text.find("the instance is being captured into a graph"), std::string::npos) << text;
  Kokkos::deep_copy(device, 3.);
  copy(exec);
  EXPECT_EQ(host(69, 89), 3.);
}

TYPED_TEST(TransposeTransfer, no_memory_for_pieces) {
  using Exec = typename TypeParam::exec;
  Impl::TransferBuffers<Exec> buffers;
  expect_error({"Koalesce::copy_layout", "the pieces of", "cannot be allocated", "free some memory"},
               [&] { Impl::BorrowedBuffers<Exec>(buffers, Exec(), "copy_layout", std::size_t(1) << 60, 2); });
}

}  // namespace
}  // namespace Koalesce::Test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_LINE_REDUCTION_DISPATCH_HPP
#define KOALESCE_SHADOW_IMPL_LINE_REDUCTION_DISPATCH_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/Error.hpp>
#include <Koalesce/shadow/impl/LineReductionBackend.hpp>
#include <Koalesce/shadow/impl/LineReductionChecks.hpp>
#include <Koalesce/shadow/impl/LineReductionSignature.hpp>
#include <Koalesce/shadow/impl/LineReductionWork.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstdint>
#include <string>

namespace Koalesce::Impl {

template <class Result>
auto line_result(Result const& result) {
  using Traits      = LineResultTraits<Result>;
  using Reducer     = typename Traits::Reducer;
  auto const& view  = Traits::view(result);
  constexpr int row = int(Traits::View::rank()) - 1;
  return LineResult<Reducer>{Reducer(*view.data()), view.data(), row == 0 ? 0 : std::int64_t(view.stride(0)),
                             std::int64_t(view.stride(row))};
}

template <class View, class Functor, class... Results>
auto line_reduction_work(Lines lines, View const& a, Functor const& functor, Results const&... results) {
  constexpr int rank = int(View::rank()), row = rank - 2;
  int const line = lines == Lines::rows ? row : row + 1, along = lines == Lines::rows ? row + 1 : row;
  LineStrides const at{row == 0 ? 0 : std::int64_t(a.stride(0)), std::int64_t(a.stride(line)),
                       std::int64_t(a.stride(along))};
  return LineReductionWork<typename View::non_const_value_type, rank, Functor,
                           typename LineResultTraits<Results>::Reducer...>{
      a.data(),
      row == 0 ? 1 : std::int64_t(a.extent(0)),
      std::int64_t(a.extent(line)),
      std::int64_t(a.extent(along)),
      at,
      lines == Lines::rows,
      functor,
      Pack<LineResult<typename LineResultTraits<Results>::Reducer>...>(line_result(results)...)};
}

/// Runs parallel_reduce_rows or parallel_reduce_columns. \param[in] function its name.
template <class BackendTag, class Exec, class Matrix, class Functor, class... Results>
void start_line_reduction(char const* function, std::string const& label, Exec const& exec, Lines lines,
                          Matrix const& matrix, Functor const& functor, Results const&... results) {
  if constexpr (check_line_reduction_types<Matrix, Functor, Results...>()) {
    using Tag     = Resolve<BackendTag, Exec>;
    auto const& a = original_of(matrix);
    check_line_reduction<Exec>(call_text(function, label), lines, a, LineResultTraits<Results>::view(results)...);
    Kokkos::Profiling::ScopedRegion const region(function);
    if (((LineResultTraits<Results>::view(results).size() == 0) || ...)) return;
    auto const work = line_reduction_work(lines, a, functor, results...);
    static_assert(LineReductionBackend<Tag, Exec, decltype(work)>,
                  "Koalesce: the execution space's backend was not included, or lacks the function that "
                  "LineReductionBackend requires; include <Koalesce/ShadowView.hpp>, or write that function");
    run_line_reduction(Tag{}, exec, kernel_label(Tag{}, label), work);
  }
}

}  // namespace Koalesce::Impl

#endif

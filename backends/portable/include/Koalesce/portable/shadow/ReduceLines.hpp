// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_SHADOW_REDUCE_LINES_HPP
#define KOALESCE_PORTABLE_SHADOW_REDUCE_LINES_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/portable/shadow/lines/DeviceLines.hpp>
#include <Koalesce/portable/shadow/lines/HostLines.hpp>

#include <cstdint>
#include <string>

namespace Koalesce::Impl::PortableBackend {

template <class Tag, class Exec, class Work>
void run_line_reduction(Tag, Exec const& exec, std::string const& label, Work const& work) {
  if constexpr (Backend::on_host<Exec>) reduce_lines_on_host(exec, label, work);
  else
    reduce_lines_on_device(Tag{}, exec, label, work,
                           DeviceLineTuning::threads_resident * std::int64_t(threads_of(exec)));
}

}  // namespace Koalesce::Impl::PortableBackend

#endif

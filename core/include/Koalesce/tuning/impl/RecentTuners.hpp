// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_RECENT_TUNERS_HPP
#define KOALESCE_TUNING_IMPL_RECENT_TUNERS_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/RecentValues.hpp>
#include <Koalesce/tuning/impl/SizeClass.hpp>
#include <Koalesce/tuning/impl/Tuner.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

namespace Koalesce::Impl {

/// LRU cache of a kernel's tuners, for one host thread: find_tuner() builds a key of texts and takes a lock.
/// \tparam Kind  a type whose values compare.
template <class Exec, class Kind = int>
class RecentTuners {
 public:
  /// \param[in] extents  three of them.
  /// \param[in] kind     what else the choice depends on, such as the data's alignment and the number of blocks.
  /// \param[in] choices  gives the TuningChoices.
  template <class Extents, class MakeChoices>
  std::shared_ptr<Tuner<Exec>> get(Exec const& exec, std::string const& label, Extents const& extents, Kind const& kind,
                                   MakeChoices const& choices) {
    auto const changes = TuningRegistry::instance().changes();
    return m_recent.get(Lookup(device_of(exec), size_classes(extents), kind, label, changes),
                        [&] { return find_tuner<Exec>(choices()); });
  }

 private:
  using Classes = std::array<int, 3>;
  using Key     = std::tuple<int, Classes, Kind, std::string, std::int64_t>;
  using Lookup  = std::tuple<int, Classes, Kind, std::string const&, std::int64_t>;

  RecentValues<Key, std::shared_ptr<Tuner<Exec>>, 16> m_recent;
};

}  // namespace Koalesce::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupOption.hpp"

#include <map>

namespace examples {

void add_regroup_option(CLI::App& app, Koalesce::Regroup& regroup, std::string const& help) {
  static std::map<std::string, Koalesce::Regroup> const names{{"never", Koalesce::Regroup::never},
                                                              {"automatic", Koalesce::Regroup::automatic},
                                                              {"always", Koalesce::Regroup::always}};
  app.add_option_function<std::string>(
         "--regroup", [&regroup](std::string const& name) { regroup = names.at(name); }, help)
      ->check(CLI::IsMember({"never", "automatic", "always"}))
      ->default_str("automatic");
}

}  // namespace examples

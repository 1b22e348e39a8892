#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost_model/result.h"
#include "cost_model/runtime.h"

namespace ndtune::profiles {

/// Reads runtimes.json: {"runtimes": [row, ...]}, a row's keys being the members of `Runtime`; "extends" names an earlier row
/// whose values are kept where the row says nothing. Errors name `where`, the row and the key.
Result<std::vector<Runtime>> parse_runtimes(std::string_view text, std::string_view where);

}  // namespace ndtune::profiles

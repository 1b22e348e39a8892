#pragma once

#include <functional>
#include <string_view>

#include "cost_model/device.h"
#include "cost_model/result.h"

namespace ndtune::profiles {

/// Looks up another device of the catalog by key, for `curves_from`.
using DeviceLookup = std::function<Result<Device>(std::string_view)>;

/// Reads a device file of the catalog (profiles/catalog/README.md describes the format): facts with units and grades;
/// curves are given, or taken from a measured relative and scaled by nominal peak and bandwidth (then they are `assumed`).
/// Errors name `where` and the key.
Result<Device> parse_device(std::string_view text, std::string_view where, const DeviceLookup& lookup);

}  // namespace ndtune::profiles

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost_model/cluster.h"
#include "cost_model/model.h"
#include "cost_model/result.h"
#include "cost_model/runtime.h"

namespace ndtune::profiles {

/// The catalog compiled into the program (profiles/catalog/*.json); NDTUNE_CATALOG names a folder to read instead.
/// Every look-up parses only the file it needs. Unknown names: Error not_found with the nearest names as a hint.
Result<Device> find_device(std::string_view name);
Result<Runtime> find_runtime(std::string_view name);
/// A preset's config.json text is read by read_model.
Result<Model> find_model(std::string_view name);
/// A named scale-out network, e.g. "infiniband-400g": replaces the outer tier of a cluster of that device.
Result<Tier> find_fabric(std::string_view name);

std::vector<std::string> device_names();
std::vector<std::string> runtime_names();
std::vector<std::string> model_names();
std::vector<std::string> fabric_names();

}  // namespace ndtune::profiles

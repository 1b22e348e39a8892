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
/// A named scale-out network, e.g. "infiniband-400g". Its bandwidth is 0 where the device's own NIC share applies, and that of
/// a whole node where the network is stated per node: with_fabric resolves both.
Result<Tier> find_fabric(std::string_view name);
/// Whether that network's bandwidth is a node's, shared by its devices. Errors as find_fabric.
Result<bool> fabric_is_per_node(std::string_view name);
/// The cluster with its outer tier on that network. A cluster whose scale-up domain joins all devices stays as it is.
/// Errors: unknown name; more devices than the network joins (nvlink-72).
Result<Cluster> with_fabric(Cluster cluster, std::string_view name);
/// make_cluster on the catalog's default network ("infiniband", the NICs of the device): what CLUSTER of the command line means
/// where it names no other. Errors: as make_cluster.
Result<Cluster> default_cluster(const Device& device, int nodes, int devices_per_node);
/// The catalog key of a device as people write it: "H100", "NVIDIA H100 SXM", "h100-sxm-80g", "H100:8"; empty if unknown.
std::string device_key(std::string_view name);

std::vector<std::string> device_names();
std::vector<std::string> runtime_names();
std::vector<std::string> model_names();
std::vector<std::string> fabric_names();

}  // namespace ndtune::profiles

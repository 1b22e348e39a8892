#pragma once

#include <string>
#include <string_view>

#include "cost_model/cluster.h"
#include "cost_model/result.h"

namespace ndtune::profiles {

/// `NxGxDEVICE` ("16x8xh100-sxm"; `GxDEVICE` is one node). An optional "@FABRIC" names the scale-out network.
Result<Cluster> parse_cluster_shorthand(std::string_view text);

/// A cluster described in TOML or YAML (told apart by `where`'s ending; `tier` is a list of tables):
///   device = "h100-sxm"               catalog key, or [device] name, memory, hbm, link, nic to differ from the catalog
///   nodes, devices_per_node           1 and the device's own
///   fabric = "ethernet-100g"          a network of the catalog for the outer tier
///   [[tier]] name, fabric, topology, spans, bandwidth, latency, oversubscription, efficiency, decay    inner to outer
///   order = ["dp_replicate", "dp_shard", "cp", "tp"]    outermost first
///   [price] per_device_hour = "$2.49"
/// Each table may carry source and provenance. Unknown keys, missing units, sizes below 1: Error with line or key.
Result<Cluster> parse_cluster_file(std::string_view text, std::string_view where);

/// CLUSTER of the command line: shorthand or a path.
Result<Cluster> read_cluster(const std::string& shorthand_or_path);

}  // namespace ndtune::profiles

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cost_model/result.h"

namespace ndtune::search {

/// The batch nearest to `wanted` that divides evenly over data-parallel ranks of a cluster of `devices`, changed by at most
/// `tolerance` of it; `wanted` itself if it needs no change or no such batch exists.
std::int64_t suitable_batch(std::int64_t wanted, std::int64_t devices, double tolerance);

/// One size of cluster to consider.
struct ClusterSize {
    int nodes = 1;
    int devices_per_node = 1;

    bool operator==(const ClusterSize&) const = default;
};

/// Cluster sizes from `low` to `high` devices, ascending: parts of a node (powers of two), then whole nodes: all of them if they
/// are at most `most`, else 1, 2, .. evenly spaced between powers of two (16, 18, 20 .. 32, 36 ..), as dense as `most` allows.
/// Errors: sizes below 1, low above high, nothing in between.
Result<std::vector<ClusterSize>> cluster_sizes(std::int64_t low, std::int64_t high, int devices_per_node, std::size_t most = 60);

}  // namespace ndtune::search

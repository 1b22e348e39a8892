#pragma once

#include "cost_model/estimate.h"
#include "cost_model/ops.h"

namespace ndtune {

/// Where the ranks of one group sit: how many in one scale-up domain, over how many domains, up to which tier.
struct GroupPlacement {
    int ranks = 1;       ///< n
    int per_domain = 1;  ///< q, ranks of the group inside tiers[0]
    int domains = 1;     ///< k = n/q
    int outer_tier = 0;  ///< index of the outermost tier that the group crosses

    bool operator==(const GroupPlacement&) const = default;
};

/// The placement that follows from the mesh order: an axis meets a tier after all axes inside it.
GroupPlacement place(const Cluster& cluster, const Mesh& mesh, Group group);

/// Time of one collective over `placement`; `bytes` is the full (gathered) volume. Zero for one rank.
/// Inside a domain: alpha + V/B + gamma sqrt(V). Across: a ring; an all-reduce takes the better of ring and hierarchy (a tree
/// over the domains, pipelined with the all-reduce inside each). q ranks of the group in a domain drive q NICs.
Seconds collective_time(const Cluster& cluster, const GroupPlacement& placement, Collective kind, double bytes);

/// One hop of a ring exchange: bytes to the neighbour over the slowest link crossed, latency apart.
Seconds exchange_time(const Cluster& cluster, const GroupPlacement& placement, double bytes);

/// The weakest number behind a collective over `placement`.
Provenance provenance(const Cluster& cluster, const GroupPlacement& placement, Collective kind);

}  // namespace ndtune

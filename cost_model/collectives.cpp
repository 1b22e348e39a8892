#include "cost_model/collectives.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cost_model/compute.h"

namespace ndtune {
namespace {

/// A collective that leaves the domain still crosses it: at most this share of the scale-up link (ring through all local ranks).
/// Assumed.
constexpr double kDomainShare = 0.8;
/// Point-to-point exchange reaches this share of a scale-up link (NVLink send/recv against its nominal rate). Assumed.
constexpr double kExchangeShare = 0.6;
/// All-to-all across nodes: NIC efficiency 1 - 0.44/k, k the domains. Assumed; no op list holds one before expert parallelism.
constexpr double kAllToAllLoss = 0.44;
/// A domain without a measured curve: share of the nominal link. Assumed: the measured NVLink curves lie about there.
constexpr double kUnmeasuredShare = 0.7;

bool in_group(Axis axis, Group group) {
    switch (group) {
        case Group::replicate: return axis == Axis::dp_replicate;
        case Group::shard: return axis == Axis::dp_shard || axis == Axis::cp;
        case Group::cp: return axis == Axis::cp;
        case Group::tp: return axis == Axis::tp;
        case Group::data: return axis != Axis::tp;
        case Group::none: return false;
    }
    return false;
}

std::size_t curve_index(int ranks) {
    return ranks <= 2 ? 0 : ranks <= 5 ? 1 : 2;
}

/// Slowest link that the group crosses outside its domain: bytes/s per device.
double nic_bandwidth(const Cluster& cluster, const GroupPlacement& p) {
    double slowest = 0;
    for (int i = 1; i <= p.outer_tier; ++i) {
        const Tier& tier = cluster.tiers[static_cast<std::size_t>(i)];
        double b = tier.bandwidth.value * tier.efficiency / tier.oversubscription;
        if (tier.decay > 0) b *= std::pow(p.domains, -tier.decay);
        slowest = slowest == 0 ? b : std::min(slowest, b);
    }
    return slowest;
}

double within_domain(const Cluster& cluster, int ranks, Collective kind, double bytes) {
    const Tier& tier = cluster.tiers.front();
    const CollectiveCurve& c = cluster.device.collectives[static_cast<std::size_t>(kind)][curve_index(ranks)];
    if (c.bandwidth.value > 0) {
        return (c.alpha.value + bytes / c.bandwidth.value + c.gamma * std::sqrt(bytes)) / tier.efficiency;
    }
    const double n = ranks, passes = kind == Collective::all_reduce ? 2 : 1;
    return passes * ((n - 1) * tier.latency.value + bytes * (n - 1) / n / (kUnmeasuredShare * tier.bandwidth.value));
}

/// NCCL's ring: every byte passes every rank; k - 1 hops cross domains, the others stay inside.
double ring(const Cluster& cluster, const GroupPlacement& p, double alpha, double nic, double passes, double bytes) {
    const double n = p.ranks, k = p.domains;
    const Tier& inner = cluster.tiers.front();
    const double hop = cluster.tiers[static_cast<std::size_t>(p.outer_tier)].latency.value;
    const double flat = std::min(p.per_domain * nic, kDomainShare * inner.bandwidth.value);
    return alpha + passes * ((k - 1) * hop + (n - k) * inner.latency.value + bytes * (n - 1) / n / flat);
}

/// Double binary tree over the domains, pipelined with the all-reduce inside each: a NIC carries its q-th part twice.
double tree(const Cluster& cluster, const GroupPlacement& p, double alpha, double nic, double bytes) {
    const double k = p.domains;
    const double hop = cluster.tiers[static_cast<std::size_t>(p.outer_tier)].latency.value;
    const double inside = p.per_domain > 1 ? within_domain(cluster, p.per_domain, Collective::all_reduce, bytes) - alpha : 0;
    const double outside = 2 * bytes * (k - 1) / k / (p.per_domain * nic);
    return alpha + 2 * std::log2(k) * hop + overlap_max(std::max(0.0, inside), outside);
}

double across_domains(const Cluster& cluster, const GroupPlacement& p, Collective kind, double bytes) {
    const CollectiveCurve& curve = cluster.device.collectives[static_cast<std::size_t>(kind)][curve_index(p.per_domain)];
    const double nic = nic_bandwidth(cluster, p), alpha = curve.alpha.value, k = p.domains;
    if (kind == Collective::all_to_all) {
        const double hop = cluster.tiers[static_cast<std::size_t>(p.outer_tier)].latency.value;
        return alpha + hop * std::log2(k) + bytes * (k - 1) / k / (nic * (1 - kAllToAllLoss / k));
    }
    if (kind != Collective::all_reduce) return ring(cluster, p, alpha, nic, 1, bytes);
    return std::min(ring(cluster, p, alpha, nic, 2, bytes), tree(cluster, p, alpha, nic, bytes));
}

}  // namespace

GroupPlacement place(const Cluster& cluster, const Mesh& mesh, Group group) {
    GroupPlacement p;
    int reach = 1;  // ranks from the first to the last of the group, in rank order
    std::int64_t stride = 1;
    const int domain = cluster.tiers.front().span;
    for (std::size_t i = cluster.order.size(); i-- > 0;) {
        const Axis axis = cluster.order[i];
        const int n = mesh.along(axis);
        if (in_group(axis, group) && n > 1) {
            // Where n does not fill the rest of a domain evenly, some group lies across two: the part they all have in one
            // counts.
            const std::int64_t room = domain % stride == 0 ? domain / stride : 1;
            p.per_domain *= static_cast<int>(std::gcd<std::int64_t>(n, room));
            p.ranks *= n;
            reach = static_cast<int>(stride * n);
        }
        stride *= n;
    }
    p.domains = (p.ranks + p.per_domain - 1) / p.per_domain;
    while (p.outer_tier + 1 < static_cast<int>(cluster.tiers.size()) &&
           (p.outer_tier == 0 ? p.domains > 1 : cluster.tiers[static_cast<std::size_t>(p.outer_tier)].span % reach != 0)) {
        ++p.outer_tier;
    }
    return p;
}

Seconds collective_time(const Cluster& cluster, const GroupPlacement& p, Collective kind, double bytes) {
    if (p.ranks <= 1) return Seconds{};
    if (kind == Collective::send_recv) return exchange_time(cluster, p, bytes);
    if (p.domains <= 1) return Seconds{within_domain(cluster, p.ranks, kind, bytes)};
    return Seconds{across_domains(cluster, p, kind, bytes)};
}

Seconds exchange_time(const Cluster& cluster, const GroupPlacement& p, double bytes) {
    if (p.ranks <= 1) return Seconds{};
    if (p.domains <= 1) return Seconds{bytes / (kExchangeShare * cluster.tiers.front().bandwidth.value)};
    return Seconds{bytes / nic_bandwidth(cluster, p)};
}

Provenance provenance(const Cluster& cluster, const GroupPlacement& p, Collective kind) {
    if (p.ranks <= 1) return Provenance::exact;
    if (p.domains > 1) return cluster.tiers[static_cast<std::size_t>(p.outer_tier)].provenance;
    const CollectiveCurve& c = cluster.device.collectives[static_cast<std::size_t>(kind)][curve_index(p.ranks)];
    return c.bandwidth.value > 0 ? c.provenance : cluster.tiers.front().provenance;
}

}  // namespace ndtune

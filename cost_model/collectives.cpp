#include "cost_model/collectives.h"

#include <algorithm>
#include <cmath>

namespace ndtune {
namespace {

/// A collective that leaves the domain still crosses it: at most this share of the scale-up link (ring through all local ranks).
constexpr double kDomainShare = 0.8;
/// Point-to-point exchange reaches this share of a scale-up link (NVLink send/recv against its nominal rate).
constexpr double kExchangeShare = 0.6;
/// All-to-all across nodes: NIC efficiency 1 - 0.44/k (cost-model.md d5).
constexpr double kAllToAllLoss = 0.44;
/// A domain without a measured curve: share of the nominal link, latency of a hop.
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

double across_domains(const Cluster& cluster, const GroupPlacement& p, Collective kind, double bytes) {
    const CollectiveCurve& curve = cluster.device.collectives[static_cast<std::size_t>(kind)][curve_index(p.per_domain)];
    const double n = p.ranks, q = p.per_domain, k = p.domains;
    const double hop = cluster.tiers[static_cast<std::size_t>(p.outer_tier)].latency.value;
    const double nic = nic_bandwidth(cluster, p), alpha = curve.alpha.value;
    if (kind == Collective::all_to_all) {
        return alpha + hop * std::log2(k) + bytes * (k - 1) / k / (nic * (1 - kAllToAllLoss / k));
    }
    const double domain = kDomainShare * cluster.tiers.front().bandwidth.value;
    const double flat = std::min(q * nic, domain);
    const double volume = bytes * (n - 1) / n / flat;
    if (kind != Collective::all_reduce) return alpha + (k - 1) * hop + volume;
    // Ring and double binary tree move the same bytes and differ in hops. Hierarchical: reduce-scatter in the domain, all-reduce
    // of the q-th part across, all-gather in the domain.
    const double ring_or_tree = alpha + std::min(2 * (k - 1), 2 * std::log2(k)) * hop + 2 * volume;
    if (q <= 1) return ring_or_tree;
    const double inside = within_domain(cluster, p.per_domain, Collective::reduce_scatter, bytes) +
                          within_domain(cluster, p.per_domain, Collective::all_gather, bytes);
    const double outside = 2 * std::log2(k) * hop + 2 * bytes / q * (k - 1) / k / nic;
    return std::min(ring_or_tree, inside + outside);
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
            const auto room = std::max<std::int64_t>(1, domain / stride);
            p.per_domain *= static_cast<int>(std::min<std::int64_t>(n, room));
            p.ranks *= n;
            reach = static_cast<int>(stride * n);
        }
        stride *= n;
    }
    p.domains = (p.ranks + p.per_domain - 1) / p.per_domain;
    while (p.outer_tier + 1 < static_cast<int>(cluster.tiers.size()) &&
           (p.outer_tier == 0 ? p.domains > 1 : cluster.tiers[static_cast<std::size_t>(p.outer_tier)].span < reach)) {
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

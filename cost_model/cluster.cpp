#include "cost_model/cluster.h"

#include <fmt/format.h>

#include <algorithm>

namespace ndtune {
namespace {

constexpr std::int64_t kMostDevices = 1'048'576;

// Latency of a hop inside a node, for rings without a curve: a few times an NVLink or PCIe write (assumed).
constexpr Seconds kScaleUpLatency{3e-6};
// Scale-out hop and the fall of bandwidth with the number of nodes, for devices that no catalog describes: priors of the fit
// on published training runs. Clusters of the command line take the fitted values of profiles/catalog/fabrics/infiniband.json.
constexpr Seconds kScaleOutLatency{14e-6};
constexpr double kScaleOutDecay = 0.043;

// Devices joined by the scale-up link. A rack-scale link (scale_up beyond the device's own node) crosses nodes: whole nodes
// of a rack, spread evenly over the racks where that leaves at least half of each in use (512 of NVL72 = 8 racks of 64).
int scale_up_span(const Device& device, int nodes, int devices_per_node) {
    if (device.scale_up <= device.devices_per_node)
        return device.scale_up > 1 ? std::min(device.scale_up, devices_per_node) : devices_per_node;
    const int rack = std::max(1, device.scale_up / devices_per_node);
    if (nodes <= rack) return nodes * devices_per_node;
    for (int used = rack; used * 2 >= rack; --used)
        if (nodes % used == 0) return used * devices_per_node;
    return rack * devices_per_node;
}

}  // namespace

std::string_view to_string(Axis axis) {
    switch (axis) {
        case Axis::dp_replicate: return "dp_replicate";
        case Axis::dp_shard: return "dp_shard";
        case Axis::cp: return "cp";
        case Axis::tp: return "tp";
    }
    return "?";
}

Result<Cluster> make_cluster(const Device& device, int nodes, int devices_per_node) {
    if (nodes < 1 || devices_per_node < 1) {
        return bad_input(fmt::format("a cluster of {} nodes x {} devices has no device", nodes, devices_per_node), {},
                         "both numbers must be at least 1, e.g. 2x8xh100-sxm");
    }
    Cluster cluster;
    cluster.device = device;
    cluster.nodes = nodes;
    cluster.devices_per_node = devices_per_node;
    const std::int64_t total = cluster.devices();
    if (total > kMostDevices) {
        return bad_input(
            fmt::format("{} nodes x {} devices = {} devices, more than {}", nodes, devices_per_node, total, kMostDevices), {},
            "check the number of nodes");
    }
    cluster.name = nodes == 1 ? fmt::format("{}x{}", devices_per_node, device.name)
                              : fmt::format("{}x{}x{}", nodes, devices_per_node, device.name);
    Tier inner;
    inner.name = device.scale_up > 1 ? "scale-up" : "host";
    inner.span = scale_up_span(device, nodes, devices_per_node);
    inner.bandwidth = device.link.value;
    inner.latency = kScaleUpLatency;
    inner.provenance = device.link.provenance;
    cluster.tiers.push_back(inner);
    if (inner.span < total) {
        Tier outer;
        outer.name = "scale-out";
        outer.span = static_cast<int>(total);
        outer.bandwidth = device.nic.value;
        outer.latency = kScaleOutLatency;
        outer.decay = kScaleOutDecay;
        outer.provenance = device.nic.provenance;
        cluster.tiers.push_back(outer);
    }
    return cluster;
}

}  // namespace ndtune

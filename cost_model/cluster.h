#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/device.h"
#include "cost_model/result.h"

namespace ndtune {

/// One level of the network. tiers[0] is the scale-up domain, the last one joins the whole cluster.
struct Tier {
    std::string name;
    int span = 1;              ///< consecutive devices joined at this level
    BytesPerSecond bandwidth;  ///< per device, one direction, before oversubscription
    Seconds latency;           ///< of one hop at this level
    double oversubscription = 1.0;
    double efficiency = 1.0;  ///< reached share of bandwidth
    double decay = 0.0;       ///< bandwidth falls as (units joined)^-decay
    Provenance provenance = Provenance::assumed;

    bool operator==(const Tier&) const = default;
};

enum class Axis : std::uint8_t { dp_replicate, dp_shard, cp, tp };
constexpr std::array<Axis, 4> kAxes = {Axis::dp_replicate, Axis::dp_shard, Axis::cp, Axis::tp};
std::string_view to_string(Axis axis);

/// A machine: `nodes` x `devices_per_node` equal devices. Rank order places `order[0]` outermost, `order[3]` innermost.
struct Cluster {
    std::string name;  ///< the shorthand or the file's name
    Device device;
    int nodes = 1;
    int devices_per_node = 1;
    std::vector<Tier> tiers;  ///< inner to outer; at least one
    std::array<Axis, 4> order = kAxes;
    Graded<Dollars> price_per_device_hour{};  ///< 0 = not stated

    [[nodiscard]] std::int64_t devices() const { return std::int64_t{nodes} * devices_per_node; }
    bool operator==(const Cluster&) const = default;
};

/// The default tiers of `nodes` x `devices_per_node` of a device: its scale-up domain, then its NICs.
/// Errors: sizes below 1, more than 1,048,576 devices.
Result<Cluster> make_cluster(const Device& device, int nodes, int devices_per_node);

}  // namespace ndtune

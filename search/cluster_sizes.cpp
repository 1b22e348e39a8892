#include "search/cluster_sizes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ndtune::search {
namespace {

// Node counts from low to high with `steps` (a power of two) sizes between powers of two: below `steps` every count.
std::vector<std::int64_t> stepped(std::int64_t low, std::int64_t high, std::int64_t steps) {
    std::vector<std::int64_t> counts;
    std::int64_t stride = 1;
    for (std::int64_t nodes = 1; nodes <= high; nodes += stride) {
        while (nodes >= 2 * steps * stride) stride *= 2;
        if (nodes >= low) counts.push_back(nodes);
    }
    return counts;
}

}  // namespace

Result<std::vector<ClusterSize>> cluster_sizes(std::int64_t low, std::int64_t high, int devices_per_node, std::size_t most) {
    constexpr std::int64_t kMostDevices = 1 << 20;
    if (low < 1 || high < low || high > kMostDevices || devices_per_node < 1 || most < 1) {
        return bad_input(fmt::format("no cluster has {} to {} devices, {} to a node", low, high, devices_per_node), "gpus",
                         "a range reads like 8:4096");
    }
    std::vector<ClusterSize> sizes;
    for (std::int64_t part = 1; part < devices_per_node && part <= high; part *= 2) {
        if (part >= low) sizes.push_back({1, static_cast<int>(part)});
    }
    const std::int64_t first = (low + devices_per_node - 1) / devices_per_node;
    const std::int64_t last = high / devices_per_node;
    const std::size_t room = most > sizes.size() ? most - sizes.size() : 1;
    std::vector<std::int64_t> counts;
    for (std::int64_t steps = kMostDevices; steps >= 1; steps /= 2) {
        counts = stepped(first, last, steps);
        if (counts.size() <= room) break;
    }
    for (const std::int64_t nodes : counts) sizes.push_back({static_cast<int>(nodes), devices_per_node});
    if (sizes.empty()) {
        return bad_input(fmt::format("no whole number of nodes of {} lies within {} to {} devices", devices_per_node, low, high),
                         "gpus", fmt::format("widen the range to a multiple of {}", devices_per_node));
    }
    return sizes;
}

std::int64_t suitable_batch(std::int64_t wanted, std::int64_t devices, double tolerance) {
    // Devices / 2^k data-parallel ranks leave 2^k for tp and cp; beyond 64 the model would be cut too fine to be worth a change.
    constexpr std::int64_t kMostModelParallel = 64;
    for (std::int64_t inner = 1; inner <= kMostModelParallel && devices % inner == 0; inner *= 2) {
        const std::int64_t ranks = devices / inner;
        const std::int64_t batch = std::max<std::int64_t>(1, (wanted + ranks / 2) / ranks) * ranks;
        if (std::abs(static_cast<double>(batch - wanted)) <= tolerance * static_cast<double>(wanted)) return batch;
    }
    return wanted;
}

}  // namespace ndtune::search

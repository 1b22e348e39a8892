#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profiles/cluster_file.h"

namespace {

// A cluster whose tiers join all devices, or a sentence that says why not.
void check(const ndtune::Result<ndtune::Cluster>& cluster) {
    if (!cluster) {
        if (cluster.error().message.empty()) __builtin_trap();
        return;
    }
    if (cluster->tiers.empty() || cluster->tiers.back().span != cluster->devices()) __builtin_trap();
    for (const ndtune::Tier& tier : cluster->tiers) {
        if (!(tier.bandwidth.value > 0) || !(tier.latency.value >= 0) || tier.span < 1) __builtin_trap();
    }
}

}  // namespace

// The three readers of clusters, each on the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check(ndtune::profiles::parse_cluster_file(text, "x.toml"));
    check(ndtune::profiles::parse_cluster_file(text, "x.yaml"));
    check(ndtune::profiles::parse_cluster_shorthand(text));
    return 0;
}

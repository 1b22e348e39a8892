#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profiles/cluster_file.h"

// The first byte chooses the reader. Whatever the rest: a cluster whose tiers join all devices, or a sentence that says why not.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    ndtune::Result<ndtune::Cluster> cluster = [&] {
        switch (data[0] % 3) {
            case 0: return ndtune::profiles::parse_cluster_file(text, "x.toml");
            case 1: return ndtune::profiles::parse_cluster_file(text, "x.yaml");
            default: return ndtune::profiles::parse_cluster_shorthand(text);
        }
    }();
    if (!cluster) {
        if (cluster.error().message.empty()) __builtin_trap();
        return 0;
    }
    if (cluster->tiers.empty() || cluster->tiers.back().span != cluster->devices()) __builtin_trap();
    for (const ndtune::Tier& tier : cluster->tiers) {
        if (!(tier.bandwidth.value > 0) || !(tier.latency.value >= 0) || tier.span < 1) __builtin_trap();
    }
    return 0;
}

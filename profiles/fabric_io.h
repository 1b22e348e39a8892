#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost_model/cluster.h"
#include "cost_model/result.h"

namespace ndtune::profiles {

/// A scale-out network of the catalog.
struct Fabric {
    Tier tier;              ///< span unset; bandwidth 0 = the device's own NIC share
    bool per_node = false;  ///< the bandwidth is that of a node, shared by its devices
    int most_devices = 1'048'576;

    bool operator==(const Fabric&) const = default;
};

/// Reads a file of profiles/catalog/fabrics. Errors name `where` and the key.
Result<Fabric> parse_fabric(std::string_view text, std::string_view where);

/// Another name of a device.
struct Alias {
    std::string alias;
    std::string key;

    bool operator==(const Alias&) const = default;
};

/// Reads device_aliases.json: {"h100-sxm": ["h100", ...], ...}.
Result<std::vector<Alias>> parse_aliases(std::string_view text, std::string_view where);

}  // namespace ndtune::profiles

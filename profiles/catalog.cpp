#include "profiles/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/catalog_files.h"
#include "profiles/device_io.h"
#include "profiles/fabric_io.h"
#include "profiles/runtime_io.h"

namespace ndtune::profiles {
namespace {

constexpr std::size_t kLongestName = 80;
constexpr std::string_view kDefaultFabric = "infiniband";

// Lower case, words joined by '-', no count ("H100:8") and no vendor in front.
std::string normalized(std::string_view name) {
    name = name.substr(0, std::min({name.find(':'), kLongestName, name.size()}));
    std::string out;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z')
            out += static_cast<char>(c - 'A' + 'a');
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.')
            out += c;
        else if ((c == '-' || c == '_' || c == ' ') && !out.empty() && out.back() != '-')
            out += '-';
    }
    while (!out.empty() && out.back() == '-') out.pop_back();
    for (const std::string_view vendor : {"nvidia-", "amd-", "intel-", "instinct-", "geforce-", "tesla-"})
        if (out.starts_with(vendor)) out.erase(0, vendor.size());
    return out;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::binary_search(names.begin(), names.end(), name);
}

tl::unexpected<Error> unknown(std::string_view what, std::string_view name, const std::vector<std::string>& names) {
    const std::string near = nearest_names(normalized(name), names);
    return tl::unexpected(Error{ErrorCode::not_found,
                                fmt::format("the catalog has no {} '{}'", what, name.substr(0, kLongestName)),
                                {},
                                near.empty()
                                    ? fmt::format("ndtune catalog lists them; a first one is {}", names.empty() ? "-" : names[0])
                                    : fmt::format("did you mean {}?", near)});
}

// A device whose curves come from a relative needs that relative's file too, which may take its collectives from a third.
Result<Device> load_device(std::string_view key, int depth) {
    const std::string path = fmt::format("devices/{}.json", key);
    const auto text = catalog_text(path);
    if (!text) return tl::unexpected(text.error());
    return parse_device(*text, "catalog " + path, [depth](std::string_view relative) -> Result<Device> {
        if (depth > 1) return bad_input("the chain of relatives is longer than two");
        if (normalized(relative) != relative) return bad_input(fmt::format("'{}' is not a catalog key", relative));
        return load_device(relative, depth + 1);
    });
}

std::vector<Alias> device_aliases() {
    return catalog_text("device_aliases.json")
        .and_then([](const std::string& text) { return parse_aliases(text, "catalog device_aliases.json"); })
        .value_or(std::vector<Alias>{});
}

Result<std::vector<Runtime>> load_runtimes() {
    const auto text = catalog_text("runtimes.json");
    if (!text) return tl::unexpected(text.error());
    return parse_runtimes(*text, "catalog runtimes.json");
}

Result<Fabric> load_fabric(std::string_view name) {
    const std::string key = normalized(name);
    const auto names = fabric_names();
    if (!contains(names, key)) return unknown("network", name, names);
    const std::string path = fmt::format("fabrics/{}.json", key);
    const auto text = catalog_text(path);
    if (!text) return tl::unexpected(text.error());
    return parse_fabric(*text, "catalog " + path);
}

// Puts the outer tier, if there is one, on the network.
void join(Cluster& cluster, const Fabric& fabric) {
    if (cluster.tiers.size() < 2) return;
    Tier tier = fabric.tier;
    tier.span = cluster.tiers.back().span;
    if (tier.bandwidth.value <= 0) {
        tier.bandwidth = cluster.device.nic.value;
        tier.provenance = weakest(tier.provenance, cluster.device.nic.provenance);
    } else if (fabric.per_node) {
        tier.bandwidth = tier.bandwidth / cluster.devices_per_node;
    }
    cluster.tiers.back() = tier;
}

}  // namespace

std::string device_key(std::string_view name) {
    std::string key = normalized(name);
    if (contains(device_names(), key)) return key;
    const auto aliases = device_aliases();
    const auto found = std::find_if(aliases.begin(), aliases.end(), [&](const Alias& a) { return a.alias == key; });
    return found == aliases.end() ? std::string() : found->key;
}

Result<Device> find_device(std::string_view name) {
    const std::string key = device_key(name);
    if (!key.empty()) return load_device(key, 0);
    auto names = device_names();
    for (const Alias& alias : device_aliases()) names.push_back(alias.alias);
    return unknown("device", name, names);
}

Result<Runtime> find_runtime(std::string_view name) {
    const auto rows = load_runtimes();
    if (!rows) return tl::unexpected(rows.error());
    const std::string key = normalized(name);
    for (const Runtime& row : *rows)
        if (row.name == key) return row;
    return unknown("runtime", name, runtime_names());
}

Result<Tier> find_fabric(std::string_view name) {
    return load_fabric(name).map([](const Fabric& fabric) { return fabric.tier; });
}

Result<bool> fabric_is_per_node(std::string_view name) {
    return load_fabric(name).map([](const Fabric& fabric) { return fabric.per_node; });
}

Result<Cluster> with_fabric(Cluster cluster, std::string_view name) {
    const auto fabric = load_fabric(name);
    if (!fabric) return tl::unexpected(fabric.error());
    if (cluster.devices() > fabric->most_devices) {
        return bad_input(fmt::format("{} joins at most {} devices, the cluster has {}", fabric->tier.name, fabric->most_devices,
                                     cluster.devices()),
                         {}, "choose another network");
    }
    cluster.name += fmt::format("@{}", fabric->tier.name);
    join(cluster, *fabric);
    return cluster;
}

Result<Cluster> default_cluster(const Device& device, int nodes, int devices_per_node) {
    auto cluster = make_cluster(device, nodes, devices_per_node);
    if (!cluster || cluster->tiers.size() < 2) return cluster;
    const auto fabric = load_fabric(kDefaultFabric);
    if (!fabric) return tl::unexpected(fabric.error());
    join(*cluster, *fabric);
    return cluster;
}

std::vector<std::string> device_names() {
    return catalog_keys("devices");
}

std::vector<std::string> fabric_names() {
    return catalog_keys("fabrics");
}

std::vector<std::string> model_names() {
    return catalog_keys("models");
}

std::vector<std::string> runtime_names() {
    std::vector<std::string> names;
    if (const auto rows = load_runtimes())
        for (const Runtime& row : *rows) names.push_back(row.name);
    return names;
}

}  // namespace ndtune::profiles

#include "profiles/fabric_io.h"

#include <fmt/format.h>

#include "cost_model/quantity.h"
#include "profiles/json_object.h"

namespace ndtune::profiles {

Result<Fabric> parse_fabric(std::string_view text, std::string_view where) {
    const auto json = parse_json(text, where);
    if (!json) return tl::unexpected(json.error());
    std::optional<Error> failure;
    JsonObject file(*json, std::string(where), failure);
    Fabric fabric;
    Tier& tier = fabric.tier;
    std::string ignored;
    std::string per;
    Provenance bandwidth = Provenance::exact;
    Provenance latency = Provenance::exact;
    Provenance efficiency = Provenance::exact;
    Provenance decay = Provenance::exact;
    file.text("name", tier.name);
    file.text("title", ignored);
    file.text("source", ignored);
    file.quantity("bandwidth", parse_bandwidth, tier.bandwidth, &bandwidth);
    file.quantity("latency", parse_duration, tier.latency, &latency);
    file.graded_number("efficiency", tier.efficiency, &efficiency);
    file.graded_number("decay", tier.decay, &decay);
    file.graded_number("oversubscription", tier.oversubscription, nullptr);
    file.text("per", per);
    file.count("most_devices", fabric.most_devices);
    file.finish();
    if (tier.name.empty()) file.fail("name", "the name is missing");
    if (!per.empty() && per != "device" && per != "node") file.fail("per", "bandwidth is per device or per node");
    if (tier.efficiency <= 0 || tier.efficiency > 2) file.fail("efficiency", "the factor must be above 0 and at most 2");
    if (tier.oversubscription < 1) file.fail("oversubscription", "the factor must be at least 1");
    if (tier.decay < 0 || tier.decay > 1) file.fail("decay", "the exponent must be from 0 to 1");
    if (failure) return tl::unexpected(*failure);
    fabric.per_node = per == "node";
    tier.provenance = weakest(weakest(bandwidth, latency), weakest(efficiency, decay));
    return fabric;
}

Result<std::vector<Alias>> parse_aliases(std::string_view text, std::string_view where) {
    const auto json = parse_json(text, where);
    if (!json) return tl::unexpected(json.error());
    if (!json->is_object()) return bad_input("this must be an object {...}", std::string(where));
    std::optional<Error> failure;
    JsonObject file(*json, std::string(where), failure);
    std::vector<Alias> out;
    for (const auto& [key, list] : json->items()) {
        std::vector<std::string> names;
        file.texts(key, names);
        for (std::string& name : names) out.push_back({std::move(name), key});
    }
    if (failure) return tl::unexpected(*failure);
    return out;
}

}  // namespace ndtune::profiles

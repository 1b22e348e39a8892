#include "profiles/cluster_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cost_model/quantity.h"
#include "profiles/catalog.h"
#include "profiles/config_tree.h"
#include "profiles/text_file.h"

namespace ndtune::profiles {
namespace {

constexpr std::int64_t kLargestFile = std::int64_t{4} << 20;
constexpr std::size_t kMostTiers = 8;

bool ends_in(std::string_view text, std::string_view ending) {
    return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

bool is_yaml(std::string_view where) {
    return ends_in(where, ".yaml") || ends_in(where, ".yml");
}

void scale_link(Device& device, double ratio) {
    for (auto& op : device.collectives) {
        for (CollectiveCurve& curve : op) {
            curve.bandwidth = curve.bandwidth * ratio;
            curve.gamma /= std::sqrt(ratio);
            curve.provenance = Provenance::assumed;
        }
    }
}

// A part that differs from the catalog's in memory, bandwidth or link: its curves follow in proportion, as `assumed`.
void override_device(ConfigTable& table, Device& device) {
    std::string ignored;
    Provenance grade = Provenance::assumed;
    table.provenance("provenance", grade);
    table.text("source", ignored);
    const BytesPerSecond hbm = device.hbm.value;
    const BytesPerSecond link = device.link.value;
    const auto take = [&](std::string_view key, auto parse, auto& graded) {
        if (!table.has(key)) return table.quantity(key, parse, graded.value);
        table.quantity(key, parse, graded.value);
        graded.provenance = grade;
        if (graded.value.value <= 0) table.fail(key, "the value must be above 0");
    };
    take("memory", parse_bytes, device.memory);
    take("hbm", parse_bandwidth, device.hbm);
    take("link", parse_bandwidth, device.link);
    take("nic", parse_bandwidth, device.nic);
    table.text("title", device.title);
    table.finish();
    if (table.failed()) return;
    if (device.hbm.value != hbm) {
        for (GemmCurve& curve : device.gemm) {
            curve.bandwidth = curve.bandwidth * (device.hbm.value / hbm);
            curve.provenance = Provenance::assumed;
        }
    }
    if (device.link.value != link) scale_link(device, device.link.value / link);
}

void read_device(ConfigTable& file, Device& device) {
    const auto look_up = [&](ConfigTable& table, std::string_view key) {
        std::string name;
        table.text(key, name);
        if (name.empty()) return table.fail(key, "the device is missing", "name one of the catalog, e.g. device = \"h100-sxm\"");
        auto found = find_device(name);
        if (!found) return table.fail(key, found.error().message, found.error().hint);
        device = std::move(*found);
    };
    if (!file.is_table("device")) return look_up(file, "device");
    if (auto table = file.table("device")) {
        look_up(*table, "name");
        if (!file.failed()) override_device(*table, device);
    }
}

// A topology with full bisection costs what its bandwidth says; others would need a model of their links.
void check_topology(ConfigTable& table) {
    std::string topology;
    table.text("topology", topology);
    if (topology.empty() || topology == "switch" || topology == "fat-tree" || topology == "rail-fat-tree") return;
    table.fail("topology", fmt::format("the topology '{}' is not modelled", topology),
               "use switch, fat-tree or rail-fat-tree, with oversubscription where links are shared");
}

// Spans left out: the innermost of several tiers joins the scale-up domain, the outermost everything.
void read_tier(ConfigTable& table, const Cluster& cluster, bool inner, bool outer, Tier& tier) {
    const int total = static_cast<int>(cluster.devices());
    tier = inner && !outer ? cluster.tiers.front() : cluster.tiers.back();
    tier.oversubscription = 1;
    std::string fabric;
    std::string ignored;
    table.text("fabric", fabric);
    if (!fabric.empty()) {
        auto named = with_fabric(cluster, fabric);
        if (!named) return table.fail("fabric", named.error().message, named.error().hint);
        tier = named->tiers.back();
    }
    tier.span = outer ? total : inner ? cluster.tiers.front().span : 0;
    const bool stated = table.has("bandwidth") || table.has("latency") || table.has("efficiency");
    if (stated) tier.provenance = Provenance::assumed;
    check_topology(table);
    table.text("name", tier.name);
    table.count("spans", tier.span);
    table.quantity("bandwidth", parse_bandwidth, tier.bandwidth);
    table.quantity("latency", parse_duration, tier.latency);
    table.number("oversubscription", tier.oversubscription, 1, 1000);
    table.number("efficiency", tier.efficiency, 0.01, 2);
    table.number("decay", tier.decay, 0, 1);
    table.provenance("provenance", tier.provenance);
    table.text("source", ignored);
    table.finish();
    if (tier.bandwidth.value <= 0) table.fail("bandwidth", "the bandwidth must be above 0");
    if (tier.span < 1) table.fail("spans", "a tier between the inner and the outer one must say how many devices it spans");
    if (tier.span > total) table.fail("spans", fmt::format("the tier spans {} devices, the cluster has {}", tier.span, total));
}

void read_tiers(ConfigTable& file, Cluster& cluster) {
    auto tables = file.tables("tier");
    if (tables.empty() || file.failed()) return;
    if (tables.size() > kMostTiers) return file.fail("tier", fmt::format("{} tiers, more than {}", tables.size(), kMostTiers));
    std::vector<Tier> tiers;
    for (std::size_t i = 0; i < tables.size() && !file.failed(); ++i) {
        Tier tier;
        read_tier(tables[i], cluster, i == 0, i + 1 == tables.size(), tier);
        const int before = tiers.empty() ? 1 : tiers.back().span;
        // A network beside a single node joins nothing: a file stays valid with nodes = 1.
        if (before == cluster.devices() && i > 0 && i + 1 == tables.size() && !tables[i].has("spans")) break;
        if (tier.span % before != 0 || (!tiers.empty() && tier.span == before))
            tables[i].fail("spans",
                           fmt::format("{} devices are not a multiple of the tier inside, which spans {}", tier.span, before));
        tiers.push_back(std::move(tier));
    }
    if (file.failed()) return;
    // Only outer tiers given: the device's own link stays the innermost.
    if (tiers.front().span > cluster.tiers.front().span && tiers.front().span % cluster.tiers.front().span == 0)
        tiers.insert(tiers.begin(), cluster.tiers.front());
    if (tiers.back().span != cluster.devices()) {
        return file.fail("tier", fmt::format("the last tier spans {} of {} devices", tiers.back().span, cluster.devices()),
                         "leave its spans out, or add the tier that joins the whole cluster");
    }
    cluster.tiers = std::move(tiers);
}

void read_order(ConfigTable& file, Cluster& cluster) {
    if (!file.has("order")) return;
    const auto names = file.texts("order");
    std::array<Axis, 4> order{};
    std::size_t count = 0;
    for (const std::string& name : names) {
        const auto axis = std::find_if(kAxes.begin(), kAxes.end(), [&](Axis a) { return to_string(a) == name; });
        const bool again = axis != kAxes.end() && std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                                                            *axis) != order.begin() + static_cast<std::ptrdiff_t>(count);
        if (axis == kAxes.end() || again || count == order.size()) {
            return file.fail("order", fmt::format("'{}' is not an axis or comes twice", printable(name, 40)),
                             "list dp_replicate, dp_shard, cp and tp once each, outermost first");
        }
        order[count++] = *axis;
    }
    if (count != order.size()) return file.fail("order", "all four axes must be listed, outermost first");
    cluster.order = order;
}

void read_price(ConfigTable& file, Cluster& cluster) {
    auto table = file.table("price");
    if (!table) return;
    std::string ignored;
    cluster.price_per_device_hour.provenance = Provenance::datasheet;
    table->quantity("per_device_hour", parse_dollars, cluster.price_per_device_hour.value);
    table->provenance("provenance", cluster.price_per_device_hour.provenance);
    table->text("source", ignored);
    table->finish();
}

void read_cluster_table(ConfigTable& file, Cluster& cluster) {
    std::string ignored;
    std::string fabric;
    Device device;
    read_device(file, device);
    int nodes = 1;
    int per_node = device.devices_per_node;
    file.count("nodes", nodes);
    file.count("devices_per_node", per_node);
    file.text("source", ignored);
    file.text("fabric", fabric);
    if (file.failed()) return;
    auto made = default_cluster(device, nodes, per_node);
    if (!made) return file.fail("nodes", made.error().message, made.error().hint);
    if (!fabric.empty()) {
        made = with_fabric(std::move(*made), fabric);
        if (!made) return file.fail("fabric", made.error().message, made.error().hint);
    }
    cluster = std::move(*made);
    read_tiers(file, cluster);
    read_order(file, cluster);
    read_price(file, cluster);
    file.text("name", cluster.name);
    file.finish();
}

}  // namespace

Result<Cluster> parse_cluster_file(std::string_view text, std::string_view where) {
    const auto tree = is_yaml(where) ? parse_yaml(text, where) : parse_toml(text, where);
    if (!tree) return tl::unexpected(tree.error());
    std::optional<Error> failure;
    ConfigTable file(*tree, std::string(where), {}, failure);
    Cluster cluster;
    if (!failure) read_cluster_table(file, cluster);
    if (failure) return tl::unexpected(*failure);
    return cluster;
}

Result<Cluster> read_cluster(const std::string& shorthand_or_path) {
    const bool path =
        shorthand_or_path.find('/') != std::string::npos || ends_in(shorthand_or_path, ".toml") || is_yaml(shorthand_or_path);
    std::error_code ignored;
    if (!path && !std::filesystem::exists(shorthand_or_path, ignored)) return parse_cluster_shorthand(shorthand_or_path);
    const auto text = read_text_file(shorthand_or_path, kLargestFile);
    if (!text) return tl::unexpected(text.error());
    return parse_cluster_file(*text, shorthand_or_path);
}

}  // namespace ndtune::profiles

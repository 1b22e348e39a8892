#include "profiles/cluster_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "profiles/catalog.h"

namespace ndtune::profiles {
namespace {

std::string data(const std::string& name) {
    return std::string(NDTUNE_SOURCE_DIR) + "/tests/data/clusters/" + name;
}

Cluster shorthand(std::string_view text) {
    auto cluster = parse_cluster_shorthand(text);
    EXPECT_TRUE(cluster) << text << ": " << cluster.error().message;
    return cluster ? *cluster : Cluster{};
}

TEST(ClusterShorthand, NodesByDevices) {
    const Cluster cluster = shorthand("2x8xh100-sxm");
    EXPECT_EQ(cluster.nodes, 2);
    EXPECT_EQ(cluster.devices_per_node, 8);
    EXPECT_EQ(cluster.devices(), 16);
    EXPECT_EQ(cluster.name, "2x8xh100-sxm");
    ASSERT_EQ(cluster.tiers.size(), 2U);
    EXPECT_EQ(cluster.tiers[0].span, 8);
    EXPECT_DOUBLE_EQ(cluster.tiers[0].bandwidth.value, 450e9);
    EXPECT_EQ(cluster.tiers[1].span, 16);
    EXPECT_DOUBLE_EQ(cluster.tiers[1].bandwidth.value, 50e9);
    EXPECT_EQ(cluster.order, kAxes);
}

TEST(ClusterShorthand, OneNodeHasOneTier) {
    const Cluster cluster = shorthand("8xh100");
    EXPECT_EQ(cluster.nodes, 1);
    ASSERT_EQ(cluster.tiers.size(), 1U);
    EXPECT_EQ(cluster.tiers[0].span, 8);
    EXPECT_EQ(shorthand("1xcpu").tiers.at(0).span, 1);
}

TEST(ClusterShorthand, SmallNodesDoNotReachOverTheirLink) {
    const Cluster cluster = shorthand("2x4xh100-sxm");
    ASSERT_EQ(cluster.tiers.size(), 2U);
    EXPECT_EQ(cluster.tiers[0].span, 4);
}

TEST(ClusterShorthand, RackScaleLinkCrossesNodes) {
    EXPECT_EQ(shorthand("18x4xgb200").tiers.size(), 1U);
    EXPECT_EQ(shorthand("18x4xgb200").tiers[0].span, 72);
    EXPECT_EQ(shorthand("36x4xgb200").tiers[0].span, 72);
    // 512 devices fill 8 racks of 64 rather than 7.1 of 72.
    EXPECT_EQ(shorthand("128x4xgb200").tiers[0].span, 64);
    EXPECT_EQ(shorthand("128x4xgb200").tiers[1].span, 512);
}

TEST(ClusterShorthand, PcieHostAndBigNode) {
    EXPECT_EQ(shorthand("2x8xl40s").tiers[0].span, 8);
    EXPECT_EQ(shorthand("2x8xl40s").tiers[0].name, "host");
    EXPECT_EQ(shorthand("2x16xv100-sxm3").tiers[0].span, 16);
}

TEST(ClusterShorthand, NamedNetwork) {
    const Cluster cluster = shorthand("16x8xh100-sxm@ethernet-100g");
    EXPECT_EQ(cluster.tiers.back().name, "ethernet-100g");
    EXPECT_DOUBLE_EQ(cluster.tiers.back().bandwidth.value, 1.5625e9);
    EXPECT_EQ(cluster.tiers.back().span, 128);
    EXPECT_EQ(shorthand("2x8xh100@efa-shared-hf").tiers.back().latency, find_fabric("efa-shared-hf")->latency);
}

TEST(ClusterShorthand, DeviceNamesWithDigitsAndX) {
    EXPECT_EQ(shorthand("2x8xmi300x").device.name, "mi300x");
    EXPECT_EQ(shorthand("8x3090").device.name, "rtx-3090");
    EXPECT_EQ(shorthand("2x8x4090").device.name, "rtx-4090");
}

class BadShorthand : public ::testing::TestWithParam<const char*> {};

TEST_P(BadShorthand, IsOneSentenceWithARemedy) {
    const auto cluster = parse_cluster_shorthand(GetParam());
    ASSERT_FALSE(cluster);
    EXPECT_FALSE(cluster.error().message.empty());
    EXPECT_FALSE(cluster.error().hint.empty());
}

INSTANTIATE_TEST_SUITE_P(Text, BadShorthand,
                         ::testing::Values("", "h100", "0x8xh100", "8x0xh100", "-2x8xh100", "2x8x", "2x8xh999", "8x", "x8xh100",
                                           "99999999999999999999x8xh100", "1048576x8xh100", "2x8xh100@",
                                           "2x8xh100@carrier-pigeon", "2.5x8xh100", "2x8xh100@nvlink-72@x", "\xFF\xFFxh100",
                                           "2x8xh100 extra"));

TEST(ClusterFile, TomlOfTheDocumentation) {
    const auto cluster = read_cluster(data("two_nodes.toml"));
    ASSERT_TRUE(cluster) << cluster.error().message << " " << cluster.error().where;
    EXPECT_EQ(cluster->device.name, "h100-sxm");
    EXPECT_EQ(cluster->devices(), 16);
    ASSERT_EQ(cluster->tiers.size(), 2U);
    EXPECT_EQ(cluster->tiers[0].name, "nvlink");
    EXPECT_EQ(cluster->tiers[0].span, 8);
    EXPECT_DOUBLE_EQ(cluster->tiers[0].latency.value, 3e-6);
    EXPECT_EQ(cluster->tiers[1].span, 16);
    EXPECT_DOUBLE_EQ(cluster->tiers[1].bandwidth.value, 50e9);
    EXPECT_DOUBLE_EQ(cluster->tiers[1].oversubscription, 1.5);
    EXPECT_EQ(cluster->tiers[1].provenance, Provenance::datasheet);
    EXPECT_DOUBLE_EQ(cluster->price_per_device_hour.value.value, 2.49);
}

TEST(ClusterFile, YamlMeansTheSame) {
    auto toml = read_cluster(data("two_nodes.toml"));
    auto yaml = read_cluster(data("two_nodes.yaml"));
    ASSERT_TRUE(toml && yaml) << (yaml ? "" : yaml.error().message + yaml.error().where);
    EXPECT_EQ(*toml, *yaml);
}

TEST(ClusterFile, ThreeTiersAndADifferentPart) {
    const auto cluster = read_cluster(data("pods.toml"));
    ASSERT_TRUE(cluster) << cluster.error().message << " " << cluster.error().where;
    const auto catalog = find_device("a100-sxm");
    EXPECT_EQ(cluster->name, "pods");
    EXPECT_EQ(cluster->device.memory.value.value, std::int64_t{64} << 30);
    EXPECT_EQ(cluster->device.memory.provenance, Provenance::assumed);
    EXPECT_NEAR(cluster->device.collectives[0][2].bandwidth.value, 0.5 * catalog->collectives[0][2].bandwidth.value, 1);
    ASSERT_EQ(cluster->tiers.size(), 3U);
    EXPECT_EQ(cluster->tiers[0].span, 8);
    EXPECT_DOUBLE_EQ(cluster->tiers[0].bandwidth.value, 150e9);
    EXPECT_EQ(cluster->tiers[1].span, 32);
    EXPECT_DOUBLE_EQ(cluster->tiers[1].oversubscription, 1);
    EXPECT_EQ(cluster->tiers[2].span, 128);
    EXPECT_DOUBLE_EQ(cluster->tiers[2].bandwidth.value, 50e9);
    EXPECT_DOUBLE_EQ(cluster->tiers[2].oversubscription, 4);
}

TEST(ClusterFile, NetworkOfASingleNodeIsLeftOut) {
    const auto cluster = parse_cluster_file(
        "device = \"h100\"\nnodes = 1\n[[tier]]\nspans = 8\nbandwidth = \"400GB/s\"\n[[tier]]\nbandwidth = \"50GB/s\"\n",
        "x.toml");
    ASSERT_TRUE(cluster) << cluster.error().message << " " << cluster.error().where;
    ASSERT_EQ(cluster->tiers.size(), 1U);
    EXPECT_DOUBLE_EQ(cluster->tiers[0].bandwidth.value, 400e9);
}

struct Bad {
    const char* name;
    const char* text;
    const char* place;    ///< part of `where`
    const char* message;  ///< part of the message
};

const Bad kBad[] = {
    {"unknown_key", "device = \"h100\"\nnode = 2\n", "x.toml:2: node", "not known"},
    {"unit_missing", "device = \"h100\"\nnodes = 2\n[[tier]]\nbandwidth = \"400\"\n", "x.toml:4: tier 1: bandwidth", "unit"},
    {"number_for_bandwidth", "device = \"h100\"\nnodes = 2\n[[tier]]\nbandwidth = 400\n", "x.toml:4", "unit"},
    {"case_of_b", "device = \"h100\"\nnodes = 2\n[[tier]]\nbandwidth = \"400gb/s\"\n", "bandwidth", "bytes or bits"},
    {"nan", "device = \"h100\"\nnodes = 2\n[[tier]]\nefficiency = nan\n", "efficiency", "not a number"},
    {"infinite", "device = \"h100\"\nnodes = 2\n[[tier]]\noversubscription = inf\n", "oversubscription", "not a number"},
    {"no_devices", "device = \"h100\"\nnodes = 0\n", "x.toml:2: nodes", "from 1"},
    {"negative", "device = \"h100\"\ndevices_per_node = -8\n", "devices_per_node", "from 1"},
    {"fraction", "device = \"h100\"\nnodes = 1.5\n", "nodes", "whole number"},
    {"huge", "device = \"h100\"\nnodes = 9223372036854775807\n", "nodes", "whole number"},
    {"too_many", "device = \"h100\"\nnodes = 1048576\n", "nodes", "more than"},
    {"no_device", "nodes = 2\n", "device", "missing"},
    {"unknown_device", "device = \"h999\"\n", "x.toml:1: device", "h999"},
    {"device_key", "[device]\nname = \"h100\"\nmem = \"80GiB\"\n", "device: mem", "not known"},
    {"zero_memory", "[device]\nname = \"h100\"\nmemory = \"0GiB\"\n", "memory", "above 0"},
    {"zero_bandwidth", "device = \"h100\"\nnodes = 2\n[[tier]]\nbandwidth = \"0GB/s\"\n", "bandwidth", "above 0"},
    {"span_too_large", "device = \"h100\"\nnodes = 2\n[[tier]]\nspans = 32\n", "spans", "the cluster has 16"},
    {"span_not_multiple", "device = \"h100\"\nnodes = 3\n[[tier]]\nspans = 7\n[[tier]]\n", "spans", "multiple"},
    {"last_span_short", "device = \"h100\"\nnodes = 4\n[[tier]]\n[[tier]]\nspans = 16\n", "tier", "16 of 32"},
    {"order_twice", "device = \"h100\"\norder = [\"tp\", \"tp\", \"cp\", \"dp_shard\"]\n", "order", "twice"},
    {"order_short", "device = \"h100\"\norder = [\"tp\"]\n", "order", "four"},
    {"order_word", "device = \"h100\"\norder = \"tp\"\n", "order", "list"},
    {"price_without_dollar", "device = \"h100\"\n[price]\nper_device_hour = 2.49\n", "price: per_device_hour", "$"},
    {"grade", "device = \"h100\"\nnodes = 2\n[[tier]]\nprovenance = \"sure\"\n", "provenance", "grade"},
    {"topology", "device = \"h100\"\nnodes = 2\n[[tier]]\ntopology = \"torus\"\n", "topology", "not modelled"},
    {"syntax", "device = \n", "x.toml:1", "not TOML"},
    {"twice", "device = \"h100\"\ndevice = \"h200\"\n", "x.toml:2", "not TOML"},
    {"empty", "", "device", "missing"},
    {"not_utf8", "device = \"h100\"\n# \xFF\n", "x.toml:2", "UTF-8"},
    {"dots",
     "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a."
     "a.a.a.a.a.a.a.a.a.a.a.a = 1\n",
     "x.toml:1", "dots"},
};

class BadFile : public ::testing::TestWithParam<Bad> {};

TEST_P(BadFile, NamesThePlaceAndTheFault) {
    const auto cluster = parse_cluster_file(GetParam().text, "x.toml");
    ASSERT_FALSE(cluster);
    EXPECT_NE(cluster.error().where.find(GetParam().place), std::string::npos) << cluster.error().where;
    EXPECT_NE(cluster.error().message.find(GetParam().message), std::string::npos) << cluster.error().message;
    EXPECT_EQ(cluster.error().code, ErrorCode::bad_input);
}

INSTANTIATE_TEST_SUITE_P(Toml, BadFile, ::testing::ValuesIn(kBad),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

const Bad kBadYaml[] = {
    {"alias", "device: &d h100\nname: *d\n", "x.yaml:1", "anchors"},
    {"bomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n", "x.yaml:1", "anchors"},
    {"twice", "device: h100\ndevice: h200\n", "x.yaml:2", "twice"},
    {"documents", "device: h100\n---\ndevice: h200\n", "x.yaml", "more than one document"},
    {"empty", "", "x.yaml", "empty"},
    {"list", "- h100\n", "x.yaml:1", "table"},
    {"scalar", "h100\n", "x.yaml", "table"},
    {"syntax", "device: [h100\n", "x.yaml", "not YAML"},
    {"map_key", "? [a, b]\n: 1\n", "x.yaml", "single word"},
    {"unknown", "device: h100\nnodez: 2\n", "x.yaml:2: nodez", "not known"},
    {"null", "device:\n", "device", "null"},
};

class BadYaml : public ::testing::TestWithParam<Bad> {};

TEST_P(BadYaml, NamesThePlaceAndTheFault) {
    const auto cluster = parse_cluster_file(GetParam().text, "x.yaml");
    ASSERT_FALSE(cluster);
    EXPECT_NE(cluster.error().where.find(GetParam().place), std::string::npos) << cluster.error().where;
    EXPECT_NE(cluster.error().message.find(GetParam().message), std::string::npos) << cluster.error().message;
}

INSTANTIATE_TEST_SUITE_P(Yaml, BadYaml, ::testing::ValuesIn(kBadYaml),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(ClusterFile, LettersBeyondAsciiStayAsWritten) {
    const auto toml = parse_cluster_file("device = \"h100\"\nname = \"K\u00f6ln ~ 2 ~c3\"  # caf\u00e9\n", "x.toml");
    ASSERT_TRUE(toml) << toml.error().message;
    EXPECT_EQ(toml->name, "K\u00f6ln ~ 2 ~c3");
    const auto yaml = parse_cluster_file("device: h100\nname: K\u00f6ln\n", "x.yaml");
    ASSERT_TRUE(yaml) << yaml.error().message;
    EXPECT_EQ(yaml->name, "K\u00f6ln");
    // Bare, they made the parser run into undefined behaviour (found by fuzzing).
    EXPECT_FALSE(parse_cluster_file("-\uFEFE-,?", "x.toml"));
    EXPECT_FALSE(parse_cluster_file("device = \u00e9\n", "x.toml"));
    EXPECT_FALSE(parse_cluster_file("d\u00e9vice = \"h100\"\n", "x.toml"));
}

TEST(ClusterFile, DeepNestingIsRefusedBeforeParsing) {
    const std::string deep = "a = " + std::string(200000, '[');
    EXPECT_FALSE(parse_cluster_file(deep, "x.toml"));
    EXPECT_FALSE(parse_cluster_file(std::string(200000, '['), "x.yaml"));
    EXPECT_FALSE(parse_cluster_file(std::string(200000, '{'), "x.yaml"));
    std::string dashes;
    for (int i = 0; i < 100000; ++i) dashes += "- ";
    EXPECT_FALSE(parse_cluster_file(dashes, "x.yaml"));
    std::string steps;
    for (int i = 0; i < 300; ++i) steps += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
    EXPECT_FALSE(parse_cluster_file(steps, "x.yaml"));
}

TEST(ClusterFile, PathsThatAreNoFiles) {
    EXPECT_EQ(read_cluster("/nonexistent/x.toml").error().code, ErrorCode::not_found);
    EXPECT_FALSE(read_cluster(std::string(NDTUNE_SOURCE_DIR) + "/tests"));
    EXPECT_FALSE(read_cluster("missing.yaml"));
    EXPECT_FALSE(read_cluster("/dev/zero"));
    const auto large = parse_cluster_file(std::string((std::size_t{4} << 20) + 1, ' '), "x.toml");
    ASSERT_FALSE(large);
    EXPECT_NE(large.error().message.find("more than"), std::string::npos);
}

TEST(MakeCluster, Refuses) {
    const auto device = find_device("h100-sxm");
    ASSERT_TRUE(device);
    EXPECT_FALSE(make_cluster(*device, 0, 8));
    EXPECT_FALSE(make_cluster(*device, 8, -1));
    EXPECT_FALSE(make_cluster(*device, 2147483647, 2147483647));
    EXPECT_TRUE(make_cluster(*device, 131072, 8));
}

}  // namespace
}  // namespace ndtune::profiles

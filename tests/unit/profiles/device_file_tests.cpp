#include <gtest/gtest.h>

#include "profiles/device_io.h"
#include "profiles/fabric_io.h"
#include "profiles/runtime_io.h"

namespace ndtune::profiles {
namespace {

Result<Device> parse(std::string_view text) {
    return parse_device(text, "x.json", [](std::string_view) -> Result<Device> { return bad_input("no relatives here"); });
}

TEST(DeviceFile, ErrorsNameTheKey) {
    const auto unknown = parse(R"({"name": "x", "memry": "80GiB"})");
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().where.find("memry"), std::string::npos);
    const auto unit = parse(R"({"name": "x", "memory": {"value": "80", "provenance": "measured"}})");
    ASSERT_FALSE(unit);
    EXPECT_NE(unit.error().where.find("memory"), std::string::npos);
    EXPECT_NE(unit.error().message.find("unit"), std::string::npos);
    EXPECT_FALSE(parse(R"({"memory": {"value": "80GiB", "provenance": "certain"}})"));
    EXPECT_FALSE(parse(R"({"memory": 80})"));
    EXPECT_FALSE(parse(R"({"memory": {"provenance": "measured"}})"));
    EXPECT_FALSE(parse(R"({"devices_per_node": 0})"));
    EXPECT_FALSE(parse(R"({"devices_per_node": 99999999999999999999})"));
    EXPECT_FALSE(parse(R"({"attention": {"flash2": {"peak": ["1TFLOP/s"], "seq_pad": [1, 2, 3]}}})"));
    EXPECT_FALSE(parse(R"({"curves_from": {"device": "y"}})"));
    EXPECT_FALSE(parse("[]"));
    EXPECT_FALSE(parse("{"));
    EXPECT_FALSE(parse("{}"));
}

TEST(DeviceFile, PeakAboveNominalIsRefused) {
    const auto device = parse(R"({"name": "x", "memory": "80GiB", "hbm": "2TB/s", "link": "300GB/s", "nic": "25GB/s",
        "peaks": {"bf16": "312TFLOP/s"}, "gemm": {"bf16": {"peak": "400TFLOP/s", "bandwidth": "1TB/s", "launch": "3us"}}})");
    ASSERT_FALSE(device);
    EXPECT_NE(device.error().message.find("above its nominal peak"), std::string::npos);
}

TEST(RuntimeFile, InheritsAndRefuses) {
    const auto rows = parse_runtimes(R"({"runtimes": [{"name": "a", "title": "A", "dgrad": 1.5, "activations": {"ffn": 3}},
        {"name": "b", "extends": "a", "attention": "flash3", "activations": {"hidden": 4}}]})",
                                     "r.json");
    ASSERT_TRUE(rows) << rows.error().message;
    ASSERT_EQ(rows->size(), 2U);
    EXPECT_EQ((*rows)[1].title, "A");
    EXPECT_EQ((*rows)[1].dgrad, 1.5);
    EXPECT_EQ((*rows)[1].activations.ffn, 3);
    EXPECT_EQ((*rows)[1].activations.hidden, 4);
    EXPECT_EQ((*rows)[1].attention, AttentionKernel::flash3);
    EXPECT_FALSE(parse_runtimes(R"({"runtimes": [{"name": "a", "dgrd": 1}]})", "r.json"));
    EXPECT_FALSE(parse_runtimes(R"({"runtimes": [{"name": "a", "extends": "z"}]})", "r.json"));
    EXPECT_FALSE(parse_runtimes(R"({"runtimes": [{"name": "a"}, {"name": "a"}]})", "r.json"));
    EXPECT_FALSE(parse_runtimes(R"({"runtimes": [{"title": "a"}]})", "r.json"));
    EXPECT_FALSE(parse_runtimes(R"({"runtimes": [{"name": "a", "attention": "flash9"}]})", "r.json"));
    EXPECT_FALSE(parse_runtimes(R"({"runtimes": [3]})", "r.json"));
    EXPECT_FALSE(parse_runtimes("{}", "r.json"));
}

TEST(FabricFile, Refuses) {
    EXPECT_FALSE(parse_fabric(R"({"name": "x", "efficiency": 0})", "f.json"));
    EXPECT_FALSE(parse_fabric(R"({"name": "x", "oversubscription": 0.5})", "f.json"));
    EXPECT_FALSE(parse_fabric(R"({"name": "x", "per": "rack"})", "f.json"));
    EXPECT_FALSE(parse_fabric(R"({"name": "x", "latency": "5"})", "f.json"));
    EXPECT_FALSE(parse_aliases(R"({"a": "b"})", "a.json"));
    EXPECT_FALSE(parse_aliases(R"([1])", "a.json"));
}

}  // namespace
}  // namespace ndtune::profiles

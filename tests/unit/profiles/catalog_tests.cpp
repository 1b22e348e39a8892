#include "profiles/catalog.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "profiles/catalog_files.h"
#include "profiles/fabric_io.h"

namespace ndtune::profiles {
namespace {

constexpr std::size_t at(Precision p) {
    return static_cast<std::size_t>(p);
}
constexpr std::size_t at(AttentionKernel k) {
    return static_cast<std::size_t>(k);
}
constexpr std::size_t at(Collective c) {
    return static_cast<std::size_t>(c);
}

TEST(Catalog, CountsAreKnown) {
    EXPECT_EQ(device_names().size(), 36U);
    EXPECT_EQ(fabric_names().size(), 17U);
    EXPECT_GE(runtime_names().size(), 10U);
}

class EveryDevice : public ::testing::TestWithParam<std::string> {};

void expect_sane(const GemmCurve& curve, const Device& device) {
    if (curve.nominal.value == 0) {
        EXPECT_EQ(curve.peak.value, 0);
        return;
    }
    EXPECT_GT(curve.peak.value, 0.05 * curve.nominal.value);
    EXPECT_LE(curve.peak.value, curve.nominal.value);
    EXPECT_GT(curve.bandwidth.value, 0.2 * device.hbm.value.value);
    EXPECT_LE(curve.bandwidth.value, device.hbm.value.value);
    EXPECT_GT(curve.launch.value, 1e-7);
    EXPECT_LT(curve.launch.value, 1e-4);
    EXPECT_GT(curve.sustained, 0.5);
    EXPECT_LT(curve.sustained, 2.0);
    // A factor fitted on runs or a carried-over curve can never pass for a plain measurement.
    EXPECT_GE(curve.provenance, Provenance::calibrated);
}

void expect_sane(const AttentionCurve& curve, const Device& device) {
    for (std::size_t size = 0; size < curve.peak.size(); ++size) {
        if (curve.peak[0].value == 0) {
            EXPECT_EQ(curve.peak[size].value, 0);
            continue;
        }
        EXPECT_GT(curve.peak[size].value, 0.1 * device.gemm[at(Precision::fp16)].nominal.value * (device.cpu ? 0.1 : 1.0));
        EXPECT_LT(curve.peak[size].value, device.gemm[at(Precision::fp16)].nominal.value);
        EXPECT_GT(curve.seq_pad[size], 0);
        EXPECT_GE(curve.backward, 1);
    }
}

TEST_P(EveryDevice, IsPhysicallySane) {
    const auto found = find_device(GetParam());
    ASSERT_TRUE(found) << found.error().message << " " << found.error().where;
    const Device& device = *found;
    EXPECT_EQ(device.name, GetParam());
    EXPECT_FALSE(device.title.empty());
    EXPECT_FALSE(device.source.empty());
    EXPECT_GE(device.memory.value.value, std::int64_t{4} << 30);
    EXPECT_LE(device.memory.value.value, std::int64_t{300} << 30);
    // Bandwidth falls from memory to link to network.
    EXPECT_GT(device.hbm.value.value, device.link.value.value);
    EXPECT_GE(device.link.value.value, device.nic.value.value);
    EXPECT_GE(device.devices_per_node, 1);
    EXPECT_GE(device.scale_up, 1);
    for (const GemmCurve& curve : device.gemm) expect_sane(curve, device);
    for (const AttentionCurve& curve : device.attention) expect_sane(curve, device);
    EXPECT_GT(device.gemm[at(Precision::fp32)].peak.value, 0);
    EXPECT_GT(device.gemm[at(Precision::fp16)].nominal.value, 0);
    bool attention = false;
    for (const AttentionCurve& curve : device.attention) attention |= curve.peak[0].value > 0;
    EXPECT_TRUE(attention);
}

TEST_P(EveryDevice, CollectivesMoveNoMoreThanTheLink) {
    const auto device = find_device(GetParam());
    ASSERT_TRUE(device);
    for (std::size_t g = 0; g < kCurveGroups.size(); ++g) {
        const double n = kCurveGroups[g];
        const auto bus = [&](Collective op, double factor) {
            return device->collectives[at(op)][g].bandwidth.value * factor / device->link.value.value;
        };
        // NVLS adds in the switch, so an all-reduce may pass the ring bound.
        EXPECT_LT(bus(Collective::all_gather, (n - 1) / n), 1.0);
        EXPECT_LT(bus(Collective::reduce_scatter, (n - 1) / n), 1.0);
        EXPECT_LT(bus(Collective::all_reduce, 2 * (n - 1) / n), 1.2);
        EXPECT_LT(bus(Collective::all_to_all, (n - 1) / n), 1.0);
        EXPECT_LT(bus(Collective::send_recv, 1), 1.0);
        for (const auto& op : device->collectives) {
            EXPECT_GT(op[g].alpha.value, 1e-6);
            EXPECT_LT(op[g].alpha.value, 1e-3);
            EXPECT_GE(op[g].gamma, 0);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryDevice, ::testing::ValuesIn(device_names()), [](const auto& param_info) {
    std::string name = param_info.param;
    for (char& c : name)
        if (c == '-') c = '_';
    return name;
});

// Measured facts as fitted, read through the whole chain of units.
TEST(Catalog, H100AsMeasured) {
    const auto device = find_device("h100-sxm");
    ASSERT_TRUE(device);
    const GemmCurve& bf16 = device->gemm[at(Precision::bf16)];
    EXPECT_DOUBLE_EQ(bf16.nominal.value, 989e12);
    EXPECT_DOUBLE_EQ(bf16.peak.value, 766.8e12);
    EXPECT_DOUBLE_EQ(bf16.bandwidth.value, 1916e9);
    EXPECT_NEAR(bf16.launch.value, 2.473e-6, 1e-12);
    EXPECT_GT(bf16.sustained, 1.0);  // long runs are slower than bursts; the factor is a fit and may be fitted again
    EXPECT_EQ(bf16.provenance, Provenance::calibrated);
    EXPECT_DOUBLE_EQ(device->attention[at(AttentionKernel::flash3)].peak[1].value, 676e12);
    EXPECT_LT(device->attention[at(AttentionKernel::flash2)].peak[1].value, 676e12);
    EXPECT_LT(device->attention[at(AttentionKernel::flash1)].peak[1].value,
              device->attention[at(AttentionKernel::flash2)].peak[1].value);
    const CollectiveCurve& gather = device->collectives[at(Collective::all_gather)][2];
    EXPECT_NEAR(gather.alpha.value, 10.51e-6, 1e-12);
    EXPECT_DOUBLE_EQ(gather.bandwidth.value, 422.6e9);
    EXPECT_NEAR(gather.gamma, 5.203e-9, 1e-15);
    EXPECT_EQ(gather.provenance, Provenance::measured);
    EXPECT_EQ(device->memory.provenance, Provenance::measured);
    EXPECT_EQ(device->hbm.provenance, Provenance::datasheet);
}

TEST(Catalog, RelativesAreScaledAndSaidToBeAssumed) {
    const auto a100 = find_device("a100-sxm");
    const auto a800 = find_device("a800-sxm");
    const auto v100 = find_device("v100-sxm3");
    ASSERT_TRUE(a100 && a800 && v100);
    EXPECT_EQ(a800->gemm[at(Precision::bf16)].peak, a100->gemm[at(Precision::bf16)].peak);
    EXPECT_EQ(a800->gemm[at(Precision::bf16)].provenance, Provenance::assumed);
    EXPECT_NEAR(a800->collectives[0][2].bandwidth.value / a100->collectives[0][2].bandwidth.value, 200.0 / 300.0, 1e-9);
    EXPECT_NEAR(a800->collectives[0][2].gamma / a100->collectives[0][2].gamma, std::sqrt(1.5), 1e-9);
    EXPECT_NEAR(v100->gemm[at(Precision::fp16)].peak.value / a100->gemm[at(Precision::fp16)].peak.value, 125.0 / 312.0, 1e-9);
    EXPECT_EQ(v100->attention[at(AttentionKernel::flash2)].peak[1].value, 0);
    EXPECT_GT(v100->attention[at(AttentionKernel::flash1)].peak[1].value, 0);
    EXPECT_EQ(v100->devices_per_node, 16);
}

TEST(Catalog, NamesAsPeopleWriteThem) {
    const std::map<std::string, std::string> spellings = {{"H100", "h100-sxm"},
                                                          {"H100:8", "h100-sxm"},
                                                          {"NVIDIA H100 SXM", "h100-sxm"},
                                                          {"h100-sxm-80g", "h100-sxm"},
                                                          {"A100-80GB", "a100-sxm"},
                                                          {"A100-SXM4-40GB", "a100-sxm-40gb"},
                                                          {"MI300X", "mi300x"},
                                                          {"GB200", "gb200"},
                                                          {"GeForce RTX 4090", "rtx-4090"},
                                                          {"RTX_A6000", "rtx-a6000"},
                                                          {"V100", "v100-sxm2"},
                                                          {"cpu", "cpu"},
                                                          {"H100-96GB HBM2e 500W", "h100-96gb-500w"},
                                                          {"A100-SXM (DGX A100)", "a100-sxm"},
                                                          {"V100-SXM3 (DGX-2)", "v100-sxm3"}};
    for (const auto& [written, key] : spellings) EXPECT_EQ(device_key(written), key) << written;
    EXPECT_EQ(device_key("../devices/h100-sxm"), "");
    EXPECT_EQ(device_key(""), "");
}

TEST(Catalog, AliasesAreUniqueAndLeadToDevices) {
    const auto text = catalog_text("device_aliases.json");
    ASSERT_TRUE(text);
    const auto aliases = parse_aliases(*text, "device_aliases.json");
    ASSERT_TRUE(aliases);
    const auto devices = device_names();
    std::set<std::string> seen(devices.begin(), devices.end());
    for (const Alias& alias : *aliases) {
        EXPECT_TRUE(seen.insert(alias.alias).second) << alias.alias;
        EXPECT_EQ(device_key(alias.alias), alias.key);
        EXPECT_TRUE(find_device(alias.alias)) << alias.alias;
    }
}

TEST(Catalog, UnknownNamesGetNearestOnesAsHint) {
    const auto device = find_device("h101");
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, ErrorCode::not_found);
    EXPECT_NE(device.error().hint.find("h100"), std::string::npos) << device.error().hint;
    EXPECT_FALSE(find_runtime("megatrn"));
    EXPECT_FALSE(find_fabric("infinibnd"));
    EXPECT_NE(find_fabric("infinibnd").error().hint.find("infiniband"), std::string::npos);
    EXPECT_FALSE(find_device(std::string(100000, 'h')));
}

TEST(Catalog, RuntimesInherit) {
    for (const std::string& name : runtime_names()) {
        const auto runtime = find_runtime(name);
        ASSERT_TRUE(runtime) << runtime.error().message << " " << runtime.error().where;
        EXPECT_EQ(runtime->name, name);
        EXPECT_FALSE(runtime->title.empty());
        EXPECT_FALSE(runtime->source.empty());
        EXPECT_GT(runtime->host_layer, 0);
        EXPECT_GT(runtime->slack, 1);
    }
}

TEST(Catalog, EveryFabricLoads) {
    for (const std::string& name : fabric_names()) {
        const auto tier = find_fabric(name);
        ASSERT_TRUE(tier) << tier.error().message << " " << tier.error().where;
        EXPECT_EQ(tier->name, name);
        EXPECT_GT(tier->latency.value, 1e-6);
        EXPECT_LT(tier->latency.value, 1e-3);
        EXPECT_GE(tier->provenance, Provenance::calibrated);
    }
}

TEST(Catalog, DefaultScaleOutIsTheInfinibandFabric) {
    const auto device = find_device("h100-sxm");
    const auto cluster = default_cluster(*device, 2, 8);
    const auto named = with_fabric(*make_cluster(*device, 2, 8), "infiniband");
    ASSERT_TRUE(cluster && named);
    EXPECT_EQ(cluster->tiers, named->tiers);
    EXPECT_EQ(cluster->tiers.back().latency, find_fabric("infiniband")->latency);
    EXPECT_EQ(cluster->tiers.back().bandwidth, device->nic.value);
    EXPECT_EQ(cluster->name, "2x8xh100-sxm");
}

TEST(Catalog, NetworksPerNodeAreShared) {
    const auto device = find_device("h100-sxm");
    const auto cluster = with_fabric(*make_cluster(*device, 4, 8), "ethernet-100g");
    ASSERT_TRUE(cluster);
    EXPECT_DOUBLE_EQ(cluster->tiers.back().bandwidth.value, 100e9 / 8 / 8);
    EXPECT_FALSE(with_fabric(*make_cluster(*device, 32, 8), "nvlink-72"));
}

// Files that a user may point NDTUNE_CATALOG at are input like any other.
TEST(Catalog, FolderOfTheUserIsReadInstead) {
    const std::string folder = std::string(NDTUNE_SOURCE_DIR) + "/profiles/catalog";
    const auto embedded = find_device("h100-sxm");
    ASSERT_EQ(setenv("NDTUNE_CATALOG", folder.c_str(), 1), 0);
    const auto from_folder = find_device("h100-sxm");
    const auto names = device_names();
    ASSERT_EQ(setenv("NDTUNE_CATALOG", "/nonexistent", 1), 0);
    const auto nothing = find_device("h100-sxm");
    ASSERT_EQ(unsetenv("NDTUNE_CATALOG"), 0);
    ASSERT_TRUE(from_folder);
    EXPECT_EQ(*from_folder, *embedded);
    EXPECT_EQ(names, device_names());
    EXPECT_FALSE(nothing);
}

}  // namespace
}  // namespace ndtune::profiles

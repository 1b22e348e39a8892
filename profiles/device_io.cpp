#include "profiles/device_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cost_model/quantity.h"
#include "profiles/json_object.h"

namespace ndtune::profiles {
namespace {

constexpr std::array<std::string_view, kPrecisions> kPrecisionNames = {"fp32", "bf16", "fp16", "fp8", "mxfp8", "fp4"};
constexpr std::array<std::string_view, kAttentionKernels> kKernelNames = {"plain", "flash1", "flash2", "flash3"};
constexpr std::array<std::string_view, kCollectives> kCollectiveNames = {"all_gather", "reduce_scatter", "all_reduce",
                                                                         "all_to_all", "send_recv"};

// Rate of FlashAttention 1 and of its Triton port over FlashAttention 2, from the published llm-foundry runs (calibrated).
constexpr double kFlash1OverFlash2 = 0.782;

constexpr std::size_t index(Precision p) {
    return static_cast<std::size_t>(p);
}
constexpr std::size_t index(AttentionKernel k) {
    return static_cast<std::size_t>(k);
}

// "5.03ns/sqrt(B)" -> seconds per sqrt(byte).
Result<double> parse_gamma(std::string_view text) {
    constexpr std::string_view kUnit = "/sqrt(B)";
    if (!text.ends_with(kUnit))
        return bad_input(fmt::format("'{}' must end in {}", text, kUnit), {}, "write it like \"5.0ns/sqrt(B)\"");
    return parse_duration(text.substr(0, text.size() - kUnit.size())).map([](Seconds s) { return s.value; });
}

bool available(const AttentionCurve& curve) {
    return curve.peak[0].value > 0;
}

// What a device file says about where its missing curves come from.
struct Relative {
    Device device;
    bool given = false;
    double sustained = 0;    ///< 0 = as the relative
    double link_factor = 1;  ///< on top of the ratio of nominal links
    Device link_device;      ///< whose collectives are scaled
    bool flash2_from_flash3 = false;
    std::vector<std::string> kernels;  ///< those that run on this device; empty = all the relative has
};

void read_peaks(JsonObject& file, Device& device) {
    JsonObject peaks = file.child("peaks");
    for (std::size_t p = 0; p < kPrecisions; ++p) peaks.quantity(kPrecisionNames[p], parse_flops_rate, device.gemm[p].nominal);
    peaks.finish();
}

void read_gemm(JsonObject& file, Device& device) {
    JsonObject curves = file.child("gemm");
    for (std::size_t p = 0; p < kPrecisions; ++p) {
        if (!curves.has(kPrecisionNames[p])) continue;
        JsonObject row = curves.child(kPrecisionNames[p]);
        GemmCurve& curve = device.gemm[p];
        std::string source;
        Provenance sustained = Provenance::exact;
        curve.provenance = Provenance::assumed;
        row.provenance("provenance", curve.provenance);
        row.quantity("peak", parse_flops_rate, curve.peak);
        row.quantity("bandwidth", parse_bandwidth, curve.bandwidth);
        row.quantity("launch", parse_duration, curve.launch);
        row.graded_number("sustained", curve.sustained, &sustained);
        row.text("source", source);
        row.finish();
        curve.provenance = weakest(curve.provenance, sustained);
        if (curve.peak.value <= 0 || curve.bandwidth.value <= 0) row.fail("peak", "peak and bandwidth must be above 0");
        if (curve.sustained <= 0) row.fail("sustained", "the factor must be above 0");
    }
    curves.finish();
}

void read_attention(JsonObject& file, Device& device) {
    JsonObject curves = file.child("attention");
    for (std::size_t k = 0; k < kAttentionKernels; ++k) {
        if (!curves.has(kKernelNames[k])) continue;
        JsonObject row = curves.child(kKernelNames[k]);
        AttentionCurve& curve = device.attention[k];
        std::string source;
        row.provenance("provenance", curve.provenance);
        row.quantities("peak", parse_flops_rate, curve.peak);
        row.numbers("seq_pad", curve.seq_pad);
        Provenance backward = Provenance::exact;
        row.graded_number("backward", curve.backward, &backward);
        row.text("source", source);
        row.finish();
        curve.provenance = weakest(curve.provenance, backward);
    }
    curves.finish();
}

void read_collectives(JsonObject& file, Device& device) {
    constexpr std::array<std::string_view, 3> kGroups = {"2", "4", "8"};
    JsonObject curves = file.child("collectives");
    std::string source;
    Provenance all = Provenance::assumed;
    curves.provenance("provenance", all);
    curves.text("source", source);
    for (std::size_t op = 0; op < kCollectives; ++op) {
        JsonObject groups = curves.child(kCollectiveNames[op]);
        Provenance grade = all;
        groups.provenance("provenance", grade);
        groups.text("source", source);
        for (std::size_t g = 0; g < kGroups.size(); ++g) {
            if (!groups.has(kGroups[g])) continue;
            JsonObject row = groups.child(kGroups[g]);
            CollectiveCurve& curve = device.collectives[op][g];
            curve.provenance = grade;
            row.provenance("provenance", curve.provenance);
            row.quantity("alpha", parse_duration, curve.alpha);
            row.quantity("bandwidth", parse_bandwidth, curve.bandwidth);
            row.quantity("gamma", parse_gamma, curve.gamma);
            row.finish();
            if (curve.bandwidth.value <= 0) row.fail("bandwidth", "the bandwidth must be above 0");
        }
        groups.finish();
    }
    curves.finish();
}

void read_relative(JsonObject& file, const DeviceLookup& lookup, Relative& relative) {
    if (!file.has("curves_from")) return;
    JsonObject row = file.child("curves_from");
    relative.given = true;
    std::string device;
    std::string link;
    std::string source;
    row.text("device", device);
    row.text("collectives", link);
    row.text("source", source);
    row.number("sustained", relative.sustained);
    row.number("link_factor", relative.link_factor);
    row.flag("flash2_from_flash3", relative.flash2_from_flash3);
    row.texts("kernels", relative.kernels);
    row.finish();
    const auto fetch = [&](const std::string& name, Device& out) {
        auto found = lookup(name);
        if (!found) return row.fail("device", found.error().message, found.error().hint);
        out = std::move(*found);
    };
    fetch(device, relative.device);
    if (link.empty() || link == device)
        relative.link_device = relative.device;
    else
        fetch(link, relative.link_device);
}

void scale_gemm(Device& device, const Relative& from) {
    const double memory = device.hbm.value / from.device.hbm.value;
    for (std::size_t p = 0; p < kPrecisions; ++p) {
        GemmCurve& curve = device.gemm[p];
        if (curve.nominal.value <= 0 || curve.peak.value > 0) continue;
        // A precision that the relative lacks takes the shape of its bf16 curve.
        const GemmCurve& other =
            from.device.gemm[p].peak.value > 0 ? from.device.gemm[p] : from.device.gemm[index(Precision::bf16)];
        curve.peak = other.peak * (curve.nominal / other.nominal);
        curve.bandwidth = other.bandwidth * memory;
        curve.launch = other.launch;
        curve.sustained = from.sustained > 0 && p != index(Precision::fp32) ? from.sustained : other.sustained;
        curve.provenance = Provenance::assumed;
    }
}

void scale_attention(Device& device, const Relative& from) {
    const double ratio = device.gemm[index(Precision::fp16)].nominal / from.device.gemm[index(Precision::fp16)].nominal;
    for (std::size_t k = 0; k < kAttentionKernels; ++k) {
        const bool runs =
            from.kernels.empty() || std::find(from.kernels.begin(), from.kernels.end(), kKernelNames[k]) != from.kernels.end();
        if (!runs || available(device.attention[k])) continue;
        AttentionCurve curve = from.device.attention[k];
        if (from.flash2_from_flash3) {
            if (k == index(AttentionKernel::flash3)) continue;
            curve = from.device.attention[index(AttentionKernel::flash3)];
            if (k == index(AttentionKernel::flash1))
                for (auto& peak : curve.peak) peak = peak * kFlash1OverFlash2;
            if (k == index(AttentionKernel::plain)) curve = {};
        }
        for (auto& peak : curve.peak) peak = peak * ratio;
        curve.provenance = Provenance::assumed;
        device.attention[k] = curve;
    }
}

void scale_collectives(Device& device, const Relative& from) {
    const double ratio = from.link_factor * (device.link.value / from.link_device.link.value);
    for (std::size_t op = 0; op < kCollectives; ++op) {
        for (std::size_t g = 0; g < kCurveGroups.size(); ++g) {
            CollectiveCurve& curve = device.collectives[op][g];
            if (curve.bandwidth.value > 0) continue;
            curve = from.link_device.collectives[op][g];
            curve.bandwidth = curve.bandwidth * ratio;
            curve.gamma /= std::sqrt(ratio);
            curve.provenance = Provenance::assumed;
        }
    }
}

void check(JsonObject& file, const Device& device) {
    if (device.memory.value.value <= 0) file.fail("memory", "the memory is missing or 0");
    if (device.hbm.value.value <= 0) file.fail("hbm", "the memory bandwidth is missing or 0");
    if (device.link.value.value <= 0) file.fail("link", "the scale-up bandwidth is missing or 0");
    if (device.nic.value.value <= 0) file.fail("nic", "the scale-out bandwidth is missing or 0");
    for (std::size_t p = 0; p < kPrecisions; ++p) {
        const GemmCurve& curve = device.gemm[p];
        if (curve.nominal.value > 0 && curve.peak.value <= 0)
            file.fail("gemm", fmt::format("{} has no curve", kPrecisionNames[p]));
        if (curve.peak > curve.nominal) file.fail("gemm", fmt::format("{} is above its nominal peak", kPrecisionNames[p]));
    }
    for (std::size_t op = 0; op < kCollectives; ++op) {
        for (const CollectiveCurve& curve : device.collectives[op])
            if (curve.bandwidth.value <= 0) file.fail("collectives", fmt::format("{} has no curve", kCollectiveNames[op]));
    }
}

void read_facts(JsonObject& file, Device& device) {
    Provenance all = Provenance::datasheet;
    file.provenance("provenance", all);
    for (Provenance* grade : {&device.memory.provenance, &device.hbm.provenance, &device.link.provenance, &device.nic.provenance})
        *grade = all;
    file.text("name", device.name);
    file.text("title", device.title);
    file.text("source", device.source);
    file.flag("cpu", device.cpu);
    file.graded("memory", parse_bytes, device.memory);
    file.graded("hbm", parse_bandwidth, device.hbm);
    file.graded_number("hbm_efficiency", device.hbm_efficiency, nullptr);
    file.graded("link", parse_bandwidth, device.link);
    file.graded("nic", parse_bandwidth, device.nic);
    file.count("devices_per_node", device.devices_per_node);
    file.count("scale_up", device.scale_up);
}

}  // namespace

Result<Device> parse_device(std::string_view text, std::string_view where, const DeviceLookup& lookup) {
    const auto json = parse_json(text, where);
    if (!json) return tl::unexpected(json.error());
    std::optional<Error> failure;
    JsonObject file(*json, std::string(where), failure);
    Device device;
    read_facts(file, device);
    read_peaks(file, device);
    read_gemm(file, device);
    read_attention(file, device);
    read_collectives(file, device);
    Relative relative;
    read_relative(file, lookup, relative);
    file.finish();
    if (failure) return tl::unexpected(*failure);
    if (relative.given) {
        scale_gemm(device, relative);
        scale_attention(device, relative);
        scale_collectives(device, relative);
    }
    check(file, device);
    if (failure) return tl::unexpected(*failure);
    return device;
}

}  // namespace ndtune::profiles

#include "profiles/published/cluster_of_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "profiles/catalog.h"
#include "profiles/published/phrase.h"

namespace ndtune::published {

namespace {

struct GpuName {
    std::string_view phrase;  ///< in lower case; the first one found in the cell decides
    std::string_view device;
};

constexpr std::array kGpus = {
    GpuName{"gb300", "gb300"},
    GpuName{"gb200", "gb200"},
    GpuName{"b300", "b300-sxm"},
    GpuName{"b200", "b200-sxm"},
    GpuName{"h200", "h200-sxm"},
    GpuName{"h100-96", "h100-96gb-500w"},
    GpuName{"h100-64", "h100-64gb"},
    GpuName{"h100-pcie", "h100-pcie"},
    GpuName{"h100", "h100-sxm"},
    GpuName{"h800", "h800-sxm"},
    GpuName{"h20", "h20"},
    GpuName{"a100-sxm-40", "a100-sxm-40gb"},
    GpuName{"a100-40", "a100-sxm-40gb"},
    GpuName{"a100-64", "a100-64gb"},
    GpuName{"a100-pcie", "a100-pcie"},
    GpuName{"a100", "a100-sxm"},
    GpuName{"a800", "a800-sxm"},
    GpuName{"v100-sxm3", "v100-sxm3"},
    GpuName{"v100", "v100-sxm2"},
};

constexpr std::string_view kFabric = "infiniband";
constexpr std::string_view kHuggingFaceFabric = "efa-shared-hf";  // every nanotron row ran on Hugging Face's shared cluster
constexpr double kBytesPerGbit = 1e9 / 8;
constexpr double kLargestRate = 1e6;  // Gb/s; more is a typing error

void skip_spaces(std::string_view text, std::size_t& at) {
    while (at < text.size() && text[at] == ' ') ++at;
}

/// A number at `at`, moved past it; 0 = none there.
double take_number(std::string_view text, std::size_t& at) {
    double value = 0;
    const auto [end, status] = std::from_chars(text.data() + at, text.data() + text.size(), value, std::chars_format::fixed);
    if (status != std::errc{} || value <= 0 || value > kLargestRate) return 0;
    at = static_cast<std::size_t>(end - text.data());
    return value;
}

bool digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// "8x HDR 200 Gb/s", "4x NDR200", "1600 Gbps", "400 Gb/s" at `at`: links and Gb/s of each.
struct LinkRate {
    double links = 0;  ///< 0 = no count stated
    double gbit = 0;   ///< 0 = no rate here
    std::size_t end = 0;
};

LinkRate rate_at(std::string_view text, std::size_t at) {
    LinkRate rate;
    double number = take_number(text, at);
    skip_spaces(text, at);
    bool named = false;
    if (number > 0 && at < text.size() && text[at] == 'x') {
        rate.links = number;
        skip_spaces(text, ++at);
        for (const std::string_view generation : {"edr", "hdr", "ndr", "xdr"}) {
            if (!text.substr(at).starts_with(generation)) continue;
            named = true;
            at += generation.size();
            skip_spaces(text, at);
        }
        number = take_number(text, at);
        skip_spaces(text, at);
    }
    const std::string_view rest = text.substr(std::min(at, text.size()));
    if (number > 0 && (named || rest.starts_with("gb/s") || rest.starts_with("gbps") || rest.starts_with("gbit/s")))
        rate.gbit = number;
    rate.end = at;
    return rate;
}

/// Eight NICs of a node serve eight devices; an NVL72 tray of four has four.
Result<Cluster> sized_cluster(const Run& run, Device device) {
    std::int64_t per_node = run.gpus_per_node > 0 ? run.gpus_per_node : device.devices_per_node;
    if (device.scale_up > 1 && device.scale_up < per_node) device.scale_up = static_cast<int>(per_node);
    if (device.devices_per_node < per_node) device.devices_per_node = static_cast<int>(per_node);
    per_node = std::min(per_node, run.gpus);
    const std::int64_t nodes = (run.gpus + per_node - 1) / per_node;
    return make_cluster(device, static_cast<int>(nodes), static_cast<int>(per_node));
}

bool computes(const Device& device, Precision precision) {
    return device.gemm[static_cast<std::size_t>(precision)].peak.value > 0;
}

/// What the cell names; where it is empty, the 16-bit type that is fast on the device.
Precision stated_precision(const Run& run, const Device& device, std::vector<std::string>& assumptions) {
    const std::string text = lower(run.precision);
    if (mentions(text, "fp4")) return Precision::fp4;
    if (text == "mxfp8") return Precision::mxfp8;
    if (mentions(text, "fp8")) return Precision::fp8;
    if (text == "fp16") return Precision::fp16;
    if (text == "fp32") return Precision::fp32;
    if (text.empty() && run.source() == "mlperf") {
        assumptions.emplace_back("precision not stated: fp8 taken");
        return Precision::fp8;
    }
    const auto rate = [&](Precision p) { return device.gemm[static_cast<std::size_t>(p)].peak.value; };
    return text.empty() && rate(Precision::fp16) > 2 * rate(Precision::bf16) ? Precision::fp16 : Precision::bf16;
}

/// The stated precision, or the nearest one the device computes in.
Precision precision_of_run(const Run& run, const Device& device, std::vector<std::string>& assumptions) {
    const Precision stated = stated_precision(run, device, assumptions);
    if (computes(device, stated)) return stated;
    const bool low = stated == Precision::fp8 || stated == Precision::mxfp8 || stated == Precision::fp4;
    if (low && computes(device, Precision::fp8)) {
        assumptions.push_back(fmt::format("{} has no rate for {}: fp8 taken", device.name, run.precision));
        return Precision::fp8;
    }
    if (low) assumptions.push_back(fmt::format("{} does not compute in {}: 16 bit taken", device.name, run.precision));
    return computes(device, Precision::bf16) ? Precision::bf16 : Precision::fp16;
}

}  // namespace

std::string device_name(std::string_view gpu) {
    const std::string cell = lower(gpu);
    for (const GpuName& name : kGpus)
        if (mentions(cell, name.phrase)) return std::string(name.device);
    return profiles::device_key(gpu);
}

std::optional<double> nic_of_text(std::string_view network, double devices_per_node) {
    const std::string text = lower(network);
    // Leonardo: two ports of 100 Gb/s for a pair of GPUs.
    if (mentions(text, "dual-port hdr100")) return 100 * kBytesPerGbit;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!digit(text[at]) || (at > 0 && (digit(text[at - 1]) || text[at - 1] == '.'))) continue;
        const LinkRate rate = rate_at(text, at);
        if (rate.gbit == 0) continue;
        const std::string_view rest = std::string_view(text).substr(rate.end);
        const double links = std::max(1.0, rate.links);
        if (rate.links > 0 || mentions(rest, "/node") || mentions(rest, "per node"))
            return links * rate.gbit * kBytesPerGbit / devices_per_node;
        if (mentions(rest, "per gpu") || mentions(rest, "/gpu")) return rate.gbit * kBytesPerGbit;
    }
    return std::nullopt;
}

Result<void> cluster_of_run(const Run& run, Stack stack, CatalogCache& catalog, MappedRun& mapped) {
    const auto reason = [](std::string text) { return tl::unexpected(Error{ErrorCode::unsupported, std::move(text), {}, {}}); };
    const std::string name = device_name(run.gpu);
    if (name.empty()) return reason(fmt::format("gpu '{}' is not in the catalog", run.gpu));
    const Result<Device> device = catalog.device(name);
    if (!device) return reason(device.error().message);
    if (run.gpus <= 0) return reason("n_gpus is not stated");
    Result<Cluster> cluster = sized_cluster(run, *device);
    if (!cluster) return reason(cluster.error().message);
    if (cluster->tiers.size() > 1) {
        const Result<Tier> fabric = catalog.fabric(std::string(stack == Stack::nanotron ? kHuggingFaceFabric : kFabric));
        if (!fabric) return reason(fabric.error().message);
        Tier& outer = cluster->tiers.back();
        outer.name = fabric->name;
        outer.latency = fabric->latency;
        outer.efficiency = fabric->efficiency;
        outer.decay = fabric->decay;
        outer.provenance = fabric->provenance;
        if (const auto nic = nic_of_text(run.network, cluster->devices_per_node)) outer.bandwidth = BytesPerSecond{*nic};
    }
    mapped.job.cluster = std::move(*cluster);
    mapped.job.workload.precision = precision_of_run(run, *device, mapped.assumptions);
    return {};
}

}  // namespace ndtune::published

#include "reports/insight.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/text.h"

namespace ndtune::reports {

namespace {

Part part_of(Bucket bucket) {
    switch (bucket) {
        case Bucket::matmul:
        case Bucket::attention:
        case Bucket::elementwise:
        case Bucket::loss: return Part::compute;
        case Bucket::recompute: return Part::recompute;
        case Bucket::tp_exposed: return Part::tp;
        case Bucket::cp_exposed: return Part::cp;
        case Bucket::fsdp_exposed: return Part::fsdp;
        case Bucket::dp_exposed: return Part::dp;
        case Bucket::optimizer: return Part::optimizer;
        case Bucket::host: return Part::host;
    }
    return Part::host;
}

std::string spaced(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

}  // namespace

std::string_view to_string(Part part) {
    constexpr std::array<std::string_view, kParts> kNames = {"compute", "recompute", "tp",        "cp",
                                                             "fsdp",    "dp",        "optimizer", "host"};
    return kNames[static_cast<std::size_t>(part)];
}

std::array<Seconds, kParts> parts(const Estimate& estimate) {
    std::array<Seconds, kParts> sums{};
    for (int i = 0; i < kBuckets; ++i) {
        const auto bucket = static_cast<Bucket>(i);
        sums[static_cast<std::size_t>(part_of(bucket))] += estimate.bucket(bucket);
    }
    return sums;
}

std::string bound_by(const Estimate& estimate, std::size_t words) {
    constexpr double kWorthAWord = 0.03;  // a part below 3 % of the step binds nothing
    const std::array<Seconds, kParts> times = parts(estimate);
    std::array<Part, kParts> order{};
    for (std::size_t i = 0; i < kParts; ++i) order[i] = static_cast<Part>(i);
    const auto time = [&](Part part) { return times[static_cast<std::size_t>(part)]; };
    std::stable_sort(order.begin(), order.end(), [&](Part a, Part b) { return time(a) > time(b); });
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(words, kParts); ++i) {
        const double share = time(order[i]) / estimate.step_time;
        if (i > 0 && !(share >= kWorthAWord)) break;
        text += fmt::format("{}{} {:.0f}%", i == 0 ? "" : ", ", to_string(order[i]), 100 * share);
    }
    return text;
}

std::string largest_beside_compute(const Estimate& estimate) {
    const std::array<Seconds, kParts> times = parts(estimate);
    const auto largest = std::max_element(times.begin() + 1, times.end());
    static_assert(static_cast<int>(Part::compute) == 0);
    return fmt::format("{} {:.0f}%", to_string(static_cast<Part>(largest - times.begin())),
                       100 * (*largest / estimate.step_time));
}

std::string words(Bucket bucket) {
    return spaced(to_string(bucket));
}

std::string_view describe(Bucket bucket) {
    switch (bucket) {
        case Bucket::matmul: return "linear layers and head, forward and backward";
        case Bucket::attention: return "attention core";
        case Bucket::elementwise: return "norms, activations, RoPE, residuals, gradient accumulation";
        case Bucket::loss: return "cross-entropy and embedding look-up";
        case Bucket::recompute: return "forward work done again to save memory";
        case Bucket::tp_exposed: return "tensor-parallel exchange that nothing hides";
        case Bucket::cp_exposed: return "keys and values of other ranks waited for";
        case Bucket::fsdp_exposed: return "weight gathers and gradient scatters that nothing hides, and their drag on kernels";
        case Bucket::dp_exposed: return "gradient sync over dp_replicate that nothing hides";
        case Bucket::optimizer: return "gradient norm and optimizer";
        case Bucket::host: return "GPU waiting for the CPU to launch kernels";
    }
    return "";
}

std::string words(LedgerRow row) {
    return spaced(to_string(row));
}

std::string words(MemoryPhase phase) {
    switch (phase) {
        case MemoryPhase::loss: return "the loss";
        case MemoryPhase::backward_start: return "the start of the backward pass";
        case MemoryPhase::backward_end: return "the end of the backward pass";
        case MemoryPhase::optimizer: return "the optimizer step";
    }
    return "";
}

TimeUnit time_unit(Seconds typical) {
    if (typical.value >= 0.9995) return {1, "s", typical.value};
    if (typical.value >= 0.9995e-3) return {1e3, "ms", typical.value * 1e3};
    return {1e6, "us", typical.value * 1e6};
}

std::string TimeUnit::text(Seconds seconds) const {
    return sig3(seconds.value * per_second);
}

std::string TimeUnit::part_text(Seconds seconds) const {
    std::string text = sig3_like(seconds.value * per_second, typical);
    return text.find_first_of("123456789") == std::string::npos ? "" : text;
}

std::vector<Term> differences(const Estimate& a, const Estimate& b) {
    constexpr double kNoticeable = 1e-3;  // of the step
    std::vector<Term> terms;
    for (int i = 0; i < kBuckets; ++i) {
        const auto bucket = static_cast<Bucket>(i);
        const Seconds delta = b.bucket(bucket) - a.bucket(bucket);
        if (std::abs(delta.value) >= kNoticeable * a.step_time.value) terms.push_back({bucket, delta});
    }
    std::stable_sort(terms.begin(), terms.end(),
                     [](const Term& x, const Term& y) { return std::abs(x.delta.value) > std::abs(y.delta.value); });
    return terms;
}

std::string difference_text(const Estimate& a, const Estimate& b, std::size_t count) {
    const std::vector<Term> terms = differences(a, b);
    const TimeUnit unit = time_unit(a.step_time);
    std::string text;
    for (std::size_t i = 0; i < std::min(count, terms.size()); ++i) {
        const std::string part = unit.part_text(terms[i].delta);
        if (part.empty()) break;
        text += fmt::format("{}{} {}{}", i == 0 ? "" : ", ", words(terms[i].bucket), terms[i].delta.value > 0 ? "+" : "", part);
    }
    return text.empty() ? "no part of the step differs by 0.1%" : fmt::format("{} {}", text, unit.name);
}

std::string comparison_text(const Estimate& a, const Estimate& b, std::size_t count) {
    const Seconds delta = b.step_time - a.step_time;
    const double share = delta / a.step_time;
    if (std::abs(share) < 5e-4) return "as fast: " + difference_text(a, b, count);
    return fmt::format("{}% {}: {}", percent(std::abs(share)), delta.value > 0 ? "slower" : "faster",
                       difference_text(a, b, count));
}

std::string spelled_out(const Plan& plan) {
    const Mesh& mesh = plan.mesh;
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (mesh.dp_replicate > 1) add(fmt::format("{} replicas", mesh.dp_replicate));
    if (mesh.dp_shard > 1) add(fmt::format("FSDP over {}", mesh.dp_shard));
    if (mesh.cp > 1) add(fmt::format("context parallel {}{}", mesh.cp, plan.cp_method == CpMethod::ring ? "" : " (all-gather)"));
    if (mesh.tp > 1) add(fmt::format("tensor parallel {}", mesh.tp));
    if (text.empty()) text = "one device";
    text += fmt::format("; {} at a time", plural(static_cast<std::uint64_t>(plan.micro_batch), "sequence"));
    add(plan.grad_accum == 1 ? "one pass a step" : fmt::format("{} passes a step", plan.grad_accum));
    if (plan.recompute == Recompute::none) add("no recompute");
    if (plan.recompute == Recompute::selective) add("selective recompute");
    if (plan.recompute == Recompute::full) {
        add(plan.recompute_layers == 0 ? "full recompute" : fmt::format("full recompute of {} layers", plan.recompute_layers));
    }
    if (!plan.reshard_after_forward) add("weights kept gathered until the backward pass");
    if (!plan.sync_every_micro_batch) add("gradients reduced in the last pass only");
    if (plan.shard_optimizer) add("optimizer sharded over the replicas (ZeRO-1)");
    return text;
}

std::string provenance_text(const Job& job) {
    const Device& device = job.cluster.device;
    const auto precision = static_cast<std::size_t>(job.workload.precision);
    Provenance network = Provenance::exact;
    for (const Tier& tier : job.cluster.tiers) network = weakest(network, tier.provenance);
    std::string text = fmt::format("matmul {}, attention {}", to_string(device.gemm[precision].provenance),
                                   to_string(device.attention[static_cast<std::size_t>(job.runtime.attention)].provenance));
    if (job.cluster.devices() > 1) text += fmt::format(", network {}", to_string(network));
    return text + fmt::format(", memory size {}, runtime {}; the answer is as good as the weakest of them",
                              to_string(device.memory.provenance), to_string(job.runtime.provenance));
}

}  // namespace ndtune::reports

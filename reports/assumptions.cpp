#include "reports/assumptions.h"

#include <fmt/format.h>

#include "cost_model/quantity.h"
#include "reports/enum_names.h"
#include "reports/table.h"
#include "reports/text.h"

namespace ndtune::reports {

namespace {

constexpr std::size_t kLabelWidth = 10;

/// 8192 -> "8k", 5000 -> "5000".
std::string length_text(std::int64_t tokens) {
    return tokens >= 1024 && tokens % 1024 == 0 ? fmt::format("{}k", tokens / 1024) : std::to_string(tokens);
}

}  // namespace

std::string device_word(const Device& device) {
    return device.cpu ? "CPU rank" : "GPU";
}

std::string labelled(std::string_view label, const std::string& text, const ConsoleStyle& style) {
    const auto width = static_cast<std::size_t>(std::max(style.width, 40));
    return wrap(fmt::format("{:<{}}{}", label, kLabelWidth, text), width, kLabelWidth) + "\n";
}

std::string runtime_line(const Runtime& runtime, const Workload& workload) {
    const std::string_view precision = name(workload.precision);
    const bool mixed = workload.precision != Precision::fp32;
    return fmt::format("{} ({}); {}, AdamW{}", printable(runtime.title), printable(runtime.name), precision,
                       mixed ? " with fp32 states" : "");
}

std::string model_line(const Model& model, const Workload& workload) {
    const ParameterCount count = parameters(model);
    const std::string active =
        count.active == count.total ? "" : fmt::format(" ({} active)", format_count(static_cast<double>(count.active)));
    return fmt::format("{}, {} parameters{}, {} FLOP/token at {} tokens", printable(model.name),
                       format_count(static_cast<double>(count.total)), active,
                       power_of_ten(flops_per_token(model, workload.seq_len)), length_text(workload.seq_len));
}

std::string step_line(const Workload& workload) {
    return fmt::format("{} of {} tokens = {} tokens", plural(static_cast<std::uint64_t>(workload.global_batch), "sequence"),
                       length_text(workload.seq_len), format_count(workload.tokens_per_step()));
}

std::string cluster_line(const Cluster& cluster, double memory_margin) {
    const Device& device = cluster.device;
    const std::string word = device_word(device);
    const auto nodes = static_cast<std::uint64_t>(cluster.nodes);
    const auto devices = static_cast<std::uint64_t>(cluster.devices());
    std::string text = fmt::format("{} x {} {} = {}, {} each", plural(nodes, "node"), cluster.devices_per_node,
                                   printable(device.title), plural(devices, word), format_bytes(device.memory.value));
    if (memory_margin > 0) text += fmt::format(" ({:.3g}% of it kept free)", 100 * memory_margin);
    if (devices == 1) return text;
    for (std::size_t i = 0; i < cluster.tiers.size(); ++i) {
        const Tier& tier = cluster.tiers[i];
        text += fmt::format("{} {} {}{}", i == 0 ? ";" : ",", printable(tier.name), format_bandwidth(tier.bandwidth),
                            i + 1 == cluster.tiers.size() ? " per " + word : "");
        if (tier.oversubscription > 1) text += fmt::format(" ({}:1 oversubscribed)", sig3(tier.oversubscription));
    }
    return text;
}

std::string assumptions(const Job& job, double memory_margin, const ConsoleStyle& style) {
    return labelled("Runtime", runtime_line(job.runtime, job.workload), style) +
           labelled("Model", model_line(job.model, job.workload), style) + labelled("Step", step_line(job.workload), style) +
           labelled("Cluster", cluster_line(job.cluster, memory_margin), style);
}

}  // namespace ndtune::reports

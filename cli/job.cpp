#include "cli/job.h"

#include <fmt/format.h>

#include <array>
#include <fstream>

#include "cli/flag_values.h"
#include "profiles/catalog.h"
#include "profiles/cluster_file.h"
#include "profiles/hf_config.h"
#include "reports/enum_names.h"

namespace ndtune::cli {
namespace {

bool supports(const Device& device, Precision precision) {
    return device.gemm[static_cast<std::size_t>(precision)].peak.value > 0;
}

/// bf16, or on parts without it (V100, T4) fp16, or fp32. A CPU computes in fp32.
Precision default_precision(const Device& device) {
    if (device.cpu) return Precision::fp32;
    for (Precision p : {Precision::bf16, Precision::fp16}) {
        if (supports(device, p)) return p;
    }
    return Precision::fp32;
}

Result<void> set_precision(JobInput& input, const SearchCommand& command) {
    const Device& device = input.job.cluster.device;
    if (!command.precision) {
        if (supports(device, input.job.workload.precision)) return {};
        input.job.workload.precision = default_precision(device);
        input.warnings.push_back(
            fmt::format("{} has no bf16 matrix units: {} is assumed", device.name, reports::name(input.job.workload.precision)));
        return {};
    }
    const auto precision = parse_precision(*command.precision);
    if (!precision) return tl::unexpected(precision.error());
    if (!supports(device, *precision)) {
        return bad_input(fmt::format("{} has no {} matrix units", device.name, *command.precision), "--precision",
                         fmt::format("--precision {}", reports::name(default_precision(device))));
    }
    input.job.workload.precision = *precision;
    return {};
}

Result<void> set_runtime(Job& job, const SearchCommand& command) {
    if (!command.runtime && !job.runtime.name.empty()) return {};
    auto runtime = profiles::find_runtime(command.runtime.value_or(job.cluster.device.cpu ? "ndtune" : "fsdp2"));
    if (!runtime) {
        runtime.error().where = "--runtime";
        return tl::unexpected(runtime.error());
    }
    job.runtime = *runtime;
    return {};
}

Result<void> set_sizes(Workload& workload, const SearchCommand& command) {
    if (command.seq) {
        const auto seq = parse_seq(*command.seq);
        if (!seq) return tl::unexpected(seq.error());
        workload.seq_len = *seq;
    }
    if (workload.seq_len == 0) return bad_input("the sequence length is missing", "--seq", "e.g. --seq 8k");
    if (command.batch) {
        const auto batch = parse_batch(*command.batch, workload.seq_len);
        if (!batch) return tl::unexpected(batch.error());
        workload.global_batch = *batch;
    }
    if (workload.global_batch == 0) {
        return bad_input("the global batch is missing", "--batch", "e.g. --batch 512 (sequences) or --batch 4Mtok");
    }
    return {};
}

constexpr std::string_view kAboutSequence = "a sequence of ";

Result<void> check_sequence(JobInput& input) {
    // A repeated report brings the word on its own sequence along: it is said anew.
    std::erase_if(input.warnings, [](const std::string& warning) { return warning.starts_with(kAboutSequence); });
    const Model& model = input.job.model;
    const std::int64_t seq = input.job.workload.seq_len;
    if (model.positions > 0 && seq > model.positions) {
        return bad_input(
            fmt::format("a sequence of {} tokens, but {} has {} learned positions", seq, model.name, model.positions), "--seq",
            fmt::format("--seq {}, or a model with rotary positions", model.positions));
    }
    if (model.max_seq > 0 && seq > model.max_seq) {
        input.warnings.push_back(
            fmt::format("{}{} tokens is longer than the {} that {} states", kAboutSequence, seq, model.max_seq, model.name));
    }
    return {};
}

/// Every message names a place and a remedy: the flag and its rule, where the reader has nothing closer.
tl::unexpected<Error> refused(Error error, std::string_view where, std::string_view hint) {
    if (error.where.empty()) error.where = where;
    if (error.hint.empty()) error.hint = hint;
    return tl::unexpected(std::move(error));
}

}  // namespace

Result<JobInput> with_flags(JobInput input, const SearchCommand& command) {
    return set_sizes(input.job.workload, command)
        .and_then([&] { return set_runtime(input.job, command); })
        .and_then([&] { return set_precision(input, command); })
        .and_then([&] { return check_sequence(input); })
        .map([&] { return std::move(input); });
}

Result<JobInput> job_from_flags(const SearchCommand& command) {
    if (!command.cluster) {
        return bad_input("the cluster is missing", "--cluster",
                         "e.g. --cluster 2x8xh100-sxm, or --gpus and --device to compare sizes");
    }
    auto model = profiles::read_model(command.model);
    if (!model) return refused(model.error(), "MODEL", "a Hugging Face config.json, or a preset of: ndtune catalog models");
    auto cluster = profiles::read_cluster(*command.cluster);
    if (!cluster)
        return refused(cluster.error(), "--cluster",
                       "a cluster file reads device = \"h100-sxm\", nodes = 2, devices_per_node = 8");
    JobInput input;
    input.job.model = std::move(model->model);
    input.job.cluster = std::move(*cluster);
    input.warnings = std::move(model->warnings);
    if (input.job.cluster.device.cpu) input.job.workload.precision = default_precision(input.job.cluster.device);
    return with_flags(std::move(input), command);
}

bool is_report(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, 256> start{};
    file.read(start.data(), start.size());
    const std::string_view text(start.data(), static_cast<std::size_t>(file.gcount()));
    return text.find("\"schema\"") != std::string_view::npos && text.find("ndtune") != std::string_view::npos;
}

}  // namespace ndtune::cli

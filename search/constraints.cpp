#include "search/constraints.h"

#include <algorithm>

#include <fmt/format.h>

#include "search/mesh_rules.h"
#include "search/search.h"

namespace ndtune::search {
namespace {

constexpr std::array<std::string_view, kRules> kNames = {
    "mesh_product", "user_limit", "within_node",    "tp_heads",  "tp_kv_heads",  "tp_ffn",       "tp_vocab", "cp_sequence",
    "sp_sequence",  "batch",      "ddp_with_tp_cp", "cp_window", "tied_with_tp", "runtime_knob", "memory"};

std::optional<Violation> knob(const Job& job, const Plan& plan) {
    const Runtime& runtime = job.runtime;
    const auto refused = [&](std::string_view what, std::string_view hint) {
        return Violation{Rule::runtime_knob, fmt::format("{} has no {}", runtime.name, what), std::string(hint)};
    };
    const int layers = job.model.layer_count();
    if (plan.recompute == Recompute::full && plan.recompute_layers > layers) {
        return Violation{Rule::runtime_knob,
                         fmt::format("ac=full:{} is above the model's {} layers", plan.recompute_layers, layers),
                         "ac=full recomputes all layers"};
    }
    if (plan.recompute == Recompute::selective && !runtime.allow_selective) {
        return refused("selective recompute", "use ac=full:LAYERS");
    }
    if (!plan.sync_every_micro_batch && plan.grad_accum > 1 && !runtime.allow_no_sync) {
        return refused("accumulation without gradient sync", "leave sync=last out");
    }
    if (plan.shard_optimizer && !runtime.allow_zero1) return refused("sharded optimizer over dp_replicate", "leave z1 out");
    if (plan.shard_optimizer && plan.mesh.dp_shard > 1) {
        return Violation{
            Rule::runtime_knob,
            fmt::format("z1 shards the optimizer in place of the parameters; dp_shard {} shards both", plan.mesh.dp_shard),
            "leave z1 out, or use dp_replicate"};
    }
    if (!plan.reshard_after_forward && !runtime.allow_fsdp) return refused("resharding to switch off", "leave rs=off out");
    return std::nullopt;
}

std::optional<Violation> plan_batch(const Job& job, const Plan& plan) {
    const std::int64_t step = plan.mesh.data_parallel() * plan.micro_batch;  // sequences per accumulation pass
    const std::int64_t wanted = job.workload.global_batch;
    if (step <= wanted && wanted % step == 0 && wanted / step == plan.grad_accum) return std::nullopt;
    const std::int64_t passes = std::max<std::int64_t>(1, (wanted + step / 2) / step);
    return Violation{Rule::batch,
                     fmt::format("mb {} x ga {} x dp_replicate {} x dp_shard {} is not the global batch of {} sequences",
                                 plan.micro_batch, plan.grad_accum, plan.mesh.dp_replicate, plan.mesh.dp_shard, wanted),
                     fmt::format("ga{} gives {} sequences, the nearest with this mesh and micro-batch", passes, passes * step)};
}

}  // namespace

std::string_view to_string(Rule rule) {
    return kNames[static_cast<std::size_t>(rule)];
}

std::optional<Rule> parse_rule(std::string_view name) {
    const auto at = std::find(kNames.begin(), kNames.end(), name);
    if (at == kNames.end()) return std::nullopt;
    return static_cast<Rule>(at - kNames.begin());
}

Constraints::Constraints(const Job& job, const Options& options) : job_(job), options_(options) {
    const Bytes memory = job.cluster.device.memory.value;
    const bool margin = options.memory_margin > 0 && options.memory_margin < 1;  // what else it may be, `check` refuses
    usable_ = margin ? Bytes{static_cast<std::int64_t>(static_cast<double>(memory.value) * (1 - options.memory_margin))} : memory;
    enabled_.fill(true);
    for (const Rule rule : options.disabled_rules) enabled_[static_cast<std::size_t>(rule)] = false;
    enabled_[static_cast<std::size_t>(Rule::mesh_product)] = true;  // another number of devices is another cluster
}

std::optional<Violation> Constraints::mesh(const Mesh& mesh) const {
    for (const MeshRule& rule : kMeshRules) {
        if (!enabled(rule.rule)) continue;
        if (auto violation = rule.check(job_, options_, mesh)) return violation;
    }
    return std::nullopt;
}

std::optional<Violation> Constraints::plan(const Plan& plan) const {
    auto of_mesh = mesh(plan.mesh);
    // The batch of the plan comes in the order of the rules: after a mesh rule that precedes it, before one that follows.
    if (enabled(Rule::batch) && (!of_mesh || of_mesh->rule > Rule::batch)) {
        if (auto violation = plan_batch(job_, plan)) return violation;
    }
    if (of_mesh) return of_mesh;
    return enabled(Rule::runtime_knob) ? knob(job_, plan) : std::nullopt;
}

std::optional<Violation> Constraints::memory(const MemoryLedger& ledger) const {
    if (fits(ledger.peak)) return std::nullopt;
    const auto gib = [](Bytes bytes) { return static_cast<double>(bytes.value) / kGiB; };
    const std::string margin = options_.memory_margin > 0 ? fmt::format(" ({:.1f} GiB less {:.3g} %)", gib(ledger.capacity),
                                                                        100 * options_.memory_margin)
                                                          : "";
    return Violation{Rule::memory,
                     fmt::format("peak {:.1f} GiB (in {}) is above the usable {:.1f} GiB{}", gib(ledger.peak),
                                 to_string(ledger.phase), gib(usable_), margin),
                     "recompute more layers, take a smaller micro-batch or shard over more devices"};
}

}  // namespace ndtune::search

#include "search/mesh_rules.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "search/search.h"

namespace ndtune::search {
namespace {

using Verdict = std::optional<Violation>;

Violation broken(Rule rule, std::string message, std::string hint) {
    return {rule, std::move(message), std::move(hint)};
}

// A product of sizes up to 2^20 each, held at 2^40: beyond any cluster, so that typed sizes cannot overflow.
std::int64_t times(std::int64_t ranks, int size) {
    return std::min(ranks * size, std::int64_t{1} << 40);
}

Verdict mesh_product(const Job& job, const Options&, const Mesh& mesh) {
    std::int64_t ranks = 1;
    for (const Axis axis : kAxes) ranks = times(ranks, mesh.along(axis));
    if (ranks == job.cluster.devices()) return std::nullopt;
    return broken(Rule::mesh_product,
                  fmt::format("dp_replicate {} x dp_shard {} x cp {} x tp {} is not {} devices", mesh.dp_replicate, mesh.dp_shard,
                              mesh.cp, mesh.tp, job.cluster.devices()),
                  "the four sizes must multiply to the number of devices");
}

Verdict user_limit(const Job&, const Options& options, const Mesh& mesh) {
    for (const AxisLimit& limit : options.limits) {
        const int size = mesh.along(limit.axis);
        if (limit.allows(size)) continue;
        const bool below = size < limit.min;
        return broken(Rule::user_limit,
                      fmt::format("{} {} is {} the limit of {}", to_string(limit.axis), size, below ? "below" : "above",
                                  below ? limit.min : limit.max),
                      fmt::format("change or leave out the limit on {}", to_string(limit.axis)));
    }
    return std::nullopt;
}

// Consecutive ranks that one group of `axis` covers: its own size times those of the axes inside it.
std::int64_t reach(const Cluster& cluster, const Mesh& mesh, Axis axis) {
    std::int64_t ranks = 1;
    for (auto inner = cluster.order.rbegin(); inner != cluster.order.rend(); ++inner) {
        ranks = times(ranks, mesh.along(*inner));
        if (*inner == axis) break;
    }
    return ranks;
}

bool inside_node(const Cluster& cluster, const Mesh& mesh, Axis axis) {
    if (mesh.along(axis) == 1) return true;
    const std::int64_t ranks = reach(cluster, mesh, axis);
    return ranks <= cluster.devices_per_node && cluster.devices_per_node % ranks == 0;
}

Verdict within_node(const Job& job, const Options& options, const Mesh& mesh) {
    for (const Axis axis : options.within_node) {
        if (inside_node(job.cluster, mesh, axis)) continue;
        return broken(Rule::within_node,
                      fmt::format("{} {} with the axes inside it covers {} consecutive devices; a node has {}", to_string(axis),
                                  mesh.along(axis), reach(job.cluster, mesh, axis), job.cluster.devices_per_node),
                      fmt::format("a size that divides {} together with its inner axes", job.cluster.devices_per_node));
    }
    return std::nullopt;
}

Verdict divides(Rule rule, int tp, std::int64_t count, std::string_view what) {
    if (count % tp == 0) return std::nullopt;
    return broken(rule, fmt::format("tp {} does not divide {} {}", tp, count, what), fmt::format("tp must divide {}", count));
}

Verdict tp_heads(const Job& job, const Options&, const Mesh& mesh) {
    return divides(Rule::tp_heads, mesh.tp, job.model.attention.heads, "attention heads");
}

Verdict tp_kv_heads(const Job& job, const Options&, const Mesh& mesh) {
    if (job.model.attention.latent()) return std::nullopt;  // the compressed keys and values are replicated, not divided
    return divides(Rule::tp_kv_heads, mesh.tp, job.model.attention.kv_heads, "kv heads");
}

Verdict tp_ffn(const Job& job, const Options&, const Mesh& mesh) {
    for (const LayerType& layer : job.model.layers) {
        if (auto bad = divides(Rule::tp_ffn, mesh.tp, layer.ffn, "MLP columns")) return bad;
        if (auto bad = divides(Rule::tp_ffn, mesh.tp, layer.expert_ffn, "expert MLP columns")) return bad;
        if (auto bad = divides(Rule::tp_ffn, mesh.tp, layer.shared_ffn, "shared-expert MLP columns")) return bad;
    }
    return std::nullopt;
}

Verdict tp_vocab(const Job& job, const Options&, const Mesh& mesh) {
    if (job.runtime.loss_parallel) return std::nullopt;  // the last shard of the vocabulary is padded
    return divides(Rule::tp_vocab, mesh.tp, job.model.vocab, "vocabulary entries");
}

Verdict cp_sequence(const Job& job, const Options&, const Mesh& mesh) {
    const std::int64_t length = job.workload.seq_len;
    const std::int64_t chunks = 2 * std::int64_t{mesh.cp};
    if (mesh.cp == 1 || length % chunks == 0) return std::nullopt;
    return broken(Rule::cp_sequence,
                  fmt::format("sequence {} % (2 x cp {}) = {}, not 0 (head-tail balance cuts it in 2 x cp chunks)", length,
                              mesh.cp, length % chunks),
                  fmt::format("a sequence that is a multiple of {}, or a smaller cp", chunks));
}

Verdict sp_sequence(const Job& job, const Options&, const Mesh& mesh) {
    const std::int64_t length = job.workload.seq_len;
    const std::int64_t parts = std::int64_t{mesh.cp} * mesh.tp;
    if (!job.runtime.sequence_parallel || mesh.tp == 1 || length % parts == 0) return std::nullopt;
    return broken(
        Rule::sp_sequence,
        fmt::format("sequence {} / cp {} is not a multiple of tp {} (sequence parallel divides it)", length, mesh.cp, mesh.tp),
        fmt::format("a sequence that is a multiple of {}, or a smaller tp", parts));
}

Verdict batch(const Job& job, const Options&, const Mesh& mesh) {
    const std::int64_t ranks = mesh.data_parallel();
    const std::int64_t wanted = job.workload.global_batch;
    if (wanted % ranks == 0) return std::nullopt;
    const std::int64_t nearest = std::max<std::int64_t>(1, (wanted + ranks / 2) / ranks) * ranks;
    return broken(Rule::batch,
                  fmt::format("dp_replicate {} x dp_shard {} = {} does not divide the global batch of {} sequences",
                              mesh.dp_replicate, mesh.dp_shard, ranks, wanted),
                  fmt::format("the nearest batch this mesh can reach is {}", nearest));
}

Verdict ddp_with_tp_cp(const Job& job, const Options&, const Mesh& mesh) {
    if (job.runtime.allow_ddp_with_tp || mesh.dp_replicate == 1 || mesh.dp_shard > 1) return std::nullopt;
    if (mesh.tp == 1 && mesh.cp == 1) return std::nullopt;
    return broken(Rule::ddp_with_tp_cp,
                  fmt::format("{} refuses dp_replicate {} with dp_shard 1 beside cp {} and tp {}", job.runtime.name,
                              mesh.dp_replicate, mesh.cp, mesh.tp),
                  "shard over dp_shard instead, or choose a runtime that allows it");
}

Verdict cp_window(const Job& job, const Options&, const Mesh& mesh) {
    if (mesh.cp == 1 || job.runtime.allow_cp_with_window) return std::nullopt;
    for (const LayerType& layer : job.model.layers) {
        if (layer.window == 0 || layer.window >= job.workload.seq_len) continue;  // the mask cuts nothing off
        return broken(Rule::cp_window,
                      fmt::format("{} would drop the sliding window of {} tokens with cp {} at sequence {}", job.runtime.name,
                                  layer.window, mesh.cp, job.workload.seq_len),
                      "cp = 1 for this model");
    }
    return std::nullopt;
}

Verdict tied_with_tp(const Job& job, const Options&, const Mesh& mesh) {
    if (mesh.tp == 1 || !job.model.tied_embeddings || job.runtime.allow_tied_with_tp) return std::nullopt;
    return broken(Rule::tied_with_tp, fmt::format("{} refuses tied embeddings with tp {}", job.runtime.name, mesh.tp),
                  "tp = 1, or untie the embeddings");
}

Verdict runtime_axis(const Job& job, const Options&, const Mesh& mesh) {
    if (mesh.dp_shard > 1 && !job.runtime.allow_fsdp) {
        return broken(Rule::runtime_knob,
                      fmt::format("{} does not shard parameters: dp_shard {} is not 1", job.runtime.name, mesh.dp_shard),
                      "use dp_replicate, with z1 for a sharded optimizer where the runtime has it");
    }
    if (mesh.cp > 1 && !job.runtime.allow_cp) {
        return broken(Rule::runtime_knob, fmt::format("{} has no context parallelism: cp {} is not 1", job.runtime.name, mesh.cp),
                      "cp = 1");
    }
    return std::nullopt;
}

}  // namespace

const std::array<MeshRule, kMeshRuleCount> kMeshRules = {{{Rule::mesh_product, mesh_product},
                                                          {Rule::user_limit, user_limit},
                                                          {Rule::within_node, within_node},
                                                          {Rule::tp_heads, tp_heads},
                                                          {Rule::tp_kv_heads, tp_kv_heads},
                                                          {Rule::tp_ffn, tp_ffn},
                                                          {Rule::tp_vocab, tp_vocab},
                                                          {Rule::cp_sequence, cp_sequence},
                                                          {Rule::sp_sequence, sp_sequence},
                                                          {Rule::batch, batch},
                                                          {Rule::ddp_with_tp_cp, ddp_with_tp_cp},
                                                          {Rule::cp_window, cp_window},
                                                          {Rule::tied_with_tp, tied_with_tp},
                                                          {Rule::runtime_knob, runtime_axis}}};

std::string caution(const Job& job, const Mesh& mesh) {
    for (const Axis axis : {Axis::tp, Axis::cp}) {
        if (inside_node(job.cluster, mesh, axis)) continue;
        return fmt::format("{} {} crosses nodes of {} devices; its communication is priced at the scale-out network's speed",
                           to_string(axis), mesh.along(axis), job.cluster.devices_per_node);
    }
    return {};
}

}  // namespace ndtune::search

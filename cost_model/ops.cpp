#include "cost_model/ops.h"

#include <algorithm>
#include <cmath>

#include "cost_model/assert.h"
#include "cost_model/shapes.h"

namespace ndtune {
namespace {

/// Elementwise backward reads the saved input besides what forward moves (by count: SwiGLU 5/3, norms about 2).
constexpr double kElementwiseBackward = 1.7;
/// fp32 optimizer step per owned parameter: read p, g, m, v; write p, m, v and the 16-bit copy.
constexpr double kAdamBytes = 30;
/// Gradient norm and clipping: read twice.
constexpr double kNormClipBytes = 8;

void push_linear(OpList& list, std::string_view name, double m, double k, double n, bool low_precision, double batch,
                 double wgrad_bytes) {
    Op op{.name = name, .kind = OpKind::gemm, .low_precision = low_precision, .batch = batch, .m = m, .k = k, .n = n};
    op.unaligned = std::fmod(k, kGemmAlignment) != 0 || std::fmod(n, kGemmAlignment) != 0;
    op.flops = 2 * m * k * n * batch;
    op.bytes = batch * (m * k + k * n + m * n);  // elements; compute.cpp knows their width
    list.push(op);
    op.phase = Phase::dgrad;
    list.push(op);
    op.phase = Phase::wgrad;
    op.m = k;
    op.k = m;
    list.push(op);
    if (wgrad_bytes > 0) {
        list.push({.name = "wgrad.accumulate",
                   .kind = OpKind::stream,
                   .phase = Phase::wgrad,
                   .bucket = Bucket::elementwise,
                   .bytes = wgrad_bytes * k * n * batch});
    }
}

void push_attention_projections(OpList& list, const Job& job, const Shapes& s) {
    const Attention& at = job.model.attention;
    const double t = s.tp, h = s.hidden, acc = job.runtime.wgrad_accumulate_bytes;
    if (!at.latent()) {
        push_linear(list, "qkv", s.tokens, h, (at.heads + 2.0 * at.kv_heads) * at.head_dim / t, true, 1, acc);
        push_linear(list, "attn.out", s.tokens, at.heads * static_cast<double>(at.head_dim) / t, h, true, 1, acc);
        return;
    }
    const double q = static_cast<double>(at.heads) * at.head_dim / t;
    const double nope = at.head_dim - at.rope_dim;
    if (at.q_rank > 0) {
        push_linear(list, "q.down", s.tokens, h, at.q_rank, true, 1, acc);
        push_linear(list, "q.up", s.tokens, at.q_rank, q, true, 1, acc);
    } else {
        push_linear(list, "q", s.tokens, h, q, true, 1, acc);
    }
    push_linear(list, "kv.down", s.tokens, h, at.kv_rank + at.rope_dim, true, 1, acc);
    push_linear(list, "kv.up", s.tokens, at.kv_rank, at.heads * (nope + at.value_dim) / t, true, 1, acc);
    push_linear(list, "attn.out", s.tokens, at.heads * static_cast<double>(at.value_dim) / t, h, true, 1, acc);
}

/// Scores and values: 4 B S S' a d / (t c) FLOPs forward, S' the mean keys a query sees, 2.5 times that backward (5 matmuls for
/// 2).
void push_attention_core(OpList& list, const Job& job, const Shapes& s, const LayerType& layer) {
    const Attention& at = job.model.attention;
    const double width = (at.head_dim + at.value_dim) / 2.0;
    const bool causal = job.runtime.causal_work && job.runtime.attention != AttentionKernel::plain;
    const double keys = causal ? s.mean_keys(layer.window) : s.seq;
    Op op{.name = "attention", .kind = OpKind::attention, .bucket = Bucket::attention};
    op.batch = s.batch * at.heads / s.tp;
    op.m = s.seq / s.cp;
    op.k = at.head_dim;
    op.n = s.seq;
    op.flops = 4 * s.tokens * keys * at.heads * width / s.tp;
    op.bytes = job.runtime.plain_score_bytes * op.batch * op.m * op.n;
    list.push(op);
    op.phase = Phase::backward;
    op.flops *= job.runtime.attention == AttentionKernel::plain ? 2.0 : 2.5;
    op.bytes *= 2;
    list.push(op);
}

void push_mlp(OpList& list, const Job& job, const Shapes& s, const LayerType& layer) {
    const double acc = job.runtime.wgrad_accumulate_bytes, h = s.hidden;
    const double up = job.model.gated_mlp ? 2.0 : 1.0;
    if (!layer.moe()) {
        const double f = static_cast<double>(layer.ffn) / s.tp;
        push_linear(list, "mlp.up", s.tokens, h, up * f, true, 1, acc);
        push_linear(list, "mlp.down", s.tokens, f, h, true, 1, acc);
        return;
    }
    const double fe = static_cast<double>(layer.expert_ffn) / s.tp;
    const double rows = std::max(1.0, s.tokens * layer.experts_per_token / layer.experts);  // balanced routing
    push_linear(list, "router", s.tokens, h, layer.experts, false, 1, acc);
    push_linear(list, "experts.up", rows, h, up * fe, true, layer.experts, acc);
    push_linear(list, "experts.down", rows, fe, h, true, layer.experts, acc);
    if (layer.shared_ffn > 0) {
        const double fs = static_cast<double>(layer.shared_ffn) / s.tp;
        push_linear(list, "shared.up", s.tokens, h, up * fs, true, 1, acc);
        push_linear(list, "shared.down", s.tokens, fs, h, true, 1, acc);
    }
}

/// Least traffic of norms (2 x r+w), residual adds (2 x 3), RoPE and the activation, in elements of `width` bytes.
void push_elementwise(OpList& list, const Job& job, const Shapes& s, const LayerType& layer) {
    const Attention& at = job.model.attention;
    const double act = job.model.gated_mlp ? 3.0 : 2.0;
    double bytes = s.width * s.tokens * (10 * s.hidden / s.sigma + 2.0 * (at.heads + at.kv_heads) * at.head_dim / s.tp);
    double back = kElementwiseBackward * bytes;
    if (layer.moe()) {  // permute, activation and unpermute of every routed copy
        const double fe = static_cast<double>(layer.expert_ffn) / s.tp, k = layer.experts_per_token;
        bytes += s.tokens * (k * (8 * s.hidden / s.sigma + 6 * fe) + 8 * s.hidden / s.sigma);
        back += s.tokens * (k * (12 * s.hidden / s.sigma + 10 * fe) + 16 * s.hidden / s.sigma);
    } else {
        const double a = s.width * s.tokens * act * static_cast<double>(layer.ffn) / s.tp;
        bytes += a;
        back += kElementwiseBackward * a;
    }
    Op op{.name = "elementwise", .kind = OpKind::elementwise, .bucket = Bucket::elementwise, .bytes = bytes};
    list.push(op);
    op.phase = Phase::backward;
    op.bytes = back;
    list.push(op);
    const double grad = job.runtime.grad_accumulate_bytes;
    if (grad > 0 && (job.runtime.grad_accumulate_always || s.grad_accum > 1)) {
        list.push({.name = "grad.accumulate",
                   .kind = OpKind::stream,
                   .phase = Phase::backward,
                   .bucket = Bucket::elementwise,
                   .bytes = grad * s.layer_weights(layer) / s.shard_group});
    }
}

Op collective(std::string_view name, Phase phase, Bucket bucket, Group group, Collective kind, double bytes, int repeat) {
    return {.name = name,
            .kind = OpKind::collective,
            .phase = phase,
            .bucket = bucket,
            .group = group,
            .collective = kind,
            .repeat = repeat,
            .bytes = bytes};
}

void push_tp(OpList& list, const Job& job, const Shapes& s) {
    if (s.tp <= 1) return;
    const double v = s.width * s.tokens * s.hidden;
    const auto push = [&](std::string_view name, Phase phase, Collective kind, bool refetch) {
        Op op = collective(name, phase, Bucket::tp_exposed, Group::tp, kind, v, 2);
        op.refetch = refetch;
        list.push(op);
    };
    if (!job.runtime.sequence_parallel) {
        push("tp.all_reduce", Phase::forward, Collective::all_reduce, false);
        push("tp.all_reduce", Phase::backward, Collective::all_reduce, false);
        return;
    }
    for (const Phase phase : {Phase::forward, Phase::backward}) {
        push("tp.all_gather", phase, Collective::all_gather, false);
        push("tp.reduce_scatter", phase, Collective::reduce_scatter, false);
    }
    push("tp.all_gather", Phase::backward, Collective::all_gather, true);  // inputs are kept divided (Korthikanti 2022)
}

/// K and V of the rank's tokens travel: c - 1 hops, or one gather. Backward: K and V again, and dK, dV back.
void push_cp(OpList& list, const Job& job, const Plan& plan, const Shapes& s) {
    if (s.cp <= 1) return;
    const Attention& at = job.model.attention;
    const double kv = s.width * s.tokens * at.kv_heads * (at.head_dim + at.value_dim) / s.tp;
    const int hops = static_cast<int>(s.cp) - 1;
    if (plan.cp_method == CpMethod::ring) {
        list.push(collective("cp.ring", Phase::forward, Bucket::cp_exposed, Group::cp, Collective::send_recv, kv, hops));
        list.push(collective("cp.ring", Phase::backward, Bucket::cp_exposed, Group::cp, Collective::send_recv, 2 * kv, hops));
        return;
    }
    const double full = kv * s.cp;
    list.push(collective("cp.all_gather", Phase::forward, Bucket::cp_exposed, Group::cp, Collective::all_gather, full, 1));
    list.push(collective("cp.all_gather", Phase::backward, Bucket::cp_exposed, Group::cp, Collective::all_gather, full, 1));
    list.push(
        collective("cp.reduce_scatter", Phase::backward, Bucket::cp_exposed, Group::cp, Collective::reduce_scatter, full, 1));
}

/// Gathers and reductions of one FSDP unit of `weights` parameters (per tp rank).
void push_unit(OpList& list, const Shapes& s, double weights, bool reshard) {
    const double gather = s.gather_bytes * weights, reduce = s.reduce_bytes * weights;
    constexpr Bucket kBucket = Bucket::fsdp_exposed;
    if (s.shard_group > 1) {
        list.push(collective("fsdp.all_gather", Phase::forward, kBucket, Group::shard, Collective::all_gather, gather, 1));
        if (reshard) {
            list.push(collective("fsdp.all_gather", Phase::backward, kBucket, Group::shard, Collective::all_gather, gather, 1));
        }
        list.push(
            collective("fsdp.reduce_scatter", Phase::backward, kBucket, Group::shard, Collective::reduce_scatter, reduce, 1));
        // The gradients are laid out rank by rank before the reduction, and cast: one read and one write.
        list.push({.name = "fsdp.copy_in",
                   .kind = OpKind::stream,
                   .phase = Phase::backward,
                   .bucket = kBucket,
                   .group = Group::shard,
                   .bytes = 2 * reduce});
        if (s.replicas > 1) {
            list.push(collective("hsdp.all_reduce", Phase::backward, kBucket, Group::replicate, Collective::all_reduce,
                                 reduce / s.shard_group, 1));
        }
    }
}

}  // namespace

std::string_view to_string(OpKind kind) {
    constexpr std::string_view kNames[] = {"gemm", "attention", "elementwise", "loss", "stream", "collective"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_string(Phase phase) {
    constexpr std::string_view kNames[] = {"forward", "dgrad", "wgrad", "backward", "step"};
    return kNames[static_cast<std::size_t>(phase)];
}

std::string_view to_string(Group group) {
    constexpr std::string_view kNames[] = {"none", "replicate", "shard", "cp", "tp", "data"};
    return kNames[static_cast<std::size_t>(group)];
}

std::string_view to_string(Collective collective) {
    constexpr std::string_view kNames[] = {"all_gather", "reduce_scatter", "all_reduce", "all_to_all", "send_recv"};
    return kNames[static_cast<std::size_t>(collective)];
}

void OpList::push(const Op& op) {
    NDTUNE_ASSERT(size_ < kCapacity);
    ops_[size_++] = op;
}

OpList layer_ops(const Job& job, const Plan& plan, const LayerType& layer) {
    const Shapes s = shapes(job, plan);
    OpList list;
    push_attention_projections(list, job, s);
    push_attention_core(list, job, s, layer);
    push_mlp(list, job, s, layer);
    push_elementwise(list, job, s, layer);
    push_tp(list, job, s);
    push_cp(list, job, plan, s);
    return list;
}

OpList head_ops(const Job& job, const Plan& plan) {
    const Shapes s = shapes(job, plan);
    OpList list;
    const double vocab = s.vocab / s.loss_tp;
    push_linear(list, "head", s.tokens, s.hidden, s.vocab / s.tp, false, 1, 0);
    Op loss{.name = "loss", .kind = OpKind::loss, .bucket = Bucket::loss, .bytes = s.tokens * vocab / 2};
    list.push(loss);  // bytes: logits; the runtime's loss_bytes prices them, half each way
    loss.phase = Phase::backward;
    list.push(loss);
    list.push({.name = "embedding.grad",
               .kind = OpKind::stream,
               .phase = Phase::backward,
               .bucket = Bucket::loss,
               .bytes = 4 * s.width * s.tokens * s.hidden});
    if (job.runtime.grad_accumulate_always) {
        list.push({.name = "grad.accumulate",
                   .kind = OpKind::stream,
                   .phase = Phase::backward,
                   .bucket = Bucket::elementwise,
                   .bytes = job.runtime.grad_accumulate_bytes * s.vocab * s.hidden / s.tp});
    }
    return list;
}

OpList unit_ops(const Job& job, const Plan& plan, const LayerType& layer) {
    const Shapes s = shapes(job, plan);
    OpList list;
    push_unit(list, s, s.layer_weights(layer), plan.reshard_after_forward);
    return list;
}

OpList root_unit_ops(const Job& job, const Plan& plan) {
    const Shapes s = shapes(job, plan);
    OpList list;
    push_unit(list, s, s.root_weights(), false);  // the root stays gathered until its backward is done
    return list;
}

OpList step_ops(const Job& job, const Plan& plan) {
    const Shapes s = shapes(job, plan);
    OpList list;
    const double weights = s.rank_weights();
    const double data = s.data_group;
    double owned = weights / s.shard_group;
    if (s.shard_group <= 1 || !s.fsdp) {
        const Collective sync = plan.shard_optimizer ? Collective::reduce_scatter : Collective::all_reduce;
        if (data > 1) {
            list.push(
                collective("dp.grad_sync", Phase::step, Bucket::dp_exposed, Group::data, sync, s.reduce_bytes * weights, 1));
        }
        if (plan.shard_optimizer && data > 1) {
            list.push(collective("dp.param_gather", Phase::step, Bucket::dp_exposed, Group::data, Collective::all_gather,
                                 s.gather_bytes * weights, 1));
            owned = weights / data;
        }
    }
    list.push({.name = "grad.norm_clip",
               .kind = OpKind::stream,
               .phase = Phase::step,
               .bucket = Bucket::optimizer,
               .bytes = kNormClipBytes * weights / (s.fsdp ? s.shard_group : 1.0)});
    list.push({.name = "optimizer",
               .kind = OpKind::stream,
               .phase = Phase::step,
               .bucket = Bucket::optimizer,
               .bytes = kAdamBytes * job.runtime.optimizer_traffic * owned});
    return list;
}

}  // namespace ndtune

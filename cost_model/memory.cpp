#include "cost_model/memory.h"

#include <algorithm>

namespace ndtune {
namespace {

constexpr double kMasterBytes = 4;     ///< fp32 weight
constexpr double kGradientBytes = 4;   ///< FSDP2 keeps the sharded gradient in the parameter's own (fp32) dtype
constexpr double kAdamStateBytes = 8;  ///< two fp32 moments
/// FSDP2 holds two gathered blocks at once (current and prefetched) and the root unit all the time.
constexpr double kGatheredUnits = 2;

using Rows = std::array<double, kLedgerRows>;

double& at(Rows& rows, LedgerRow row) {
    return rows[static_cast<std::size_t>(row)];
}

/// Bytes per logit at the loss's peak.
double logit_bytes(const Runtime& rt, const Shapes& s) {
    return s.loss_tp > 1 ? rt.loss_peak_bytes_tp : rt.loss_peak_bytes;
}

LayerMemory layer_memory(const Job& job, const Shapes& s, const LayerType& layer) {
    const Attention& a = job.model.attention;
    const ActivationCoefficients& c = job.runtime.activations;
    const double q = static_cast<double>(a.heads) * a.head_dim, out = static_cast<double>(a.heads) * a.value_dim;
    const double kv = static_cast<double>(a.kv_heads) * (a.head_dim + a.value_dim);
    const double w = s.width;
    const double core = (w * (q + kv) + w * out + 4.0 * a.heads) / s.tp;  // q, k, v; flash output; log-sum-exp
    const double wide = w / 2;                                            // coefficients are stated for 16 bit
    double kept = wide * (c.hidden * s.hidden / s.sigma + c.hidden_tp * s.hidden / s.tp) + c.constant + c.attention * core;
    kept += wide * c.gathered_kept * s.hidden * (1 - 1 / s.sigma);
    if (job.runtime.attention == AttentionKernel::plain) kept += c.plain_scores * a.heads * s.seq / s.tp;
    if (s.batch > 1 && s.tp > 1) kept += wide * c.batch_copy * s.hidden / s.tp;
    if (s.cp > 1) kept += wide * c.cp_output * out / s.tp;
    if (layer.moe()) {
        const double wide_ffn = 6.0 * static_cast<double>(layer.expert_ffn) / s.tp;
        kept += wide * (layer.experts_per_token * (c.moe_token * s.hidden + wide_ffn) +
                        c.ffn * static_cast<double>(layer.shared_ffn) / s.tp);
    } else {
        kept += wide * c.ffn * static_cast<double>(layer.ffn) / s.tp;
    }
    const double ffn = static_cast<double>(layer.moe() ? layer.expert_ffn * layer.experts_per_token : layer.ffn);
    const double selective =
        wide * c.selective_hidden * s.hidden / s.sigma +
        c.selective_attention * (w * (2 * out + static_cast<double>(a.kv_heads) * a.head_dim) + 4.0 * a.heads) / s.tp +
        wide * c.selective_ffn * ffn / s.tp;
    const double checkpoint = wide * c.checkpoint * s.hidden / (c.checkpoint_divided ? s.sigma : 1.0);
    return {s.tokens * kept, s.tokens * selective, s.tokens * checkpoint};
}

/// Bytes that stay for the whole step: weights, masters, moments, gradient buffers.
void add_states(Rows& rows, const Job& job, const Plan& plan, const Shapes& s, double weights) {
    const Runtime& rt = job.runtime;
    if (s.fsdp) {
        at(rows, LedgerRow::parameters) = kMasterBytes * weights / s.shard_group;
        at(rows, LedgerRow::gradients) = kGradientBytes * weights / s.shard_group;
        at(rows, LedgerRow::optimizer_states) = kAdamStateBytes * weights / s.shard_group;
        return;
    }
    const double owned = plan.shard_optimizer ? weights / s.data_group : weights;
    const bool copy = rt.main_weights && job.workload.precision != Precision::fp32;
    // With 16-bit compute weights the fp32 master belongs to the optimizer and is sharded with it; else it is the weight.
    at(rows, LedgerRow::parameters) = copy ? s.width * weights : kMasterBytes * weights;
    at(rows, LedgerRow::optimizer_states) = (copy ? kMasterBytes + kAdamStateBytes : kAdamStateBytes) * owned;
    at(rows, LedgerRow::gradients) = rt.grad_buffer_bytes * weights;
    if (s.data_group > 1) at(rows, LedgerRow::communication) += rt.ddp_bucket_bytes * weights;
}

struct LayerSums {
    double kept = 0;     ///< activations of all layers
    double largest = 0;  ///< one layer's full activations, rebuilt while it runs backward
};

LayerSums sum_layers(const Job& job, const Plan& plan, const MemoryShapes& m) {
    LayerSums sums;
    const double all = m.layer_count;
    const double share = plan.recompute == Recompute::full && plan.recompute_layers > 0 ? plan.recompute_layers / all : 1.0;
    for (std::size_t i = 0; i < job.model.layers.size(); ++i) {
        const LayerType& type = job.model.layers[i];
        const LayerMemory& mem = m.layers[i];
        double kept = mem.kept;
        if (plan.recompute == Recompute::selective) kept = mem.selective;
        if (plan.recompute == Recompute::full) kept = share * mem.checkpoint + (1 - share) * mem.kept;
        sums.kept += type.count * kept;
        if (plan.recompute != Recompute::none) sums.largest = std::max(sums.largest, mem.kept);
    }
    return sums;
}

/// Gathered weights and unreduced gradients that a moment of the step holds.
void add_fsdp(Rows& rows, const Plan& plan, const Shapes& s, const MemoryShapes& m, MemoryPhase phase) {
    if (!s.fsdp) return;
    const bool keeps_all = !plan.reshard_after_forward;
    at(rows, LedgerRow::gathered_units) = s.width * (keeps_all ? m.weights : m.root + kGatheredUnits * m.unit);
    if (!plan.sync_every_micro_batch && plan.grad_accum > 1) {
        at(rows, LedgerRow::unsharded_grads) = s.reduce_bytes * m.weights;
        return;
    }
    const double flight = s.reduce_bytes + s.width;  // reduce-scatter input beside the 16-bit gradient
    if (phase == MemoryPhase::backward_start) {
        at(rows, LedgerRow::unsharded_grads) = flight * m.unit + s.width * m.table;
    } else if (phase == MemoryPhase::backward_end) {
        at(rows, LedgerRow::unsharded_grads) = flight * m.root;
    }
}

Rows phase_rows(const Job& job, const Plan& plan, const Shapes& s, const MemoryShapes& m, const LayerSums& sums,
                MemoryPhase phase) {
    const Runtime& rt = job.runtime;
    Rows rows{};
    add_states(rows, job, plan, s, m.weights);
    add_fsdp(rows, plan, s, m, phase);
    at(rows, LedgerRow::temporaries) = rt.base_gib * kGiB;
    switch (phase) {
        case MemoryPhase::loss:
            at(rows, LedgerRow::activations) = sums.kept;
            at(rows, LedgerRow::logits) = m.logits;
            at(rows, LedgerRow::communication) += m.loss_gathered;
            break;
        case MemoryPhase::backward_start:
            at(rows, LedgerRow::activations) = sums.kept;
            at(rows, LedgerRow::temporaries) += sums.largest + m.work + m.wgrad_temporary;
            at(rows, LedgerRow::communication) += m.gathered;
            break;
        case MemoryPhase::backward_end:
            at(rows, LedgerRow::activations) = s.fsdp ? sums.kept / m.layer_count : 0.0;
            at(rows, LedgerRow::temporaries) += sums.largest + m.work;
            at(rows, LedgerRow::communication) += m.gathered;
            if (!s.fsdp) {
                at(rows, LedgerRow::unsharded_grads) += rt.final_grad_bytes * m.weights;
                if (rt.embedding_grad_copy) at(rows, LedgerRow::unsharded_grads) += s.width * m.table;
            }
            break;
        case MemoryPhase::optimizer:
            // Units are resharded, nothing of the micro-batch is left.
            at(rows, LedgerRow::gathered_units) = 0;
            at(rows, LedgerRow::unsharded_grads) = 0;
            break;
    }
    return rows;
}

}  // namespace

MemoryShapes memory_shapes(const Job& job, const Shapes& s) {
    const Runtime& rt = job.runtime;
    const Attention& a = job.model.attention;
    MemoryShapes m;
    m.weights = s.rank_weights();
    m.root = s.root_weights();
    m.table = s.vocab * s.hidden / s.tp;
    m.layer_count = job.model.layer_count();
    double ffn = 0;
    for (std::size_t i = 0; i < job.model.layers.size(); ++i) {
        const LayerType& type = job.model.layers[i];
        m.layers[i] = layer_memory(job, s, type);
        m.unit = std::max(m.unit, s.layer_weights(type));
        ffn = std::max(ffn, static_cast<double>(type.moe() ? type.expert_ffn * type.experts_per_token : type.ffn));
    }
    const double hidden = s.width * s.tokens * s.hidden;
    m.logits = logit_bytes(rt, s) * s.width / 2 * s.tokens * s.vocab / s.loss_tp;
    m.work = s.width * s.tokens * (2 * ffn / s.tp + s.hidden / s.tp);
    m.wgrad_temporary = rt.wgrad_temporary_bytes * 2 * s.hidden * ffn / s.tp;
    if (s.tp > 1 && rt.sequence_parallel) {
        m.gathered = s.width / 2 * rt.activations.gathered_inputs * s.tokens * s.hidden;
        m.loss_gathered = m.gathered;
    } else {
        m.loss_gathered = s.fsdp ? hidden : 0.0;
    }
    if (s.cp > 1) {
        // Current and incoming K/V block, and their fp32 gradients on the way back.
        const double kv = s.tokens * a.kv_heads * static_cast<double>(a.head_dim + a.value_dim) / s.tp;
        m.gathered += (2 * s.width + 8) * kv;
    }
    return m;
}

MemoryLedger memory_ledger(const Job& job, const Plan& plan, const Shapes& s, const MemoryShapes& m) {
    const Runtime& rt = job.runtime;
    MemoryLedger ledger;
    ledger.capacity = job.cluster.device.memory.value;
    const LayerSums sums = sum_layers(job, plan, m);
    bool first = true;
    for (int p = 0; p < kMemoryPhases; ++p) {
        const auto phase = static_cast<MemoryPhase>(p);
        Rows rows = phase_rows(job, plan, s, m, sums, phase);
        double allocated = 0;
        for (const double bytes : rows) allocated += bytes;
        at(rows, LedgerRow::allocator_slack) = (rt.slack - 1) * allocated;
        at(rows, LedgerRow::context) = rt.context_gib * kGiB;
        std::array<Bytes, kLedgerRows> whole{};
        Bytes total;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            whole[i] = whole_bytes(rows[i]);
            total += whole[i];
        }
        ledger.phase_totals[static_cast<std::size_t>(p)] = total;
        if (first || total > ledger.peak) {
            ledger.peak = total;
            ledger.phase = phase;
            ledger.rows = whole;
            first = false;
        }
    }
    return ledger;
}

}  // namespace ndtune

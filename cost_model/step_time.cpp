#include "cost_model/step_time.h"

#include <algorithm>

namespace ndtune {
namespace {

/// A refetched input gather runs beside the dgrad GEMM: half of it shows (found beside the published
/// tensor-parallel runs, not among the fitted constants).
constexpr double kRefetchExposed = 0.5;
/// Ring attention: launches of one K/V hop and the merge of partial results, seconds per hop and pass. Assumed.
constexpr double kRingHop[2] = {20e-6, 30e-6};
/// Merging partial attention results costs this share of the attention (log-sum-exp rescaling, smaller blocks). Assumed.
constexpr double kRingMerge = 0.1;
/// The root unit's traffic (embedding, head) has the first and last layers to hide under: half shows. Assumed.
constexpr double kRootExposed = 0.5;
/// Part of a synchronization that shows however much compute there is to hide it (last bucket). Assumed.
constexpr double kLastBucket = 0.05;
/// Node hops of TP collectives per layer and pass that cannot hide under the host floor (4 forward; 5 backward).
constexpr double kTpHops[2] = {4, 5};

int pass_of(Phase phase) {
    return phase == Phase::forward ? 0 : 1;
}

double& bucket(std::array<double, kBuckets>& b, Bucket name) {
    return b[static_cast<std::size_t>(name)];
}

void add_cp(LayerTimes& t, const Op& op, Seconds exchange) {
    const int pass = pass_of(op.phase);
    if (op.collective != Collective::send_recv) {
        t.cp[pass] += op.repeat * exchange.value;
        return;
    }
    const double attention = t.attention[pass];
    t.cp[pass] += smooth_positive(op.repeat * exchange.value - attention, kRingMerge * attention) + op.repeat * kRingHop[pass] +
                  kRingMerge * attention;
}

LayerTimes layer_times(const Job& job, const Plan& plan, const ComputeModel& compute, const LayerType& layer) {
    const Cluster& cluster = job.cluster;
    const GroupPlacement tp = place(cluster, plan.mesh, Group::tp), cp = place(cluster, plan.mesh, Group::cp);
    const double shown = tp.domains > 1 ? 1.0 : 1 - job.runtime.tp_overlap;
    LayerTimes t;
    const OpList list = layer_ops(job, plan, layer);
    for (const Op& op : list.ops()) {
        const int pass = pass_of(op.phase);
        if (op.kind == OpKind::collective && op.group == Group::tp) {
            const double one = collective_time(cluster, tp, op.collective, op.bytes).value;
            t.tp[pass] += op.repeat * one * shown * (op.refetch ? kRefetchExposed : 1.0);
        } else if (op.kind == OpKind::collective) {
            add_cp(t, op, collective_time(cluster, cp, op.collective, op.bytes));
        } else {
            const double time = compute.time(op).value;
            if (op.bucket == Bucket::matmul) t.matmul[pass] += time;
            if (op.bucket == Bucket::attention) t.attention[pass] += time;
            if (op.bucket == Bucket::elementwise) t.elementwise[pass] += time;
        }
    }
    if (tp.domains > 1) {
        const double hop = cluster.tiers[static_cast<std::size_t>(tp.outer_tier)].latency.value * (tp.domains - 1);
        for (int pass = 0; pass < 2; ++pass) t.tp_latency[pass] = std::min(kTpHops[pass] * hop, t.tp[pass]);
    }
    return t;
}

UnitTimes unit_times(const Job& job, const Plan& plan, const ComputeModel& compute, const OpList& list) {
    const GroupPlacement shard = place(job.cluster, plan.mesh, Group::shard);
    const GroupPlacement replicate = place(job.cluster, plan.mesh, Group::replicate);
    UnitTimes u;
    for (const Op& op : list.ops()) {
        if (op.kind != OpKind::collective) {
            u.reduce += compute.time(op).value;
            continue;
        }
        const GroupPlacement& p = op.group == Group::shard ? shard : replicate;
        const double time = collective_time(job.cluster, p, op.collective, op.bytes).value;
        if (op.collective == Collective::all_reduce) u.all_reduce += time;
        if (op.collective == Collective::reduce_scatter) u.reduce += time;
        if (op.collective == Collective::all_gather && op.phase == Phase::forward) u.gather += time;
    }
    return u;
}

/// Reduction of one unit: the scatter, then the all-reduce over the replicas.
double reduction(const UnitTimes& u) {
    return u.reduce + u.all_reduce;
}

/// What the communication streams are busy with while one layer computes. HSDP's all-reduce of the layer before shares the links
/// of the gather and the scatter, or runs beside them on its own.
double layer_communication(const Plan& plan, const MeshTimes& mesh, const UnitTimes& u, int pass, bool reduces) {
    if (pass == 0) return u.gather;
    const double gather = plan.reshard_after_forward ? u.gather : 0.0;
    if (!reduces) return gather;
    if (mesh.replicate_links) return std::max(gather + u.reduce, u.all_reduce);
    return gather + reduction(u);
}

/// Compute and communication on two streams: the longer one, and the slow-down each causes the other.
double overlapped(double compute, double communication, double contention) {
    if (communication <= 0) return compute;
    return overlap_max(compute, communication) + contention * std::min(compute, communication);
}

/// Sums of one pass over all layers for one micro-batch.
struct PassSums {
    std::array<double, kBuckets> buckets{};
    double gpu = 0;      ///< the sum of the buckets
    double latency = 0;  ///< part of `gpu` that adds to the host floor
    double host = 0;
};

void add_layers(PassSums& sums, const LayerTimes& t, int pass, double count, double repeated, double communication,
                double contention) {
    if (count <= 0) return;
    auto& b = sums.buckets;
    bucket(b, Bucket::matmul) += count * t.matmul[pass];
    bucket(b, Bucket::attention) += count * t.attention[pass];
    bucket(b, Bucket::elementwise) += count * t.elementwise[pass];
    bucket(b, Bucket::tp_exposed) += count * t.tp[pass];
    bucket(b, Bucket::cp_exposed) += count * t.cp[pass];
    bucket(b, Bucket::recompute) += count * repeated;
    const double busy = t.sum(pass) + repeated;
    bucket(b, Bucket::fsdp_exposed) += count * (overlapped(busy, communication, contention) - busy);
    sums.latency += count * t.tp_latency[pass];
}

PassSums sum_pass(const Job& job, const Plan& plan, const WorkTimes& work, const MeshTimes& mesh, int pass, bool reduces) {
    const Runtime& rt = job.runtime;
    const RecomputeShare share = recompute_share(job, plan);
    PassSums sums;
    for (std::size_t i = 0; i < job.model.layers.size(); ++i) {
        const LayerType& type = job.model.layers[i];
        const LayerTimes& t = work.layers[i];
        const UnitTimes& u = mesh.layers[i];
        const double communication = layer_communication(plan, mesh, u, pass, reduces);
        const double again = pass == 1 ? share.layers * type.count : 0.0;
        const double repeated = share.forward * t.sum(0) + share.attention * t.attention[0];
        add_layers(sums, t, pass, type.count - again, 0, communication, rt.contention);
        add_layers(sums, t, pass, again, repeated, communication, rt.contention);
        sums.host += type.count * host_seconds(job, plan, type, pass, false);
        sums.host += again * (host_seconds(job, plan, type, pass, true) - host_seconds(job, plan, type, pass, false));
    }
    sums.host += rt.host_micro_batch / 2;
    bucket(sums.buckets, Bucket::matmul) += work.head[pass];
    bucket(sums.buckets, Bucket::loss) += work.head_other[pass];
    for (const double x : sums.buckets) sums.gpu += x;
    // Kernels of inter-node TP wait for their peers' hosts: that latency comes on top of either side.
    const double gpu = sums.gpu - sums.latency;
    bucket(sums.buckets, Bucket::host) = smooth_max(gpu, sums.host) - gpu;
    return sums;
}

void accumulate(std::array<double, kBuckets>& total, const PassSums& pass, double times) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += times * pass.buckets[i];
}

double length(const PassSums& pass) {
    return pass.gpu + pass.buckets[static_cast<std::size_t>(Bucket::host)];
}

/// DDP and ZeRO-1: what the last backward pass cannot hide of the gradient sync, and the next forward of the parameter gather.
double data_parallel_exposed(const Runtime& rt, const PassSums& forward, const PassSums& backward, const MeshTimes& mesh) {
    if (mesh.grad_sync <= 0 && mesh.param_gather <= 0) return 0;
    const double sync = smooth_positive(mesh.grad_sync - rt.dp_overlap * length(backward), kLastBucket * mesh.grad_sync);
    const double gather = rt.parameter_gather_overlaps ? smooth_positive(mesh.param_gather - rt.dp_overlap * length(forward),
                                                                         kLastBucket * mesh.param_gather)
                                                       : rt.parameter_gather * mesh.param_gather;
    return sync + gather;
}

/// Megatron's fused softmax takes four rows of scores to a block: B a/t must be a multiple of 4.
bool softmax_is_fused(const Job& job, const Plan& plan) {
    return std::int64_t{plan.micro_batch} * job.model.attention.heads / plan.mesh.tp % 4 == 0;
}

}  // namespace

RecomputeShare recompute_share(const Job& job, const Plan& plan) {
    if (plan.recompute == Recompute::none) return {};
    if (plan.recompute == Recompute::full) {
        const double all = job.model.layer_count();
        return {1, 0, plan.recompute_layers > 0 ? plan.recompute_layers / all : 1.0};
    }
    if (job.runtime.selective_attention_only) return {0, 1, 1};
    return {job.runtime.selective_forward, 0, 1};
}

double host_seconds(const Job& job, const Plan& plan, const LayerType& layer, int pass, bool recomputed) {
    const Runtime& rt = job.runtime;
    const double forward = 1 / (1 + rt.host_backward);
    double share = pass == 0 ? forward : 1 - forward;
    if (pass == 1 && recomputed) share += forward * recompute_share(job, plan).forward;
    double host = rt.host_layer * share;
    if (rt.host_unfused_softmax > 0 && !softmax_is_fused(job, plan)) host += rt.host_unfused_softmax * share;
    if (plan.mesh.tp > 1) host *= rt.host_tp;
    return layer.moe() ? host * rt.host_moe : host;
}

WorkTimes work_times(const Job& job, const Plan& plan, const ComputeModel& compute) {
    WorkTimes w;
    for (std::size_t i = 0; i < job.model.layers.size(); ++i) {
        w.layers[i] = layer_times(job, plan, compute, job.model.layers[i]);
    }
    const OpList head = head_ops(job, plan);
    for (const Op& op : head.ops()) {
        double* const into = op.kind == OpKind::gemm ? w.head : w.head_other;
        into[pass_of(op.phase)] += compute.time(op).value;
    }
    return w;
}

MeshTimes mesh_times(const Job& job, const Plan& plan, const ComputeModel& compute) {
    const Cluster& cluster = job.cluster;
    MeshTimes m;
    for (std::size_t i = 0; i < job.model.layers.size(); ++i) {
        m.layers[i] = unit_times(job, plan, compute, unit_ops(job, plan, job.model.layers[i]));
    }
    m.root = unit_times(job, plan, compute, root_unit_ops(job, plan));
    m.replicate_links =
        place(cluster, plan.mesh, Group::replicate).domains > 1 && place(cluster, plan.mesh, Group::shard).domains <= 1;
    const GroupPlacement data = place(cluster, plan.mesh, Group::data);
    const OpList step = step_ops(job, plan);
    for (const Op& op : step.ops()) {
        if (op.kind != OpKind::collective) {
            m.optimizer += compute.time(op).value;
            continue;
        }
        const double time = collective_time(cluster, data, op.collective, op.bytes).value;
        (op.collective == Collective::all_gather ? m.param_gather : m.grad_sync) += time;
    }
    m.provenance = compute.provenance();
    for (const Group group : {Group::tp, Group::cp, Group::shard, Group::replicate}) {
        m.provenance = weakest(m.provenance, provenance(cluster, place(cluster, plan.mesh, group), Collective::all_gather));
    }
    return m;
}

std::array<Seconds, kBuckets> step_breakdown(const Job& job, const Plan& plan, const WorkTimes& work, const MeshTimes& mesh) {
    std::array<double, kBuckets> total{};
    const double passes = plan.grad_accum;
    const bool last_only = !plan.sync_every_micro_batch && plan.grad_accum > 1;
    const double reductions = last_only ? 1 : passes;
    const PassSums forward = sum_pass(job, plan, work, mesh, 0, false), last = sum_pass(job, plan, work, mesh, 1, true);
    accumulate(total, forward, passes);
    accumulate(total, last, reductions);
    if (last_only) accumulate(total, sum_pass(job, plan, work, mesh, 1, false), passes - 1);
    // A micro-batch's first gather and last reduction have nothing to hide under (FSDP2 waits for the reductions at the end of
    // each backward pass); the root unit only partly.
    double first_gather = 0, last_reduce = 0;
    for (const UnitTimes& u : mesh.layers) {
        first_gather = std::max(first_gather, u.gather);
        last_reduce = std::max(last_reduce, reduction(u));
    }
    bucket(total, Bucket::fsdp_exposed) += passes * (first_gather + kRootExposed * mesh.root.gather) +
                                           reductions * (last_reduce + kRootExposed * reduction(mesh.root));
    bucket(total, Bucket::dp_exposed) += data_parallel_exposed(job.runtime, forward, last, mesh);
    bucket(total, Bucket::optimizer) += mesh.optimizer;
    bucket(total, Bucket::host) += job.runtime.host_step;
    std::array<Seconds, kBuckets> result;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = Seconds{total[i]};
    return result;
}

}  // namespace ndtune

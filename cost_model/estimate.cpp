#include "cost_model/estimate.h"

#include "cost_model/collectives.h"
#include "cost_model/memory.h"
#include "cost_model/step_time.h"

namespace ndtune {
namespace {

constexpr std::string_view kBucketNames[] = {"matmul",     "attention",    "elementwise", "loss",      "recompute", "tp_exposed",
                                             "cp_exposed", "fsdp_exposed", "dp_exposed",  "optimizer", "host"};
constexpr std::string_view kRowNames[] = {"parameters",      "optimizer_states", "gradients", "gathered_units",
                                          "unsharded_grads", "activations",      "logits",    "communication",
                                          "temporaries",     "allocator_slack",  "context"};
constexpr std::string_view kRowFormulas[] = {"4 P/(t s c) fp32, or 2 P/t in 16 bit beside a sharded master",
                                             "8 P/(t s c) Adam moments (+ 4 P master), over r where ZeRO-1",
                                             "4 P/(t s c), or the runtime's gradient buffer x P/t",
                                             "w (root + 2 largest units), all units without reshard",
                                             "(reduce + w) x unit in flight, or reduce x P/t without sync",
                                             "sum over layers of T (k_h h/sigma + A + k_f f/t), or its recompute form",
                                             "T V/t x the loss's bytes per logit",
                                             "gathered inputs under tp, K/V blocks under cp, DDP buckets",
                                             "one layer's working set, recomputed layer, weight-gradient buffer, workspaces",
                                             "(reserved/allocated - 1) x the rows above",
                                             "CUDA context and communicators"};
constexpr std::string_view kPhaseNames[] = {"loss", "backward_start", "backward_end", "optimizer"};

double nominal_peak(const Job& job) {
    const auto& gemm = job.cluster.device.gemm;
    const auto nominal = [&](Precision p) { return gemm[static_cast<std::size_t>(p)].nominal.value; };
    if (job.workload.precision == Precision::fp32) return nominal(Precision::fp32);
    return nominal(Precision::bf16) > 0 ? nominal(Precision::bf16) : nominal(Precision::fp16);
}

/// Plans that share their layers' work.
struct WorkKey {
    int tp = 0, cp = 0, micro_batch = 0;
    int accumulates_over = 0;  // ranks that share the gradient accumulation pass
    bool fsdp = false;         // the loss phase holds an undivided input under FSDP
    CpMethod method = CpMethod::ring;
    GroupPlacement tp_ranks, cp_ranks;
    bool operator==(const WorkKey&) const = default;
};

/// Plans that share their communication.
struct MeshKey {
    Mesh mesh{0, 0, 0, 0};
    bool shard_optimizer = false;
    bool operator==(const MeshKey&) const = default;
};

}  // namespace

std::string_view to_string(Bucket b) {
    return kBucketNames[static_cast<std::size_t>(b)];
}
std::string_view to_string(LedgerRow r) {
    return kRowNames[static_cast<std::size_t>(r)];
}
std::string_view formula(LedgerRow r) {
    return kRowFormulas[static_cast<std::size_t>(r)];
}
std::string_view to_string(MemoryPhase p) {
    return kPhaseNames[static_cast<std::size_t>(p)];
}

Provenance provenance(const Job& job, LedgerRow row) {
    switch (row) {
        case LedgerRow::parameters:
        case LedgerRow::optimizer_states:
        case LedgerRow::gradients: return Provenance::exact;
        case LedgerRow::gathered_units:
        case LedgerRow::unsharded_grads:
        case LedgerRow::activations: return weakest(Provenance::measured, job.runtime.provenance);
        default: return weakest(Provenance::calibrated, job.runtime.provenance);
    }
}

struct Pricer::Tables {
    explicit Tables(const Job& j) : job(j), compute(j) {
        flops_per_token = ndtune::flops_per_token(j.model, j.workload.seq_len);
        peak = nominal_peak(j);
    }

    const Job& job;
    ComputeModel compute;
    double flops_per_token = 0;
    double peak = 0;
    WorkKey work_key;
    MeshKey mesh_key;
    WorkTimes work;
    MeshTimes mesh;
    MemoryShapes memory;
};

Pricer::Pricer(const Job& job) : tables_(new Tables(job)) {}
Pricer::~Pricer() {
    delete tables_;
}

Estimate Pricer::price(const Plan& plan) {
    Tables& t = *tables_;
    const Job& job = t.job;
    const Shapes s = shapes(job, plan);
    const bool accumulates = plan.grad_accum > 1 || job.runtime.grad_accumulate_always;
    const int over = accumulates ? static_cast<int>(s.shard_group) : 0;
    const WorkKey work_key{plan.mesh.tp,
                           plan.mesh.cp,
                           plan.micro_batch,
                           over,
                           s.fsdp,
                           plan.cp_method,
                           place(job.cluster, plan.mesh, Group::tp),
                           place(job.cluster, plan.mesh, Group::cp)};
    if (!(work_key == t.work_key)) {
        t.work = work_times(job, plan, t.compute);
        t.memory = memory_shapes(job, s);
        t.work_key = work_key;
    }
    const MeshKey mesh_key{plan.mesh, plan.shard_optimizer};
    if (!(mesh_key == t.mesh_key)) {
        t.mesh = mesh_times(job, plan, t.compute);
        t.mesh_key = mesh_key;
    }
    Estimate e;
    e.breakdown = step_breakdown(job, plan, t.work, t.mesh);
    for (const Seconds part : e.breakdown) e.step_time += part;
    e.memory = memory_ledger(job, plan, s, t.memory);
    e.tokens_per_s_per_gpu = job.workload.tokens_per_step() / (e.step_time.value * static_cast<double>(plan.mesh.size()));
    e.mfu = t.peak > 0 ? e.tokens_per_s_per_gpu * t.flops_per_token / t.peak : 0;
    e.provenance = t.mesh.provenance;
    return e;
}

Estimate estimate(const Job& job, const Plan& plan) {
    return Pricer(job).price(plan);
}

}  // namespace ndtune

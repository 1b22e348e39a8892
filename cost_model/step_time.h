#pragma once

#include <array>

#include "cost_model/collectives.h"
#include "cost_model/compute.h"
#include "cost_model/estimate.h"
#include "cost_model/ops.h"

namespace ndtune {

/// One layer type's times for one micro-batch, in seconds; depends on tp, cp, micro-batch and CP method, and on the shard group
/// where gradients are accumulated.
struct LayerTimes {
    double matmul[2] = {};  ///< [forward, backward]
    double attention[2] = {};
    double elementwise[2] = {};
    double tp[2] = {};          ///< exposed
    double cp[2] = {};          ///< exposed
    double tp_latency[2] = {};  ///< node hops inside `tp`: they add to the host floor, they do not hide under it

    [[nodiscard]] double sum(int pass) const { return matmul[pass] + attention[pass] + elementwise[pass] + tp[pass] + cp[pass]; }
};

/// What all plans with equal LayerTimes share.
struct WorkTimes {
    std::array<LayerTimes, Model::kMaxLayerTypes> layers{};
    double head[2] = {};        ///< matmul of the head
    double head_other[2] = {};  ///< loss, embedding gradient, accumulation
};

/// FSDP traffic of one unit for one micro-batch, in seconds.
struct UnitTimes {
    double gather = 0;      ///< one all-gather
    double reduce = 0;      ///< reduce-scatter and the copies around it
    double all_reduce = 0;  ///< HSDP
};

/// What all plans of one mesh share.
struct MeshTimes {
    std::array<UnitTimes, Model::kMaxLayerTypes> layers{};
    UnitTimes root;
    bool replicate_links = false;  ///< HSDP's all-reduce runs on links that the shard group does not use
    double grad_sync = 0;          ///< DDP / ZeRO-1, once a step
    double param_gather = 0;       ///< ZeRO-1
    double optimizer = 0;
    Provenance provenance = Provenance::exact;
};

/// Share of a layer's forward pass that its backward repeats, and of all layers that do so.
struct RecomputeShare {
    double forward = 0;    ///< of the whole forward
    double attention = 0;  ///< of the attention core alone
    double layers = 0;
};
RecomputeShare recompute_share(const Job& job, const Plan& plan);

/// CPU launch time of one layer in one pass (0 forward, 1 backward), with its recomputation.
double host_seconds(const Job& job, const Plan& plan, const LayerType& layer, int pass, bool recomputed);

WorkTimes work_times(const Job& job, const Plan& plan, const ComputeModel& compute);
MeshTimes mesh_times(const Job& job, const Plan& plan, const ComputeModel& compute);

/// The closed form: the micro-batch passes with FSDP overlap and the host floor, then what comes once a step.
std::array<Seconds, kBuckets> step_breakdown(const Job& job, const Plan& plan, const WorkTimes& work, const MeshTimes& mesh);

}  // namespace ndtune

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "cost_model/estimate.h"

namespace ndtune {

/// `elementwise` and `loss` give the least possible traffic, scaled by the runtime's kernels; `stream` is traffic as it is.
enum class OpKind : std::uint8_t { gemm, attention, elementwise, loss, stream, collective };
/// dgrad and wgrad are the two halves of a linear layer's backward pass, backward is that of everything else.
enum class Phase : std::uint8_t { forward, dgrad, wgrad, backward, step };
/// Which group a collective runs over: `shard` is dp_shard x cp together.
enum class Group : std::uint8_t { none, replicate, shard, cp, tp, data };
std::string_view to_string(OpKind kind);
std::string_view to_string(Phase phase);
std::string_view to_string(Group group);
std::string_view to_string(Collective collective);

/// One operation of one rank. Compute ops carry shapes, FLOPs and bytes; collectives carry kind, group and gathered bytes.
struct Op {
    std::string_view name;  ///< static text: "qkv", "mlp.up", "tp.all_gather"
    OpKind kind = OpKind::gemm;
    Phase phase = Phase::forward;
    Bucket bucket = Bucket::matmul;
    Group group = Group::none;
    Collective collective = Collective::all_gather;
    bool low_precision = false;  ///< a linear layer in the workload's precision; the head and attention stay in 16 bit
    bool unaligned = false;      ///< a weight dimension is no multiple of kGemmAlignment: slower kernels
    bool refetch = false;        ///< a gather of inputs that could have been kept: half of it hides behind the dgrad GEMM
    int repeat = 1;              ///< calls of a collective (one, two, or c - 1 K/V hops)
    double batch = 1;            ///< independent GEMMs in one launch (experts)
    double m = 0, k = 0, n = 0;  ///< GEMM (m x k)(k x n)
    double flops = 0;            ///< of the whole batch
    double bytes = 0;            ///< memory traffic; for a collective the full (gathered) volume of one call
};

/// A fixed-capacity list: building one allocates nothing.
class OpList {
public:
    /// The longest list is a layer's of latent attention and shared experts: 10 linears of 4 operations, 5 kernels, 5 tp, 3 cp.
    static constexpr std::size_t kCapacity = 56;
    void push(const Op& op);
    [[nodiscard]] std::span<const Op> ops() const { return {ops_.data(), size_}; }

private:
    std::array<Op, kCapacity> ops_;
    std::size_t size_ = 0;
};

/// What one layer does for one micro-batch: compute, tensor- and context-parallel exchange. Depends on tp, cp, micro-batch and CP
/// method, and on the shard group where gradients are accumulated.
OpList layer_ops(const Job& job, const Plan& plan, const LayerType& layer);
/// Embedding, final norm, head and loss for one micro-batch.
OpList head_ops(const Job& job, const Plan& plan);
/// FSDP traffic of one layer for one micro-batch that gathers and reduces (forward gather, backward gather, scatter, HSDP
/// all-reduce).
OpList unit_ops(const Job& job, const Plan& plan, const LayerType& layer);
/// The same for the root unit (embedding, final norm, head).
OpList root_unit_ops(const Job& job, const Plan& plan);
/// Once a step: dp_replicate sync, ZeRO-1 gather, gradient norm, optimizer.
OpList step_ops(const Job& job, const Plan& plan);

}  // namespace ndtune

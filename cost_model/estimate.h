#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "cost_model/cluster.h"
#include "cost_model/model.h"
#include "cost_model/plan.h"
#include "cost_model/runtime.h"
#include "cost_model/workload.h"

namespace ndtune {

/// Everything a search holds fixed.
struct Job {
    Model model;
    Cluster cluster;
    Workload workload;
    Runtime runtime;

    bool operator==(const Job&) const = default;
};

/// Parts of a step, each instant charged to one of them; together they are the step.
enum class Bucket : std::uint8_t {
    matmul,        ///< linear layers and head, forward + dgrad + wgrad
    attention,     ///< attention core
    elementwise,   ///< norms, activation, RoPE, residuals, gradient accumulation
    loss,          ///< cross-entropy traffic, embedding look-up
    recompute,     ///< repeated forward work
    tp_exposed,    ///< tensor-parallel communication not hidden
    cp_exposed,    ///< context-parallel exchange not hidden
    fsdp_exposed,  ///< weight gathers and gradient scatters not hidden, with contention
    dp_exposed,    ///< dp_replicate gradient sync and ZeRO-1 gathers not hidden
    optimizer,
    host  ///< launch time above the GPU's own time
};
constexpr int kBuckets = 11;
std::string_view to_string(Bucket bucket);

enum class LedgerRow : std::uint8_t {
    parameters,  ///< resident weights and masters
    optimizer_states,
    gradients,
    gathered_units,   ///< FSDP: unsharded weights alive
    unsharded_grads,  ///< FSDP: gradients before they are reduced
    activations,      ///< kept for the backward pass
    logits,           ///< logits and the loss's copies
    communication,    ///< gathered inputs, reduce buffers, K/V blocks
    temporaries,      ///< working set of the layer in flight
    allocator_slack,
    context  ///< CUDA context, communicators, workspaces
};
constexpr int kLedgerRows = 11;
std::string_view to_string(LedgerRow row);
/// One line: what the row holds, as a formula in the letters of shapes.h.
std::string_view formula(LedgerRow row);

/// The moments of a step that can hold the peak.
enum class MemoryPhase : std::uint8_t { loss, backward_start, backward_end, optimizer };
constexpr int kMemoryPhases = 4;
std::string_view to_string(MemoryPhase phase);

/// Memory of one rank at the step's peak; the rows sum to `peak`.
struct MemoryLedger {
    Bytes peak;      ///< as the device sees it: with slack and context
    Bytes capacity;  ///< of the device
    MemoryPhase phase = MemoryPhase::loss;
    std::array<Bytes, kLedgerRows> rows{};
    std::array<Bytes, kMemoryPhases> phase_totals{};  ///< the same sum at each moment

    [[nodiscard]] Bytes row(LedgerRow r) const { return rows[static_cast<std::size_t>(r)]; }
    /// What torch.cuda.max_memory_allocated / max_memory_reserved would show.
    [[nodiscard]] Bytes allocated() const { return reserved() - row(LedgerRow::allocator_slack); }
    [[nodiscard]] Bytes reserved() const { return peak - row(LedgerRow::context); }
    [[nodiscard]] bool fits() const { return peak <= capacity; }
    bool operator==(const MemoryLedger&) const = default;
};

/// The prediction for one plan. No allocation anywhere in it.
struct Estimate {
    Seconds step_time;  ///< the sum of `breakdown`
    std::array<Seconds, kBuckets> breakdown{};
    MemoryLedger memory;
    double tokens_per_s_per_gpu = 0;
    double mfu = 0;  ///< flops_per_token x tokens / (time x devices x nominal 16-bit peak); causal, no recompute
    Provenance provenance = Provenance::assumed;  ///< the weakest number used

    [[nodiscard]] Seconds bucket(Bucket b) const { return breakdown[static_cast<std::size_t>(b)]; }
    bool operator==(const Estimate&) const = default;
};

/// Time and memory of one plan. The plan must satisfy search/constraints (sizes divide); otherwise the numbers mean nothing.
Estimate estimate(const Job& job, const Plan& plan);

/// Where each ledger row's inputs come from.
Provenance provenance(const Job& job, LedgerRow row);

/// Prices many plans of one job. What the last plan shares with the next (layer work by tp, cp and micro-batch; communication by
/// mesh) is kept, so walk meshes outside and knobs inside. Equal to `estimate` bit for bit; allocates nothing. One per thread.
class Pricer {
public:
    explicit Pricer(const Job& job);
    ~Pricer();
    Pricer(const Pricer&) = delete;
    Pricer& operator=(const Pricer&) = delete;
    Estimate price(const Plan& plan);

private:
    struct Tables;
    Tables* tables_;
};

}  // namespace ndtune

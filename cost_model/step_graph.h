#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/estimate.h"

namespace ndtune {

/// FIFO queues of one rank: the ops of a lane run one after another in issue order, as on CUDA streams. `shard` and `replicate`
/// are FSDP's and HSDP's communicators (one lane where they share links), `data` that of DDP and ZeRO-1. Tensor- and
/// context-parallel exchange blocks the compute lane.
enum class Lane : std::uint8_t { host, compute, shard, replicate, data };
constexpr int kLanes = 5;
std::string_view to_string(Lane lane);

enum class Pass : std::uint8_t { forward, backward, step };
constexpr int kPasses = 3;
std::string_view to_string(Pass pass);

/// Bytes of one rank that come and go during a step.
struct AliveBytes {
    double gathered_units = 0;
    double unsharded_grads = 0;
    double activations = 0;
    double logits = 0;

    [[nodiscard]] double total() const { return gathered_units + unsharded_grads + activations + logits; }
    AliveBytes& operator+=(const AliveBytes& b) {
        gathered_units += b.gathered_units;
        unsharded_grads += b.unsharded_grads;
        activations += b.activations;
        logits += b.logits;
        return *this;
    }
    bool operator==(const AliveBytes&) const = default;
};

/// One coarse op.
struct StepNode {
    std::string_view name;  ///< static text: "matmul", "gather", "optimizer"
    Lane lane = Lane::compute;
    Bucket bucket = Bucket::matmul;
    Pass pass = Pass::forward;
    int micro_batch = 0;
    int layer = -1;         ///< position in the model, -1: head, embedding or the step as a whole
    int layer_type = -1;    ///< index into Model::layers, or -1
    Seconds duration{};     ///< alone on its device and link
    AliveBytes at_start{};  ///< change of what is alive when it starts
    AliveBytes at_end{};

    bool operator==(const StepNode&) const = default;
};

struct StepEdge {
    int from = 0;
    int to = 0;  ///< starts no earlier than `from` ends

    bool operator==(const StepEdge&) const = default;
};

/// One optimizer step of one rank as a graph of ops. Steady micro-batches are folded: `built` of `micro_batches` are in `nodes`,
/// and the one from ends[first] to ends[first + 1] stands for `folded` more.
struct StepGraph {
    std::vector<StepNode> nodes;  ///< in issue order; every edge leads to a later node
    std::vector<StepEdge> edges;  ///< dependencies between lanes; the order within a lane comes on top
    std::vector<int> ends;        ///< by built micro-batch: its last node on the compute lane
    int micro_batches = 1;
    int folded = 0;
    int folded_after = 1;     ///< `first` above
    double contention = 0;    ///< extra seconds per second that compute and FSDP communication run side by side
    double data_overlap = 1;  ///< speed of the data lane beside compute

    [[nodiscard]] int built() const { return static_cast<int>(ends.size()); }
};

constexpr int kBuiltMicroBatches = 4;

/// The step of `plan` from the op lists and prices of the closed form (ops.h, step_time.h). FSDP2's order: the gather of a unit
/// starts when the unit before it starts computing (two units alive), a reduce-scatter follows its layer's backward pass, the
/// next micro-batch, host and all, waits for the last reductions. At most `built` micro-batches (at least 3) become nodes.
StepGraph build_step_graph(const Job& job, const Plan& plan, int built = kBuiltMicroBatches);

/// An order in which every node comes after all it waits for (edges and lanes); empty if there is none (a cycle).
std::vector<int> topological_order(const StepGraph& graph);

/// The graph in Graphviz's language, for debugging.
std::string to_graphviz(const StepGraph& graph);

}  // namespace ndtune

#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "cost_model/step_graph.h"

namespace ndtune {

/// Part of the critical path: all its ops of one bucket, layer type and pass.
struct PathSegment {
    Bucket bucket = Bucket::matmul;
    Pass pass = Pass::forward;
    int layer_type = -1;  ///< index into Model::layers; -1: head, embedding, optimizer, the step as a whole
    Seconds seconds;
    std::int64_t count = 0;  ///< ops, folded micro-batches included

    bool operator==(const PathSegment&) const = default;
};

/// When one node ran.
struct NodeTimes {
    double start = 0;  ///< seconds from the start of the step, folded micro-batches left out
    double end = 0;
    int binding = -1;  ///< the node whose end it started on: of its dependencies and its lane's last one; -1 at the start
};

/// What is alive from `time` on.
struct MemoryPoint {
    Seconds time;
    AliveBytes alive;
};

/// How a step runs. Both attributions sum to `makespan`: `critical_path` follows the chain of ops that decided it; `breakdown`
/// charges each instant to what the compute lane does, and its waiting to what it waits for (the closed form's view).
///
/// For a report: `for (const PathSegment& s : schedule.top())` prints to_string(s.bucket), to_string(s.pass), the layer type,
/// s.seconds / schedule.makespan and s.count.
struct Schedule {
    Seconds makespan;
    std::array<Seconds, kBuckets> breakdown{};
    std::vector<PathSegment> critical_path;  ///< longest first
    std::vector<NodeTimes> nodes;            ///< by node of the graph
    std::vector<MemoryPoint> timeline;       ///< by time, of the built micro-batches
    MemoryPoint peak;                        ///< the first moment that holds most
    Seconds period;                          ///< of one steady micro-batch; 0 where none is folded

    [[nodiscard]] Seconds bucket(Bucket b) const { return breakdown[static_cast<std::size_t>(b)]; }
    [[nodiscard]] std::span<const PathSegment> top(std::size_t n = 8) const {
        return std::span(critical_path).first(std::min(n, critical_path.size()));
    }
};

/// Runs the graph: FIFO lanes, each op starts when its dependencies have ended and its lane is free. While compute and FSDP
/// communication run side by side both slow down (StepGraph::contention). The graph must have no cycle.
/// Time is O(nodes + edges).
Schedule schedule(const StepGraph& graph);

}  // namespace ndtune

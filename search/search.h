#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost_model/estimate.h"
#include "cost_model/result.h"
#include "search/constraints.h"

namespace ndtune::search {

enum class Objective : std::uint8_t { step_time, tokens_per_gpu, memory_headroom };

/// What to look at and how to rank it. Every default searches everything the runtime can do.
/// Objective::memory_headroom prefers the smallest peak.
struct Options {
    Objective objective = Objective::step_time;
    int top = 10;
    int threads = 0;                   ///< 0 = all cores
    std::vector<AxisLimit> limits;     ///< --fix tp=8, --limit 'cp<=4'
    std::vector<Axis> within_node;     ///< --within-node tp
    std::vector<Rule> disabled_rules;  ///< --no-rule NAME
    bool bounds = true;                ///< leave plans unpriced that bounds.h rules out or in; they still count as visited
    double memory_margin = 0.0;        ///< share of the capacity to keep free

    bool operator==(const Options&) const = default;
};

struct RankedPlan {
    Plan plan;
    Estimate estimate;

    bool operator==(const RankedPlan&) const = default;
};

/// A rejected plan with the first rule it breaks.
struct Rejection {
    Plan plan;
    Violation violation;

    bool operator==(const Rejection&) const = default;
};

/// A plan that only memory rules out, and the cheapest change that makes it fit. Of each mesh at most one, its fastest plan that
/// needs twice the usable memory at most (with none, selective or all-layer recompute), if it beats the fastest feasible plan.
/// Where nothing fits at all: its smallest plan.
struct NearMiss {
    RankedPlan plan;
    Bytes over;                        ///< bytes above what may be used
    std::optional<RankedPlan> remedy;  ///< the fastest feasible plan one knob away
    std::string change;                ///< "ac=full:12", "tp=4 dp_shard=2"; empty without a remedy

    bool operator==(const NearMiss&) const = default;
};

struct Space {
    std::uint64_t size = 0;     ///< plans in the space, counted by formula
    std::uint64_t visited = 0;  ///< plans looked at (equal to size: the search is exhaustive)
    std::uint64_t feasible = 0;
    std::uint64_t rejected = 0;                       ///< visited - feasible
    std::uint64_t estimated = 0;                      ///< plans priced in full; the rest was ruled out by a constraint or a bound
    std::array<std::uint64_t, kRules> rejected_by{};  ///< by first violated rule

    bool operator==(const Space&) const = default;
};

struct SearchResult {
    /// Best first; ties broken by step time, then the plan's text. Of plans that differ only in how many layers are recomputed
    /// in full (0 = ac=none), one stands for all: the smallest number that fits (for Objective::memory_headroom the smaller of
    /// none and all). The others would fill the list with slower twins; they are counted, and why_not judges each.
    std::vector<RankedPlan> plans;
    /// No plan of the space is both faster and smaller than one of these; by step time. Of a run of ac=full:n that differs in n
    /// alone only the two ends are given: those between lie on the front as well.
    std::vector<RankedPlan> pareto;
    std::vector<NearMiss> near_misses;  ///< at most 5; fastest first, or smallest first where nothing fits
    Space space;

    bool operator==(const SearchResult&) const = default;
};

/// Every plan of the job's space, ranked. Same inputs, same result, whatever `threads`. An empty `plans` is an answer, not an
/// error. Errors: sizes that are not positive or beyond reason, a bad option, contradictory limits.
Result<SearchResult> search(const Job& job, const Options& options);

/// Errors of `search` without the search.
Result<bool> check(const Job& job, const Options& options);

/// The first rule that `plan` breaks for this job (memory included), or nothing.
std::optional<Violation> why_not(const Job& job, const Options& options, const Plan& plan);

}  // namespace ndtune::search

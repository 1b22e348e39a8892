#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/bounds.h"
#include "search/constraints.h"
#include "search/ranking.h"
#include "search/search.h"
#include "search/space.h"

namespace ndtune::search {

constexpr std::size_t kNearMisses = 5;

/// A family whose stretch of full:n may still hold members of the Pareto front.
struct OpenStretch {
    Plan base;
    Stretch stretch;
};

/// The plans that stand for a family.
struct FamilyPlans {
    Candidate none;
    std::optional<Candidate> selective;
    FittingRun full;
};

/// What a walk over some meshes found. Merging is commutative: the sum over all meshes does not depend on who walked which.
struct Findings {
    explicit Findings(const Options& options)
        : top(options.objective, static_cast<std::size_t>(options.top)),
          near(Objective::step_time, kNearMisses),
          smallest(Objective::memory_headroom, kNearMisses) {}

    Space space;  ///< all but `size` and `rejected`
    TopList top;
    ParetoFront front;
    TopList near;      ///< the fastest plan of each mesh that misses memory by a little
    TopList smallest;  ///< the smallest plan of each mesh that misses memory at all
    std::vector<OpenStretch> open;

    void merge(const Findings& other);
};

/// Looks at every plan of the meshes it is given. One per thread.
class Walker {
public:
    Walker(const Job& job, const Options& options, const PlanSpace& space, const Constraints& constraints);
    void walk(const Mesh& mesh);
    [[nodiscard]] const Findings& findings() const { return findings_; }

private:
    void walk_families(const Plan& split);
    void walk_family(const Plan& base);
    FittingRun walk_bounded(Family& family, const Plan& base);
    FittingRun walk_every(Family& family);
    void count(const Candidate& c);
    void list(const FamilyPlans& plans);
    void miss(const Candidate& c);
    void reject(Rule rule, std::uint64_t plans);

    const Job& job_;
    const Options& options_;
    const PlanSpace& space_;
    const Constraints& constraints_;
    Bytes near_;  ///< the largest peak that counts as a near miss
    Pricer pricer_;
    int layers_;
    Findings findings_;
    TopList mesh_near_;      ///< of the mesh in hand, one
    TopList mesh_smallest_;  ///< of the mesh in hand, one
};

}  // namespace ndtune::search

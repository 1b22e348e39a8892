#include "search/best_plan.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "search/walk.h"

namespace ndtune::search {
namespace {

// Whether some family beside `knobs` keeps or waits more, all else equal: that one is at least as fast (bounds.h).
bool has_faster_sibling(const FamilyKnobs& knobs, std::span<const FamilyKnobs> families) {
    return std::any_of(families.begin(), families.end(), [&](const FamilyKnobs& other) {
        return other != knobs && other.cp_method == knobs.cp_method && other.shard_optimizer == knobs.shard_optimizer &&
               other.reshard_after_forward <= knobs.reshard_after_forward &&
               other.sync_every_micro_batch <= knobs.sync_every_micro_batch;
    });
}

// One mesh and batch split: the fastest of its families without recompute is a lower bound of the step time of all its plans.
struct Group {
    Plan split;
    double bound = std::numeric_limits<double>::infinity();  ///< seconds
};

std::vector<Group> groups(const PlanSpace& space, const Constraints& constraints, Pricer& pricer) {
    std::vector<Group> all;
    FamilyBuffer buffer;
    for (const Mesh& mesh : space.meshes()) {
        if (constraints.mesh(mesh)) continue;
        for (const int micro_batch : space.micro_batches(mesh)) {
            Group group;
            group.split.mesh = mesh;
            group.split.micro_batch = micro_batch;
            group.split.grad_accum = space.rank_batch(mesh) / micro_batch;
            const auto families = space.families(mesh, group.split.grad_accum, buffer);
            for (const FamilyKnobs& knobs : families) {
                if (has_faster_sibling(knobs, families)) continue;
                group.bound = std::min(group.bound, pricer.price(with_knobs(group.split, knobs)).step_time.value);
            }
            all.push_back(group);
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const Group& a, const Group& b) { return a.bound < b.bound; });
    return all;
}

// Offers the plan that stands for a family, unless even its plan without recompute is slower than the best so far.
void offer_family(Family& family, const Job& job, const Constraints& constraints, TopList& best) {
    const Candidate none = family.none();
    if (!best.items().empty() && none.step_time > best.items().front().step_time) return;
    if (constraints.fits(none.peak)) {
        best.offer(none);
        return;
    }
    if (job.runtime.allow_selective) {
        const Candidate selective = family.selective();
        if (constraints.fits(selective.peak)) best.offer(selective);
    }
    const FittingRun run = fitting_run(family, constraints);
    if (run.fits) best.offer(run.first);
}

}  // namespace

Result<std::optional<RankedPlan>> best_plan(const Job& job, const Options& options) {
    if (!options.bounds || options.objective != Objective::step_time) {
        Options one = options;
        one.top = 1;
        auto result = search(job, one);
        if (!result) return tl::unexpected(result.error());
        return result->plans.empty() ? std::nullopt : std::optional(result->plans.front());
    }
    if (auto ok = check(job, options); !ok) return tl::unexpected(ok.error());
    const Constraints constraints(job, options);
    const PlanSpace space(job, constraints.any_batch());
    Pricer pricer(job);
    TopList best(Objective::step_time, 1);
    FamilyBuffer buffer;
    for (const Group& group : groups(space, constraints, pricer)) {
        if (!best.items().empty() && group.bound > best.items().front().step_time) break;
        for (const FamilyKnobs& knobs : space.families(group.split.mesh, group.split.grad_accum, buffer)) {
            Family family(pricer, with_knobs(group.split, knobs), job.model.layer_count());
            offer_family(family, job, constraints, best);
        }
    }
    if (best.items().empty()) return std::optional<RankedPlan>{};
    const Plan& plan = best.items().front().plan;
    return std::optional(RankedPlan{plan, pricer.price(plan)});
}

}  // namespace ndtune::search

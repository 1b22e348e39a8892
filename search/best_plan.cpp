#include "search/best_plan.h"

#include <algorithm>
#include <vector>

#include "search/walk.h"

namespace ndtune::search {
namespace {

// The families of every mesh that the rules allow, each by its plan without recompute: the lower bound of its step time.
std::vector<Candidate> bounds_of_families(const PlanSpace& space, const Constraints& constraints, Pricer& pricer) {
    std::vector<Candidate> bounds;
    FamilyBuffer buffer;
    for (const Mesh& mesh : space.meshes()) {
        if (constraints.mesh(mesh)) continue;
        for (const int micro_batch : space.micro_batches(mesh)) {
            Plan plan;
            plan.mesh = mesh;
            plan.micro_batch = micro_batch;
            plan.grad_accum = space.rank_batch(mesh) / micro_batch;
            for (const FamilyKnobs& knobs : space.families(mesh, plan.grad_accum, buffer)) {
                const Plan base = with_knobs(plan, knobs);
                bounds.push_back(candidate(base, pricer.price(base)));
            }
        }
    }
    return bounds;
}

// The best plan of one family, its plan without recompute being known not to fit.
void offer_recomputing(Family& family, const Job& job, const Constraints& constraints, TopList& best) {
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
    std::vector<Candidate> bounds = bounds_of_families(space, constraints, pricer);
    std::sort(bounds.begin(), bounds.end(),
              [](const Candidate& a, const Candidate& b) { return better(Objective::step_time, a, b); });
    TopList best(Objective::step_time, 1);
    for (const Candidate& bound : bounds) {
        if (!best.items().empty() && bound.step_time > best.items().front().step_time) break;
        if (constraints.fits(bound.peak)) {
            best.offer(bound);
            continue;
        }
        Family family(pricer, bound.plan, job.model.layer_count());
        offer_recomputing(family, job, constraints, best);
    }
    if (best.items().empty()) return std::optional<RankedPlan>{};
    const Plan& plan = best.items().front().plan;
    return std::optional(RankedPlan{plan, pricer.price(plan)});
}

}  // namespace ndtune::search

#include "search/walk.h"

#include <limits>

namespace ndtune::search {
namespace {

// A plan that needs more than twice the usable memory is not near.
Bytes twice(Bytes usable) {
    constexpr Bytes kMost{std::numeric_limits<std::int64_t>::max()};
    return usable > kMost / 2 ? kMost : usable * 2;
}

}  // namespace

void Findings::merge(const Findings& other) {
    space.visited += other.space.visited;
    space.feasible += other.space.feasible;
    space.estimated += other.space.estimated;
    for (std::size_t i = 0; i < space.rejected_by.size(); ++i) space.rejected_by[i] += other.space.rejected_by[i];
    top.merge(other.top);
    front.merge(other.front);
    near.merge(other.near);
    smallest.merge(other.smallest);
    open.insert(open.end(), other.open.begin(), other.open.end());
}

Walker::Walker(const Job& job, const Options& options, const PlanSpace& space, const Constraints& constraints)
    : job_(job),
      options_(options),
      space_(space),
      constraints_(constraints),
      near_(twice(constraints.usable())),
      pricer_(job),
      layers_(job.model.layer_count()),
      findings_(options),
      mesh_near_(Objective::step_time, 1),
      mesh_smallest_(Objective::memory_headroom, 1) {}

void Walker::walk(const Mesh& mesh) {
    if (const auto violation = constraints_.mesh(mesh)) {
        reject(violation->rule, space_.plans_of(mesh));
        return;
    }
    mesh_near_ = TopList(Objective::step_time, 1);
    mesh_smallest_ = TopList(Objective::memory_headroom, 1);
    Plan plan;
    plan.mesh = mesh;
    for (const int micro_batch : space_.micro_batches(mesh)) {
        plan.micro_batch = micro_batch;
        plan.grad_accum = space_.rank_batch(mesh) / micro_batch;
        walk_families(plan);
    }
    findings_.near.merge(mesh_near_);
    findings_.smallest.merge(mesh_smallest_);
}

void Walker::walk_families(const Plan& split) {
    FamilyBuffer buffer;
    for (const FamilyKnobs& knobs : space_.families(split.mesh, split.grad_accum, buffer)) walk_family(with_knobs(split, knobs));
}

void Walker::walk_family(const Plan& base) {
    Family family(pricer_, base, layers_);
    FamilyPlans plans{family.none(), std::nullopt, {}};
    count(plans.none);
    if (job_.runtime.allow_selective) {
        plans.selective = family.selective();
        count(*plans.selective);
    }
    plans.full = options_.bounds ? walk_bounded(family, base) : walk_every(family);
    list(plans);
    findings_.space.estimated += family.priced();
}

void Walker::count(const Candidate& c) {
    if (!constraints_.fits(c.peak)) {
        reject(Rule::memory, 1);
        return;
    }
    ++findings_.space.visited;
    ++findings_.space.feasible;
    findings_.front.offer(c);
}

FittingRun Walker::walk_bounded(Family& family, const Plan& base) {
    FittingRun run = fitting_run(family, constraints_);
    const auto layers = static_cast<std::uint64_t>(layers_);
    const auto fitting = run.fits ? static_cast<std::uint64_t>(layers_ - run.n + 1) : 0;
    reject(Rule::memory, layers - fitting);
    findings_.space.visited += fitting;
    findings_.space.feasible += fitting;
    if (!run.fits) return run;
    findings_.front.offer(run.first);
    findings_.front.offer(run.last);
    if (layers_ - run.n > 1 && !findings_.front.dominates(run.first.step_time, run.last.peak)) {
        findings_.open.push_back({base, {run.n, layers_, run.first, run.last}});
    }
    return run;
}

FittingRun Walker::walk_every(Family& family) {
    FittingRun run;
    for (int n = 1; n <= layers_; ++n) {
        run.last = family.full(n);
        count(run.last);
        if (run.fits || !constraints_.fits(run.last.peak)) continue;
        run.fits = true;
        run.n = n;
        run.first = run.last;
    }
    return run;
}

// Of none (0 layers) and full:n the plan with the fewest layers that fits stands for all.
void Walker::list(const FamilyPlans& plans) {
    const bool none_fits = constraints_.fits(plans.none.peak);
    const bool selective_fits = plans.selective && constraints_.fits(plans.selective->peak);
    if (selective_fits) findings_.top.offer(*plans.selective);
    if (options_.objective == Objective::memory_headroom) {
        const bool smallest_is_none = none_fits && (!plans.full.fits || better(options_.objective, plans.none, plans.full.last));
        if (none_fits || plans.full.fits) findings_.top.offer(smallest_is_none ? plans.none : plans.full.last);
    } else if (none_fits || plans.full.fits) {
        findings_.top.offer(none_fits ? plans.none : plans.full.first);
    }
    if (!none_fits) miss(plans.none);
    if (plans.selective && !selective_fits) miss(*plans.selective);
    if (!plans.full.fits) miss(plans.full.last);
}

void Walker::miss(const Candidate& c) {
    if (c.peak <= near_) mesh_near_.offer(c);
    mesh_smallest_.offer(c);
}

void Walker::reject(Rule rule, std::uint64_t plans) {
    findings_.space.visited += plans;
    findings_.space.rejected_by[static_cast<std::size_t>(rule)] += plans;
}

}  // namespace ndtune::search

#include "tests/unit/search/brute_force.h"

#include <algorithm>
#include <map>
#include <string>

namespace ndtune::search::testing {
namespace {

void add_recomputes(std::vector<Plan>& plans, const Job& job, Plan plan) {
    plans.push_back(plan);
    if (job.runtime.allow_selective) {
        plan.recompute = Recompute::selective;
        plans.push_back(plan);
    }
    plan.recompute = Recompute::full;
    for (int n = 1; n < job.model.layer_count(); ++n) {
        plan.recompute_layers = n;
        plans.push_back(plan);
    }
    plan.recompute_layers = 0;
    plans.push_back(plan);
}

void add_knobs(std::vector<Plan>& plans, const Job& job, Plan plan) {
    const Runtime& rt = job.runtime;
    const Mesh& mesh = plan.mesh;
    for (const bool gather : {false, true}) {
        if (gather && mesh.cp == 1) continue;
        plan.cp_method = gather ? CpMethod::all_gather : CpMethod::ring;
        for (const bool keep : {false, true}) {
            if (keep && (!rt.allow_fsdp || mesh.dp_shard * mesh.cp == 1)) continue;
            for (const bool wait : {false, true}) {
                if (wait && (!rt.allow_fsdp || !rt.allow_no_sync || plan.grad_accum == 1 || mesh.dp_shard * mesh.cp == 1))
                    continue;
                for (const bool zero1 : {false, true}) {
                    if (zero1 && (keep || wait || !rt.allow_zero1 || mesh.dp_shard > 1 || mesh.dp_replicate * mesh.cp == 1))
                        continue;
                    plan.reshard_after_forward = !keep;
                    plan.sync_every_micro_batch = !wait;
                    plan.shard_optimizer = zero1;
                    add_recomputes(plans, job, plan);
                }
            }
        }
    }
}

void add_splits(std::vector<Plan>& plans, const Job& job, Plan plan) {
    const auto batch = static_cast<int>(job.workload.global_batch);
    const int ranks = plan.mesh.dp_replicate * plan.mesh.dp_shard;
    if (batch % ranks != 0) {
        plans.push_back(plan);
        return;
    }
    for (plan.micro_batch = 1; plan.micro_batch <= batch; ++plan.micro_batch) {
        if (batch % (ranks * plan.micro_batch) != 0) continue;
        plan.grad_accum = batch / (ranks * plan.micro_batch);
        add_knobs(plans, job, plan);
    }
}

// Layers recomputed in full.
int recomputed(const Plan& plan, int layers) {
    if (plan.recompute != Recompute::full) return 0;
    return plan.recompute_layers == 0 ? layers : plan.recompute_layers;
}

// Plans that differ only in the number of layers recomputed in full share this text.
std::string family_of(Plan plan) {
    if (plan.recompute == Recompute::full) plan.recompute = Recompute::none;
    plan.recompute_layers = 0;
    return to_text(plan);
}

double key(Objective objective, const RankedPlan& p) {
    if (objective == Objective::memory_headroom) return static_cast<double>(p.estimate.memory.peak.value);
    if (objective == Objective::tokens_per_gpu) return -p.estimate.tokens_per_s_per_gpu;
    return p.estimate.step_time.value;
}

bool before(Objective objective, const RankedPlan& a, const RankedPlan& b) {
    if (key(objective, a) != key(objective, b)) return key(objective, a) < key(objective, b);
    if (a.estimate.step_time != b.estimate.step_time) return a.estimate.step_time < b.estimate.step_time;
    return to_text(a.plan) < to_text(b.plan);
}

// One plan of each family: the fewest layers that fit; for headroom the smaller of no and all layers.
std::vector<RankedPlan> listed(const std::vector<RankedPlan>& feasible, const Options& options, int layers) {
    const bool headroom = options.objective == Objective::memory_headroom;
    std::map<std::string, RankedPlan> families;
    for (const RankedPlan& p : feasible) {
        const int mine = recomputed(p.plan, layers);
        if (headroom && mine > 0 && mine < layers) continue;
        const auto [at, fresh] = families.emplace(family_of(p.plan), p);
        const bool preferred = headroom ? before(options.objective, p, at->second) : mine < recomputed(at->second.plan, layers);
        if (!fresh && preferred) at->second = p;
    }
    std::vector<RankedPlan> plans;
    for (const auto& [text, p] : families) plans.push_back(p);
    std::sort(plans.begin(), plans.end(), [&](const auto& a, const auto& b) { return before(options.objective, a, b); });
    if (plans.size() > static_cast<std::size_t>(options.top)) plans.resize(static_cast<std::size_t>(options.top));
    return plans;
}

std::vector<RankedPlan> undominated(std::vector<RankedPlan> plans) {
    std::sort(plans.begin(), plans.end(), [](const RankedPlan& a, const RankedPlan& b) {
        if (a.estimate.step_time != b.estimate.step_time) return a.estimate.step_time < b.estimate.step_time;
        if (a.estimate.memory.peak != b.estimate.memory.peak) return a.estimate.memory.peak < b.estimate.memory.peak;
        return to_text(a.plan) < to_text(b.plan);
    });
    std::vector<RankedPlan> front;
    for (const RankedPlan& p : plans) {
        if (front.empty() || p.estimate.memory.peak < front.back().estimate.memory.peak) front.push_back(p);
    }
    return front;
}

// Without what lies inside a run of full:n.
std::vector<RankedPlan> ends_of_runs(const std::vector<RankedPlan>& front) {
    const auto run = [&](std::size_t i) {
        return front[i].plan.recompute == Recompute::full ? family_of(front[i].plan) : "no run " + std::to_string(i);
    };
    std::vector<RankedPlan> ends;
    for (std::size_t i = 0; i < front.size(); ++i) {
        if (i == 0 || i + 1 == front.size() || run(i) != run(i - 1) || run(i) != run(i + 1)) ends.push_back(front[i]);
    }
    return ends;
}

// The best plan of each mesh by `objective`, then the best five of those.
std::vector<NearMiss> best_of_meshes(const std::vector<RankedPlan>& plans, Objective objective) {
    std::map<std::string, RankedPlan> meshes;
    for (const RankedPlan& p : plans) {
        Plan mesh;
        mesh.mesh = p.plan.mesh;
        const auto [at, fresh] = meshes.emplace(to_text(mesh), p);
        if (!fresh && before(objective, p, at->second)) at->second = p;
    }
    std::vector<NearMiss> misses;
    for (const auto& [text, p] : meshes) misses.push_back({p, {}, {}, {}});
    std::sort(misses.begin(), misses.end(), [&](const auto& a, const auto& b) { return before(objective, a.plan, b.plan); });
    if (misses.size() > 5) misses.resize(5);
    return misses;
}

std::vector<NearMiss> near_misses(const Job& job, const Options& options, const std::vector<RankedPlan>& too_large,
                                  const std::vector<RankedPlan>& front) {
    if (front.empty()) return best_of_meshes(too_large, Objective::memory_headroom);
    const double usable = static_cast<double>(job.cluster.device.memory.value.value) * (1 - options.memory_margin);
    std::vector<RankedPlan> near;
    for (const RankedPlan& p : too_large) {
        if (static_cast<double>(p.estimate.memory.peak.value) <= 2 * usable) near.push_back(p);
    }
    std::vector<NearMiss> misses = best_of_meshes(near, Objective::step_time);
    std::erase_if(misses, [&](const NearMiss& m) { return m.plan.estimate.step_time >= front.front().estimate.step_time; });
    return misses;
}

}  // namespace

std::vector<Plan> every_plan(const Job& job) {
    std::vector<Plan> plans;
    const auto devices = static_cast<int>(job.cluster.devices());
    for (int r = 1; r <= devices; ++r) {
        for (int s = 1; r * s <= devices; ++s) {
            for (int c = 1; r * s * c <= devices; ++c) {
                for (int t = 1; r * s * c * t <= devices; ++t) {
                    if (r * s * c * t != devices) continue;
                    Plan plan;
                    plan.mesh = {r, s, c, t};
                    add_splits(plans, job, plan);
                }
            }
        }
    }
    return plans;
}

SearchResult brute_force(const Job& job, const Options& options) {
    SearchResult result;
    std::vector<RankedPlan> feasible;
    std::vector<RankedPlan> too_large;
    for (const Plan& plan : every_plan(job)) {
        ++result.space.size;
        if (const auto violation = why_not(job, options, plan)) {
            ++result.space.rejected;
            ++result.space.rejected_by[static_cast<std::size_t>(violation->rule)];
            if (violation->rule == Rule::memory && plan.recompute_layers == 0) too_large.push_back({plan, estimate(job, plan)});
        } else {
            feasible.push_back({plan, estimate(job, plan)});
        }
    }
    result.space.visited = result.space.size;
    result.space.feasible = feasible.size();
    result.plans = listed(feasible, options, job.model.layer_count());
    result.near_misses = near_misses(job, options, too_large, undominated(feasible));
    result.pareto = ends_of_runs(undominated(feasible));
    return result;
}

}  // namespace ndtune::search::testing

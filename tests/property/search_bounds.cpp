// What search/bounds.h assumes about the cost model, on random jobs and on every runtime of the catalog.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "profiles/catalog.h"
#include "search/space.h"
#include "tests/support/random_job.h"

namespace ndtune::search {
namespace {

constexpr double kRounding = 1e-12;  // of a sum of some hundred terms

struct Broken {
    std::string what;
    explicit operator bool() const { return !what.empty(); }
};

// Prices the whole family of a plan and says where its run of full:n is not monotone.
Broken broken_run(const Job& job, Plan plan) {
    Pricer pricer(job);
    const auto price = [&](Recompute recompute, int layers) {
        plan.recompute = recompute;
        plan.recompute_layers = layers == job.model.layer_count() ? 0 : layers;
        return pricer.price(plan);
    };
    const auto slower = [](const Estimate& a, const Estimate& b) {
        return a.step_time.value <= b.step_time.value * (1 + kRounding);
    };
    const Estimate none = price(Recompute::none, 0);
    if (!slower(none, price(Recompute::selective, 0))) return {to_text(plan) + " is faster than no recompute"};
    Estimate before = price(Recompute::full, 1);
    if (!slower(none, before)) return {to_text(plan) + " is faster than no recompute"};
    for (int n = 2; n <= job.model.layer_count(); ++n) {
        const Estimate e = price(Recompute::full, n);
        if (!slower(before, e)) return {to_text(plan) + " is faster than with a layer less"};
        if (e.memory.peak > before.memory.peak) return {to_text(plan) + " is larger than with a layer less"};
        before = e;
    }
    return {};
}

// Where a plan with a knob turned to the faster side is slower.
Broken broken_knob(const Job& job, Plan plan) {
    const auto slower_without = [&](bool Plan::* knob) {
        plan.*knob = true;
        const double on = estimate(job, plan).step_time.value;
        plan.*knob = false;
        return estimate(job, plan).step_time.value > on * (1 + kRounding);
    };
    if (slower_without(&Plan::reshard_after_forward)) return {to_text(plan) + " is slower than with rs=on"};
    if (slower_without(&Plan::sync_every_micro_batch)) return {to_text(plan) + " is slower than with sync=every"};
    return {};
}

RC_GTEST_PROP(SearchBounds, TimeRisesAndMemoryFallsWithTheLayersRecomputed, ()) {
    const toy::Case c = toy::any_case();
    const Broken broken = broken_run(c.job, c.plan);
    if (broken) RC_FAIL(broken.what);
}

RC_GTEST_PROP(SearchBounds, KeepingWeightsAndReducingOnceNeverSlow, ()) {
    const toy::Case c = toy::any_case();
    const Broken broken = broken_knob(c.job, c.plan);
    if (broken) RC_FAIL(broken.what);
}

std::vector<Plan> family_bases(const Job& job) {
    std::vector<Plan> bases;
    const PlanSpace space(job, false);
    FamilyBuffer buffer;
    for (const Mesh& mesh : space.meshes()) {
        if (job.model.attention.kv_heads % mesh.tp != 0) continue;
        for (const int micro_batch : space.micro_batches(mesh)) {
            Plan plan;
            plan.mesh = mesh;
            plan.micro_batch = micro_batch;
            plan.grad_accum = space.rank_batch(mesh) / micro_batch;
            for (const FamilyKnobs& knobs : space.families(mesh, plan.grad_accum, buffer))
                bases.push_back(with_knobs(plan, knobs));
        }
    }
    return bases;
}

TEST(SearchBounds, HoldForEveryRuntimeOfTheCatalog) {
    for (const std::string& name : profiles::runtime_names()) {
        for (const Model& model : {toy::llama_8b(), toy::dense(12, 1024, 16, 16, 4096, 50304)}) {
            const Job job = toy::job(model, toy::cluster(2, 8), 4096, 32, profiles::find_runtime(name).value());
            for (const Plan& base : family_bases(job)) {
                for (const Broken& broken : {broken_run(job, base), broken_knob(job, base)}) {
                    ASSERT_FALSE(broken) << name << ": " << broken.what;
                }
            }
        }
    }
}

}  // namespace
}  // namespace ndtune::search

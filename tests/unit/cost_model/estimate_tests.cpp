#include "cost_model/estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "cost_model/compute.h"
#include "cost_model/ops.h"
#include "tests/support/toy.h"

namespace {
std::int64_t allocations = 0;
}

// Counts every allocation of this program. Not inlined: g++ would then warn of free() on memory from new.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* p = std::malloc(size > 0 ? size : 1)) return p;  // NOLINT(cppcoreguidelines-no-malloc)
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
    std::free(p);  // NOLINT(cppcoreguidelines-no-malloc)
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
    std::free(p);  // NOLINT(cppcoreguidelines-no-malloc)
}

namespace ndtune {
namespace {

std::vector<Plan> walk() {
    std::vector<Plan> plans;
    for (const int tp : {1, 2, 8}) {
        for (const int cp : {1, 2}) {
            for (const int replicate : {1, 4}) {
                for (int knobs = 0; knobs < 16; ++knobs) {
                    Plan p;
                    p.mesh = {replicate, 64 / (tp * cp * replicate), cp, tp};
                    p.micro_batch = knobs & 1 ? 2 : 1;
                    p.grad_accum = 4 / p.micro_batch;
                    p.recompute = knobs & 2 ? Recompute::full : Recompute::none;
                    p.recompute_layers = knobs & 2 ? knobs : 0;
                    p.reshard_after_forward = (knobs & 4) > 0;
                    p.sync_every_micro_batch = (knobs & 8) > 0;
                    if (p.mesh.dp_shard >= 1) plans.push_back(p);
                }
            }
        }
    }
    return plans;
}

Job job_of(Runtime rt = toy::runtime()) {
    return toy::job(toy::llama_8b(), toy::cluster(8, 8), 8192, 256, std::move(rt));
}

TEST(Estimate, OneDeviceIsTheSumOfItsOps) {
    const Job job = toy::job(toy::llama_8b(), toy::cluster(1, 1), 4096, 1, toy::ideal_runtime());
    const Plan plan;
    const ComputeModel compute(job);
    double sum = 0;
    // Named: ops() looks into its list, which a temporary would not outlive.
    const OpList layer = layer_ops(job, plan, job.model.layers[0]);
    const OpList head = head_ops(job, plan);
    const OpList step = step_ops(job, plan);
    for (const Op& op : layer.ops()) sum += 32 * compute.time(op).value;
    for (const Op& op : head.ops()) sum += compute.time(op).value;
    for (const Op& op : step.ops()) sum += compute.time(op).value;
    EXPECT_NEAR(estimate(job, plan).step_time.value, sum, 1e-12 * sum);
}

TEST(Estimate, BreakdownSumsToTheStepExactly) {
    const Job job = job_of();
    for (const Plan& plan : walk()) {
        const Estimate e = estimate(job, plan);
        Seconds sum;
        for (const Seconds s : e.breakdown) sum += s;
        EXPECT_EQ(sum, e.step_time) << to_text(plan);
    }
}

TEST(Estimate, RatesFollowFromTheStep) {
    const Job job = job_of();
    const Plan plan = toy::plan(job, {1, 64, 1, 1});
    const Estimate e = estimate(job, plan);
    EXPECT_DOUBLE_EQ(e.tokens_per_s_per_gpu, 256.0 * 8192 / e.step_time.value / 64);
    EXPECT_DOUBLE_EQ(e.mfu, e.tokens_per_s_per_gpu * flops_per_token(job.model, 8192) / 1e15);
    EXPECT_GT(e.mfu, 0.1);
    EXPECT_LT(e.mfu, 1);
}

TEST(Estimate, IdenticalInputsIdenticalBits) {
    const Job job = job_of();
    for (const Plan& plan : walk()) EXPECT_EQ(estimate(job, plan), estimate(job, plan));
}

TEST(Estimate, OrderOfAxesOfSizeOneDoesNotMatter) {
    Job job = job_of();
    const Plan plan = toy::plan(job, {1, 64, 1, 1});
    const Estimate e = estimate(job, plan);
    job.cluster.order = {Axis::tp, Axis::cp, Axis::dp_replicate, Axis::dp_shard};
    EXPECT_EQ(estimate(job, plan), e);
}

TEST(Pricer, EqualsEstimateAndAllocatesNothing) {
    const Job job = job_of();
    const std::vector<Plan> plans = walk();
    std::vector<Estimate> priced(plans.size());
    Pricer pricer(job);
    const std::int64_t before = allocations;
    for (std::size_t i = 0; i < plans.size(); ++i) priced[i] = pricer.price(plans[i]);
    EXPECT_EQ(allocations, before);
    for (std::size_t i = 0; i < plans.size(); ++i) EXPECT_EQ(priced[i], estimate(job, plans[i])) << to_text(plans[i]);
}

TEST(Estimate, GradeIsTheWeakestInput) {
    Job job = job_of();
    job.runtime.provenance = Provenance::measured;
    job.cluster.device.hbm.provenance = Provenance::measured;
    for (GemmCurve& c : job.cluster.device.gemm) c.provenance = Provenance::measured;
    for (AttentionCurve& c : job.cluster.device.attention) c.provenance = Provenance::measured;
    for (auto& kind : job.cluster.device.collectives) {
        for (CollectiveCurve& c : kind) c.provenance = Provenance::measured;
    }
    job.cluster.tiers.back().provenance = Provenance::assumed;
    EXPECT_EQ(estimate(job, toy::plan(job, {64, 1, 1, 1})).provenance, Provenance::assumed);
    job.cluster.tiers.back().provenance = Provenance::measured;
    EXPECT_EQ(estimate(job, toy::plan(job, {64, 1, 1, 1})).provenance, Provenance::measured);
}

// Sizes at the edge of what the readers accept: finite times, saturated bytes, no undefined behaviour (run under UBSan).
TEST(Estimate, ExtremeSizesStayFinite) {
    Model huge = toy::dense(10'000, 1 << 20, 8192, 8192, 1 << 22, 1 << 24);
    huge.positions = 1 << 30;
    Model moe = toy::dense(10'000, 1 << 20, 1, 1, 0, 1 << 24);
    LayerType& type = moe.layers[0];
    type.experts = 65'536;
    type.experts_per_token = 65'536;
    type.expert_ffn = 1 << 22;
    const Model tiny = toy::dense(1, 1, 1, 1, 1, 1);
    for (const Model& model : {huge, moe, tiny}) {
        for (const std::int64_t seq : {std::int64_t{1}, std::int64_t{1} << 30}) {
            for (const int devices : {1, 1 << 20}) {
                const Job job = toy::job(model, toy::cluster(devices, 1), seq, std::int64_t{1} << 40);
                for (const Mesh mesh :
                     {Mesh{1, devices, 1, 1}, Mesh{devices, 1, 1, 1}, Mesh{1, 1, devices, 1}, Mesh{1, 1, 1, devices}}) {
                    const Plan plan{.mesh = mesh, .micro_batch = 1 << 20, .grad_accum = 1 << 20};
                    const Estimate e = estimate(job, plan);
                    EXPECT_TRUE(std::isfinite(e.step_time.value));
                    EXPECT_GT(e.step_time.value, 0);
                    EXPECT_TRUE(std::isfinite(e.mfu));
                    Bytes rows;
                    for (const Bytes b : e.memory.rows) {
                        EXPECT_GE(b.value, 0);
                        rows += b;
                    }
                    EXPECT_EQ(rows, e.memory.peak);
                }
            }
        }
    }
}

}  // namespace
}  // namespace ndtune

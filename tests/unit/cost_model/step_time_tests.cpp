#include "cost_model/step_time.h"

#include <gtest/gtest.h>

#include "tests/support/toy.h"

namespace ndtune {
namespace {

struct Times {
    WorkTimes work;
    MeshTimes mesh;
    std::array<Seconds, kBuckets> breakdown{};

    [[nodiscard]] double bucket(Bucket b) const { return breakdown[static_cast<std::size_t>(b)].value; }
};

Times times(const Job& job, const Plan& plan) {
    const ComputeModel compute(job);
    Times t;
    t.work = work_times(job, plan, compute);
    t.mesh = mesh_times(job, plan, compute);
    t.breakdown = step_breakdown(job, plan, t.work, t.mesh);
    return t;
}

Job job_of(Runtime rt = toy::ideal_runtime(), std::int64_t seq = 8192) {
    return toy::job(toy::llama_8b(), toy::cluster(8, 8), seq, 64, std::move(rt));
}

TEST(Exposure, NoneButTheEndsWhereComputeDominates) {
    const Job job = job_of(toy::ideal_runtime(), 65536);
    const Times t = times(job, {.mesh = {8, 8, 1, 1}});
    ASSERT_GT(t.work.layers[0].sum(0), 10 * t.mesh.layers[0].gather);
    const UnitTimes& layer = t.mesh.layers[0];
    const UnitTimes& root = t.mesh.root;
    const double ends = layer.gather + layer.reduce + layer.all_reduce + 0.5 * (root.gather + root.reduce + root.all_reduce);
    EXPECT_NEAR(t.bucket(Bucket::fsdp_exposed), ends, 1e-6 * ends);
}

TEST(Exposure, AllButComputeWhereCommunicationDominates) {
    Job job = job_of(toy::ideal_runtime(), 512);
    job.cluster.device.nic.value = BytesPerSecond{1e8};
    job.cluster = toy::cluster(8, 8, job.cluster.device);
    const Times t = times(job, {.mesh = {1, 64, 1, 1}});
    const UnitTimes& layer = t.mesh.layers[0];
    ASSERT_GT(layer.gather, 10 * t.work.layers[0].sum(0));
    const double all = 32 * (2 * layer.gather + layer.reduce) - 32 * (t.work.layers[0].sum(0) + t.work.layers[0].sum(1));
    const double ends = layer.gather + layer.reduce + 0.5 * (t.mesh.root.gather + t.mesh.root.reduce);
    EXPECT_NEAR(t.bucket(Bucket::fsdp_exposed) / (all + ends), 1, 1e-6);
}

TEST(Exposure, ContentionSlowsBoth) {
    Runtime rt = toy::ideal_runtime();
    rt.contention = 0.4;
    const Job job = job_of(rt, 65536);
    const Times t = times(job, {.mesh = {8, 8, 1, 1}});
    const double without = times(job_of(toy::ideal_runtime(), 65536), {.mesh = {8, 8, 1, 1}}).bucket(Bucket::fsdp_exposed);
    const double overlapped = 32 * (2 * t.mesh.layers[0].gather + t.mesh.layers[0].reduce);
    EXPECT_NEAR(t.bucket(Bucket::fsdp_exposed), without + 0.4 * overlapped, 1e-6 * overlapped);
}

TEST(Reshard, SavesTheSecondGather) {
    Job job = job_of(toy::ideal_runtime(), 512);  // communication dominates: what is gathered is seen
    job.cluster.device.nic.value = BytesPerSecond{1e8};
    job.cluster = toy::cluster(8, 8, job.cluster.device);
    Plan plan{.mesh = {1, 64, 1, 1}};
    const Times again = times(job, plan);
    plan.reshard_after_forward = false;
    const double saved = 32 * again.mesh.layers[0].gather;
    EXPECT_NEAR((again.bucket(Bucket::fsdp_exposed) - times(job, plan).bucket(Bucket::fsdp_exposed)) / saved, 1, 1e-3);
}

TEST(Hsdp, AllReduceRunsBesideTheScatterOnItsOwnLinks) {
    Job job = job_of(toy::ideal_runtime(), 512);
    job.cluster.device.nic.value = BytesPerSecond{1e8};
    job.cluster = toy::cluster(8, 8, job.cluster.device);
    const Times own = times(job, {.mesh = {8, 8, 1, 1}});
    ASSERT_TRUE(own.mesh.replicate_links);
    const UnitTimes& u = own.mesh.layers[0];
    ASSERT_GT(u.all_reduce, 10 * (u.gather + u.reduce + own.work.layers[0].sum(1)));
    const double compute = own.work.layers[0].sum(0) + own.work.layers[0].sum(1);
    EXPECT_NEAR(own.bucket(Bucket::fsdp_exposed) / (33 * u.all_reduce + 0.5 * own.mesh.root.all_reduce), 1,
                0.01 + (compute + u.gather + u.reduce) / u.all_reduce);
    EXPECT_FALSE(times(job, {.mesh = {4, 16, 1, 1}}).mesh.replicate_links);
}

TEST(Fsdp, EachMicroBatchPaysItsEnds) {
    const Job job = job_of(toy::ideal_runtime(), 65536);
    const Times one = times(job, {.mesh = {1, 64, 1, 1}}), four = times(job, {.mesh = {1, 64, 1, 1}, .grad_accum = 4});
    EXPECT_NEAR(four.bucket(Bucket::fsdp_exposed) / one.bucket(Bucket::fsdp_exposed), 4, 1e-9);
}

TEST(Sync, LastOnlyReducesOnce) {
    Job job = job_of(toy::ideal_runtime(), 512);
    job.cluster.device.nic.value = BytesPerSecond{1e8};
    job.cluster = toy::cluster(8, 8, job.cluster.device);
    Plan plan{.mesh = {1, 64, 1, 1}, .grad_accum = 4};
    const Times every = times(job, plan);
    plan.sync_every_micro_batch = false;
    const Times last = times(job, plan);
    const double saved = 3 * (33 * every.mesh.layers[0].reduce + 0.5 * every.mesh.root.reduce);
    EXPECT_NEAR((every.bucket(Bucket::fsdp_exposed) - last.bucket(Bucket::fsdp_exposed)) / saved, 1, 1e-3);
}

TEST(Recompute, RepeatsTheForwardOfItsLayers) {
    const Job job = job_of();
    const Times none = times(job, {});
    EXPECT_EQ(none.bucket(Bucket::recompute), 0);
    const double forward = none.work.layers[0].sum(0);
    Plan plan{.mesh = {}, .recompute = Recompute::full};
    EXPECT_NEAR(times(job, plan).bucket(Bucket::recompute), 32 * forward, 1e-9);
    plan.recompute_layers = 5;
    EXPECT_NEAR(times(job, plan).bucket(Bucket::recompute), 5 * forward, 1e-9);
    plan = {.mesh = {}, .recompute = Recompute::selective};
    EXPECT_NEAR(times(job, plan).bucket(Bucket::recompute), 32 * job.runtime.selective_forward * forward, 1e-9);
    Runtime rt = toy::ideal_runtime();
    rt.selective_attention_only = true;
    EXPECT_NEAR(times(job_of(rt), plan).bucket(Bucket::recompute), 32 * none.work.layers[0].attention[0], 1e-9);
}

TEST(Host, FloorOfSmallLayers) {
    Runtime rt = toy::ideal_runtime();
    rt.host_layer = 1;  // a second a layer: nothing else matters
    rt.host_step = 2;
    const Times t = times(job_of(rt), {.mesh = {}, .grad_accum = 3});
    double gpu = 0;
    for (const Seconds s : t.breakdown) gpu += s.value;
    gpu -= t.bucket(Bucket::host);
    EXPECT_NEAR(gpu + t.bucket(Bucket::host), 3 * 32 * 1 + 2 + t.mesh.optimizer, 0.01);
}

TEST(Host, FullRecomputeLaunchesTheForwardAgain) {
    Runtime rt = toy::ideal_runtime();
    rt.host_layer = 2.9;
    rt.host_backward = 1.9;  // forward 1, backward 1.9
    const auto total = [&](const Plan& plan) {
        double sum = 0;
        for (const Seconds s : times(job_of(rt), plan).breakdown) sum += s.value;
        return sum;
    };
    EXPECT_NEAR(total({.mesh = {}, .recompute = Recompute::full}) - total({}), 32 * 1.0, 0.05);
}

TEST(TensorParallel, BlocksButForTheSharedPart) {
    Runtime rt = toy::ideal_runtime();
    rt.tp_overlap = 0;
    const Plan inside{.mesh = {1, 8, 1, 8}}, across{.mesh = {1, 4, 1, 16}};
    Job job = job_of(rt);
    const Times shown = times(job, inside);
    const GroupPlacement p = place(job.cluster, inside.mesh, Group::tp);
    const double v = 2 * 8192 * 4096.0;
    const double gather = collective_time(job.cluster, p, Collective::all_gather, v).value;
    const double scatter = collective_time(job.cluster, p, Collective::reduce_scatter, v).value;
    EXPECT_NEAR(shown.work.layers[0].tp[0], 2 * (gather + scatter), 1e-12);
    EXPECT_NEAR(shown.work.layers[0].tp[1], 2 * (gather + scatter) + gather, 1e-12);  // half of two refetched inputs
    rt.tp_overlap = 0.5;
    job = job_of(rt);
    EXPECT_NEAR(times(job, inside).work.layers[0].tp[0], gather + scatter, 1e-12);
    EXPECT_DOUBLE_EQ(times(job, across).work.layers[0].tp[0], times(job_of(), across).work.layers[0].tp[0]);
    EXPECT_GT(times(job, across).work.layers[0].tp_latency[0], 0);
    EXPECT_EQ(times(job, inside).work.layers[0].tp_latency[0], 0);
}

TEST(ContextParallel, RingHidesUnderLongAttention) {
    const Plan ring{.mesh = {1, 16, 4, 1}};
    Plan gather = ring;
    gather.cp_method = CpMethod::all_gather;
    const auto cp = [](std::int64_t seq, const Plan& plan) {
        const Times t = times(job_of(toy::ideal_runtime(), seq), plan);
        return t.work.layers[0].cp[0] / t.work.layers[0].attention[0];
    };
    EXPECT_LT(cp(1 << 20, ring), 0.12);  // the merge alone
    EXPECT_GT(cp(4096, ring), 0.4);
    EXPECT_GT(cp(4096, gather), 0);
}

TEST(DataParallel, SyncHidesUnderTheLastBackward) {
    Runtime rt = toy::ideal_runtime();
    rt.allow_fsdp = false;
    rt.dp_overlap = 0;
    const Plan plan{.mesh = {64, 1, 1, 1}};
    const Times shown = times(job_of(rt), plan);
    EXPECT_NEAR(shown.bucket(Bucket::dp_exposed), shown.mesh.grad_sync, 0.001 * shown.mesh.grad_sync);
    rt.dp_overlap = 1;
    const Times hidden = times(job_of(rt, 262144), plan);
    EXPECT_LT(hidden.bucket(Bucket::dp_exposed), 0.01 * hidden.mesh.grad_sync);
}

}  // namespace
}  // namespace ndtune

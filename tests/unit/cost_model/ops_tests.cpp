#include "cost_model/ops.h"

#include <gtest/gtest.h>

#include <functional>

#include "cost_model/shapes.h"
#include "tests/support/toy.h"

namespace ndtune {
namespace {

using Filter = std::function<bool(const Op&)>;

double flops(const OpList& list, const Filter& counts) {
    double sum = 0;
    for (const Op& op : list.ops()) sum += counts(op) ? op.flops : 0.0;
    return sum;
}

/// Gathered bytes of all calls.
double volume(const OpList& list, std::string_view name, Phase phase) {
    double sum = 0;
    for (const Op& op : list.ops()) sum += op.name == name && op.phase == phase ? op.repeat * op.bytes : 0.0;
    return sum;
}

int calls(const OpList& list, Group group, Phase phase) {
    int sum = 0;
    for (const Op& op : list.ops())
        sum += op.kind == OpKind::collective && op.group == group && op.phase == phase ? op.repeat : 0;
    return sum;
}

Filter linear(Phase phase) {
    return [phase](const Op& op) { return op.kind == OpKind::gemm && op.phase == phase; };
}

Filter attention(Phase phase) {
    return [phase](const Op& op) { return op.kind == OpKind::attention && op.phase == phase; };
}

Job job_of(Model model, Runtime rt = toy::runtime()) {
    return toy::job(std::move(model), toy::cluster(8, 8), 4096, 64, std::move(rt));
}

OpList layer(const Job& job, const Plan& plan) {
    return layer_ops(job, plan, job.model.layers[0]);
}

// 2 T h (a + 2g) d + 2 T a d h + 6 T h f, over t; backward twice that, as dgrad and wgrad.
TEST(LayerOps, LinearFlopsOfADenseLayer) {
    const Job job = job_of(toy::llama_8b());
    for (const int tp : {1, 2, 8}) {
        const Plan plan{.mesh = {1, 8, 1, tp}, .micro_batch = 2};
        const double tokens = 2 * 4096, h = 4096, a = 32, g = 8, d = 128, f = 14336;
        const double forward = (2 * tokens * h * (a + 2 * g) * d + 2 * tokens * a * d * h + 6 * tokens * h * f) / tp;
        for (const Phase phase : {Phase::forward, Phase::dgrad, Phase::wgrad})
            EXPECT_DOUBLE_EQ(flops(layer(job, plan), linear(phase)), forward);
    }
}

// 4 B S^2/2 a d / (t c) forward, 2.5 times that backward (flash: five products for two).
TEST(LayerOps, CausalAttentionFlops) {
    const Job job = job_of(toy::llama_8b());
    for (const auto& [cp, tp] : {std::pair{1, 1}, std::pair{4, 1}, std::pair{2, 8}}) {
        const Plan plan{.mesh = {1, 1, cp, tp}, .micro_batch = 3};
        const double forward = 4.0 * 3 * 4096 * 4096 / 2 * 32 * 128 / (tp * cp);
        EXPECT_DOUBLE_EQ(flops(layer(job, plan), attention(Phase::forward)), forward);
        EXPECT_DOUBLE_EQ(flops(layer(job, plan), attention(Phase::backward)), 2.5 * forward);
    }
}

TEST(LayerOps, PlainAttentionDoesTheMaskedHalfToo) {
    Runtime rt = toy::runtime();
    rt.attention = AttentionKernel::plain;
    const Job job = job_of(toy::llama_8b(), rt);
    const double forward = 4.0 * 4096 * 4096 * 32 * 128;
    EXPECT_DOUBLE_EQ(flops(layer(job, {}), attention(Phase::forward)), forward);
    EXPECT_DOUBLE_EQ(flops(layer(job, {}), attention(Phase::backward)), 2 * forward);
}

TEST(LayerOps, TwoMatricesWithoutGate) {
    Job job = job_of(toy::dense(1, 512, 8, 8, 2048, 1000));
    job.model.gated_mlp = false;
    const double tokens = 4096, h = 512, f = 2048;
    EXPECT_DOUBLE_EQ(flops(layer(job, {}), linear(Phase::forward)), 2 * tokens * h * 4 * h + 4 * tokens * h * f);
}

TEST(LayerOps, MoeWorksOnActiveExpertsOnly) {
    Job job = job_of(toy::dense(1, 512, 8, 8, 0, 1000));
    LayerType& type = job.model.layers[0];
    type.experts = 16;
    type.experts_per_token = 4;
    type.expert_ffn = 256;
    type.shared_ffn = 128;
    const double tokens = 4096, h = 512;
    const double expected = 2 * tokens * h * 4 * h      // attention projections
                            + 2 * tokens * h * 16       // router
                            + 6 * tokens * 4 * h * 256  // K of E experts
                            + 6 * tokens * h * 128;     // shared expert
    EXPECT_DOUBLE_EQ(flops(layer(job, {}), linear(Phase::forward)), expected);
}

TEST(LayerOps, LatentAttentionProjections) {
    Job job = job_of(toy::dense(1, 512, 8, 8, 1024, 1000));
    Attention& at = job.model.attention;
    at.head_dim = 96;  // 64 without RoPE, 32 with
    at.rope_dim = 32;
    at.value_dim = 64;
    at.q_rank = 128;
    at.kv_rank = 64;
    const double tokens = 4096, h = 512, a = 8;
    const double projections = 2 * tokens * (h * 128 + 128 * a * 96 + h * (64 + 32) + 64 * a * (64 + 64) + a * 64 * h);
    EXPECT_DOUBLE_EQ(flops(layer(job, {}), linear(Phase::forward)), projections + 6 * tokens * h * 1024);
    EXPECT_DOUBLE_EQ(flops(layer(job, {}), attention(Phase::forward)), 2 * tokens * 4096 / 2 * a * (96 + 64));
}

// Everything at once, as DeepSeek-V3 under a Megatron runtime: the fixed-capacity list holds it.
TEST(LayerOps, LongestListFits) {
    Runtime rt = toy::runtime();
    rt.wgrad_accumulate_bytes = rt.grad_accumulate_bytes = 8;
    rt.grad_accumulate_always = true;
    Job job = job_of(toy::dense(1, 512, 8, 8, 1024, 1000), rt);
    Attention& at = job.model.attention;
    at.rope_dim = 32;
    at.q_rank = 128;
    at.kv_rank = 64;
    LayerType& moe = job.model.layers[0];
    moe.experts = 16;
    moe.experts_per_token = 4;
    moe.expert_ffn = 256;
    moe.shared_ffn = 128;
    const OpList list = layer(job, {.mesh = {1, 1, 2, 2}, .cp_method = CpMethod::all_gather});
    EXPECT_EQ(list.ops().size(), 10 * 4 + 2 + 3 + 5 + 3);
    EXPECT_LE(list.ops().size(), OpList::kCapacity);
}

// Summed over a step, linear FLOPs are 6 per weight and token, the definition of model FLOPs.
TEST(LayerOps, AddUpToTheModelsFlops) {
    const Job job = job_of(toy::llama_8b());
    const auto all = [](const OpList& list) {
        return flops(list, linear(Phase::forward)) + flops(list, linear(Phase::dgrad)) + flops(list, linear(Phase::wgrad));
    };
    const Plan plan;
    const double linears = 32 * all(layer(job, plan)) + all(head_ops(job, plan));
    const double attended = 32 * 3 * flops(layer(job, plan), attention(Phase::forward)) * 4097 / 4096;  // the diagonal
    EXPECT_NEAR((linears + attended) / 4096 / flops_per_token(job.model, 4096), 1, 1e-12);
}

TEST(LayerOps, GemmBytesAreOperandsAndResult) {
    const Job job = job_of(toy::llama_8b());
    const OpList list = layer(job, {});
    for (const Op& op : list.ops()) {
        if (op.kind != OpKind::gemm) continue;
        EXPECT_DOUBLE_EQ(op.bytes, op.m * op.k + op.k * op.n + op.m * op.n) << op.name;
        EXPECT_DOUBLE_EQ(op.flops, 2 * op.m * op.k * op.n) << op.name;
    }
}

// TP with sequence parallel: 4 collectives of n h 2 bytes each way, and the refetch of divided inputs.
TEST(TensorParallelOps, WithSequenceParallel) {
    const Job job = job_of(toy::llama_8b());
    const OpList list = layer(job, {.mesh = {1, 1, 2, 4}});
    const double v = 4096 / 2 * 4096.0 * 2;
    EXPECT_EQ(calls(list, Group::tp, Phase::forward), 4);
    EXPECT_EQ(calls(list, Group::tp, Phase::backward), 6);
    EXPECT_DOUBLE_EQ(volume(list, "tp.all_gather", Phase::forward), 2 * v);
    EXPECT_DOUBLE_EQ(volume(list, "tp.reduce_scatter", Phase::forward), 2 * v);
    EXPECT_DOUBLE_EQ(volume(list, "tp.all_gather", Phase::backward), 4 * v);
    EXPECT_DOUBLE_EQ(volume(list, "tp.reduce_scatter", Phase::backward), 2 * v);
}

// Without: 2 all-reduces of n h 2 bytes forward and 2 backward.
TEST(TensorParallelOps, WithoutSequenceParallel) {
    Runtime rt = toy::runtime();
    rt.sequence_parallel = false;
    const Job job = job_of(toy::llama_8b(), rt);
    const OpList list = layer(job, {.mesh = {1, 1, 1, 4}});
    for (const Phase phase : {Phase::forward, Phase::backward}) {
        EXPECT_EQ(calls(list, Group::tp, phase), 2);
        EXPECT_DOUBLE_EQ(volume(list, "tp.all_reduce", phase), 2 * 4096 * 4096.0 * 2);
    }
    EXPECT_EQ(calls(layer(job, {}), Group::tp, Phase::forward), 0);
}

// Ring: C - 1 hops of 2 n kv hd 2 bytes; backward K and V again with dK and dV. All-gather: the same K and V of all C ranks.
TEST(ContextParallelOps, KeyAndValueVolume) {
    const Job job = job_of(toy::llama_8b());
    Plan plan{.mesh = {1, 1, 4, 2}};
    const double kv = 2 * (4096 / 4) * 8 * 128 * 2.0 / 2;  // over t
    OpList list = layer(job, plan);
    EXPECT_EQ(calls(list, Group::cp, Phase::forward), 3);
    EXPECT_DOUBLE_EQ(volume(list, "cp.ring", Phase::forward), 3 * kv);
    EXPECT_DOUBLE_EQ(volume(list, "cp.ring", Phase::backward), 6 * kv);
    plan.cp_method = CpMethod::all_gather;
    list = layer(job, plan);
    EXPECT_DOUBLE_EQ(volume(list, "cp.all_gather", Phase::forward), 4 * kv);
    EXPECT_DOUBLE_EQ(volume(list, "cp.all_gather", Phase::backward), 4 * kv);
    EXPECT_DOUBLE_EQ(volume(list, "cp.reduce_scatter", Phase::backward), 4 * kv);
}

// Gathers of 2 P_u forward and, where resharded, backward; a reduce-scatter of 4 P_u; HSDP: an all-reduce of the shard's 4 P_u.
TEST(UnitOps, VolumesOfTheInventory) {
    const Job job = job_of(toy::llama_8b());
    Plan plan{.mesh = {2, 8, 2, 2}};
    const double weights = shapes(job, plan).layer_weights(job.model.layers[0]);
    EXPECT_DOUBLE_EQ(weights, (4096.0 * 48 * 128 + 4096.0 * 4096 + 3 * 4096.0 * 14336) / 2 + 2 * 4096);
    OpList list = unit_ops(job, plan, job.model.layers[0]);
    EXPECT_DOUBLE_EQ(volume(list, "fsdp.all_gather", Phase::forward), 2 * weights);
    EXPECT_DOUBLE_EQ(volume(list, "fsdp.all_gather", Phase::backward), 2 * weights);
    EXPECT_DOUBLE_EQ(volume(list, "fsdp.reduce_scatter", Phase::backward), 4 * weights);
    EXPECT_DOUBLE_EQ(volume(list, "hsdp.all_reduce", Phase::backward), 4 * weights / 16);
    plan.reshard_after_forward = false;
    list = unit_ops(job, plan, job.model.layers[0]);
    EXPECT_DOUBLE_EQ(volume(list, "fsdp.all_gather", Phase::backward), 0);
    plan.mesh = {1, 8, 2, 2};
    EXPECT_DOUBLE_EQ(volume(unit_ops(job, plan, job.model.layers[0]), "hsdp.all_reduce", Phase::backward), 0);
    plan.mesh = {4, 1, 1, 2};
    EXPECT_TRUE(unit_ops(job, plan, job.model.layers[0]).ops().empty());
}

// DDP: one all-reduce of all gradients. ZeRO-1: reduce-scatter and all-gather, and the optimizer on one part of the weights.
TEST(StepOps, DataParallelSync) {
    Runtime rt = toy::runtime();
    rt.allow_fsdp = false;
    const Job job = job_of(toy::llama_8b(), rt);
    Plan plan{.mesh = {8, 1, 2, 1}};
    const double weights = static_cast<double>(parameters(job.model).total);
    const auto optimizer = [](const OpList& list) { return volume(list, "optimizer", Phase::step); };
    OpList list = step_ops(job, plan);
    EXPECT_DOUBLE_EQ(volume(list, "dp.grad_sync", Phase::step), 4 * weights);
    EXPECT_DOUBLE_EQ(optimizer(list), 30 * weights);
    plan.shard_optimizer = true;
    list = step_ops(job, plan);
    EXPECT_DOUBLE_EQ(volume(list, "dp.grad_sync", Phase::step), 4 * weights);
    EXPECT_DOUBLE_EQ(volume(list, "dp.param_gather", Phase::step), 2 * weights);
    EXPECT_DOUBLE_EQ(optimizer(list), 30 * weights / 16);
    EXPECT_DOUBLE_EQ(optimizer(step_ops(job_of(toy::llama_8b()), {.mesh = {2, 16, 2, 1}})), 30 * weights / 32);
}

TEST(HeadOps, LogitsAreDividedUnderLossParallel) {
    Runtime rt = toy::runtime();
    const auto logits = [](const Job& job) { return volume(head_ops(job, {.mesh = {1, 1, 1, 8}}), "loss", Phase::forward); };
    EXPECT_DOUBLE_EQ(logits(job_of(toy::llama_8b(), rt)), 4096.0 * 128256 / 8 / 2);
    rt.loss_parallel = false;
    EXPECT_DOUBLE_EQ(logits(job_of(toy::llama_8b(), rt)), 4096.0 * 128256 / 2);
}

}  // namespace
}  // namespace ndtune

#include "cost_model/memory.h"

#include <gtest/gtest.h>

#include "tests/support/toy.h"

namespace ndtune {
namespace {

constexpr double kTokens = 4096;

Job job_of(ActivationCoefficients coefficients = {}, Runtime rt = toy::runtime()) {
    rt.activations = coefficients;
    return toy::job(toy::llama_8b(), toy::cluster(8, 8), 4096, 64, rt);
}

ActivationCoefficients coefficients(double hidden, double constant, double ffn) {
    ActivationCoefficients c;
    c.hidden = hidden;
    c.constant = constant;
    c.ffn = ffn;
    return c;
}

LayerMemory layer(const Job& job, const Plan& plan = {}) {
    return memory_shapes(job, shapes(job, plan)).layers[0];
}

// Bytes that autograd saves, Llama-3-8B, T = 4096; A = 2 (a + 2g) d + 2 a d + 4 a.
TEST(LayerMemory, TableOfImplementations) {
    struct Row {
        double hidden, constant, ffn, mib;
    };
    const double h = 4096, f = 14336, core = 2 * (32 + 2 * 8) * 128 + 2 * 32 * 128 + 4 * 32;
    for (const Row& row : {Row{8, 0, 6, 544.5}, Row{16, 8, 8, 784.5}, Row{8, 8, 8, 656.5}, Row{20, 8, 8, 848.5}}) {
        const double bytes = kTokens * (row.hidden * h + row.constant + core + row.ffn * f);
        EXPECT_DOUBLE_EQ(layer(job_of(coefficients(row.hidden, row.constant, row.ffn))).kept, bytes);
        EXPECT_NEAR(bytes / kMiB, row.mib, 0.05);
    }
}

TEST(LayerMemory, RecomputeForms) {
    const LayerMemory m = layer(job_of());
    // T (4h + 4 a d + 2 g d + 4 a + 2 f) and 2 h T
    EXPECT_DOUBLE_EQ(m.selective, kTokens * (4 * 4096.0 + 4 * 4096 + 2 * 1024 + 4 * 32 + 2 * 14336));
    EXPECT_NEAR(m.selective / kMiB, 248.5, 0.05);
    EXPECT_DOUBLE_EQ(m.checkpoint, 32 * kMiB);
}

// 272.2 and 136.1 MiB at t = 2 and 4 with sequence parallel.
TEST(LayerMemory, TensorParallelDivides) {
    const Job job = job_of(coefficients(8, 0, 6));
    const double whole = layer(job).kept;
    EXPECT_DOUBLE_EQ(layer(job, {.mesh = {1, 1, 1, 2}}).kept, whole / 2);
    EXPECT_DOUBLE_EQ(layer(job, {.mesh = {1, 1, 1, 4}}).kept, whole / 4);
    EXPECT_NEAR(whole / 2 / kMiB, 272.2, 0.06);
    EXPECT_NEAR(whole / 4 / kMiB, 136.1, 0.06);
}

TEST(LayerMemory, WithoutSequenceParallelHiddenStaysWhole) {
    Runtime rt = toy::runtime();
    rt.sequence_parallel = false;
    const Job job = job_of(coefficients(8, 0, 6), rt);
    const double hidden = kTokens * 8 * 4096, whole = layer(job).kept;
    EXPECT_DOUBLE_EQ(layer(job, {.mesh = {1, 1, 1, 8}}).kept, hidden + (whole - hidden) / 8);
}

TEST(LayerMemory, ContextParallelDividesTokens) {
    const Job job = job_of();
    EXPECT_DOUBLE_EQ(layer(job, {.mesh = {1, 1, 4, 1}}).kept, layer(job).kept / 4);
    EXPECT_DOUBLE_EQ(layer(job, {.mesh = {}, .micro_batch = 3}).kept, layer(job).kept * 3);
}

TEST(LayerMemory, PlainAttentionKeepsItsScores) {
    Runtime rt = toy::runtime();
    rt.attention = AttentionKernel::plain;
    const double flash = layer(job_of()).kept;
    EXPECT_DOUBLE_EQ(layer(job_of({}, rt)).kept - flash, kTokens * 5 * 32 * 4096);  // 5 bytes a score
}

TEST(LayerMemory, MoeKeepsRoutedCopies) {  // T K (2h + 6 f_e) beside attention
    Job job = job_of(coefficients(8, 0, 6));
    LayerType& type = job.model.layers[0];
    const double dense = kTokens * 6 * 14336;
    const double without = layer(job).kept - dense;
    type.ffn = 0;
    type.experts = 8;
    type.experts_per_token = 2;
    type.expert_ffn = 14336;
    EXPECT_DOUBLE_EQ(layer(job).kept, without + kTokens * 2 * (2 * 4096 + 6 * 14336.0));
}

double row(const MemoryLedger& ledger, LedgerRow r) {
    return static_cast<double>(ledger.row(r).value);
}

MemoryLedger ledger(const Job& job, const Plan& plan) {
    return estimate(job, plan).memory;
}

TEST(Ledger, FsdpStatesAreSixteenBytesOverTheShardGroup) {
    const Job job = job_of();
    const double p = 8'030'261'248.0;
    for (const Mesh mesh : {Mesh{1, 64, 1, 1}, Mesh{4, 8, 2, 1}, Mesh{1, 16, 4, 1}}) {
        const MemoryLedger m = ledger(job, {.mesh = mesh});
        const auto group = static_cast<double>(mesh.shard_group());
        EXPECT_NEAR(row(m, LedgerRow::parameters), 4 * p / group, 1);
        EXPECT_NEAR(row(m, LedgerRow::gradients), 4 * p / group, 1);
        EXPECT_NEAR(row(m, LedgerRow::optimizer_states), 8 * p / group, 1);
    }
}

TEST(Ledger, ReplicasHoldEverything) {
    Job job = job_of();
    job.runtime.main_weights = false;
    const MemoryLedger m = ledger(job, {.mesh = {64, 1, 1, 1}});
    const double p = 8'030'261'248.0;
    EXPECT_NEAR(row(m, LedgerRow::parameters), 4 * p, 1);
    EXPECT_NEAR(row(m, LedgerRow::optimizer_states), 8 * p, 1);
    EXPECT_EQ(row(m, LedgerRow::gathered_units), 0);
}

TEST(Ledger, Zero1ShardsMastersAndMoments) {
    Job job = job_of();
    job.runtime.allow_fsdp = false;
    job.runtime.main_weights = true;
    const MemoryLedger m = ledger(job, {.mesh = {32, 1, 2, 1}, .shard_optimizer = true});
    const double p = 8'030'261'248.0;
    EXPECT_NEAR(row(m, LedgerRow::parameters), 2 * p, 1);
    EXPECT_NEAR(row(m, LedgerRow::optimizer_states), 12 * p / 64, 1);
}

TEST(Ledger, GatheredUnits) {
    const Job job = job_of();
    Plan plan{.mesh = {1, 64, 1, 1}};
    const Shapes s = shapes(job, plan);
    const MemoryLedger m = ledger(job, plan);
    ASSERT_NE(m.phase, MemoryPhase::optimizer);
    EXPECT_NEAR(row(m, LedgerRow::gathered_units), 2 * (s.root_weights() + 2 * s.layer_weights(job.model.layers[0])), 1);
    plan.reshard_after_forward = false;
    EXPECT_NEAR(row(ledger(job, plan), LedgerRow::gathered_units), 2 * s.rank_weights(), 1);
}

TEST(Ledger, UnsyncedGradientsStayWhole) {
    const Job job = job_of();
    const Plan plan{.mesh = {1, 16, 1, 1}, .grad_accum = 4, .sync_every_micro_batch = false};
    EXPECT_NEAR(row(ledger(job, plan), LedgerRow::unsharded_grads), 4 * 8'030'261'248.0, 1);
}

TEST(Ledger, LossPeakPerLogit) {
    Job job = job_of();
    job.runtime.loss_peak_bytes = 14;
    const MemoryLedger m = ledger(job, {.mesh = {1, 64, 1, 1}, .recompute = Recompute::full});
    ASSERT_EQ(m.phase, MemoryPhase::loss);
    EXPECT_NEAR(row(m, LedgerRow::logits), 14 * kTokens * 128256, 1);
    EXPECT_NEAR(row(m, LedgerRow::activations), 32 * 32 * kMiB, 1);
}

TEST(Ledger, PeakIsTheLargestPhaseAndRowsSumToIt) {
    const Job job = job_of();
    const MemoryLedger m = ledger(job, {.mesh = {1, 16, 2, 2}, .micro_batch = 2});
    Bytes rows, most;
    for (const Bytes b : m.rows) rows += b;
    for (const Bytes b : m.phase_totals) most = std::max(most, b);
    EXPECT_EQ(rows, m.peak);
    EXPECT_EQ(most, m.peak);
    EXPECT_EQ(m.phase_totals[static_cast<std::size_t>(m.phase)], m.peak);
    EXPECT_EQ(m.reserved(), m.peak - m.row(LedgerRow::context));
    EXPECT_EQ(m.capacity, job.cluster.device.memory.value);
}

TEST(Ledger, FitsComparesWithCapacity) {
    Job job = job_of();
    const Plan plan{.mesh = {1, 64, 1, 1}, .recompute = Recompute::full};
    const MemoryLedger m = ledger(job, plan);
    job.cluster.device.memory.value = m.peak;
    EXPECT_TRUE(ledger(job, plan).fits());
    job.cluster.device.memory.value = m.peak - Bytes{1};
    EXPECT_FALSE(ledger(job, plan).fits());
}

}  // namespace
}  // namespace ndtune

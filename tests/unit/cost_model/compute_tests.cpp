#include "cost_model/compute.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/toy.h"

namespace ndtune {
namespace {

Job job_of(Runtime rt = toy::ideal_runtime(), Precision precision = Precision::bf16) {
    Job job = toy::job(toy::llama_8b(), toy::cluster(1, 1), 4096, 1, std::move(rt));
    job.workload.precision = precision;
    return job;
}

Op gemm(double m, double k, double n) {
    return {.name = "test",
            .kind = OpKind::gemm,
            .low_precision = true,
            .m = m,
            .k = k,
            .n = n,
            .flops = 2 * m * k * n,
            .bytes = m * k + k * n + m * n};
}

double seconds(const Job& job, const Op& op) {
    return ComputeModel(job).time(op).value;
}

TEST(SmoothMax, Limits) {
    EXPECT_DOUBLE_EQ(smooth_max(0, 0), 0);
    EXPECT_DOUBLE_EQ(smooth_max(3, 0), 3);
    EXPECT_DOUBLE_EQ(smooth_max(0, 3), 3);
    EXPECT_NEAR(smooth_max(1, 1), std::pow(2, 0.25), 1e-12);
    EXPECT_NEAR(overlap_max(1, 1), std::pow(2, 0.125), 1e-12);
    EXPECT_NEAR(smooth_max(2, 1), std::pow(17, 0.25), 1e-12);
    EXPECT_DOUBLE_EQ(overlap_max(0, 5), 5);
    EXPECT_DOUBLE_EQ(smooth_max(1e300, 1e300), 1e300 * std::pow(2, 0.25));  // no overflow of the powers
}

TEST(SmoothPositive, IsAboveTheKinkAndMeetsItAfar) {
    EXPECT_DOUBLE_EQ(smooth_positive(0, 2), 1);
    EXPECT_NEAR(smooth_positive(100, 1), 100, 0.01);
    EXPECT_NEAR(smooth_positive(-100, 1), 0, 0.01);
    EXPECT_GE(smooth_positive(-3, 1), 0);
}

// The toy's 16-bit curve: 0.8 PFLOP/s, 2 TB/s, launch 3 us, sustained 1.1.
TEST(Gemm, LargeIsFlopsOverPeak) {
    const Op op = gemm(65536, 8192, 8192);
    EXPECT_NEAR(seconds(job_of(), op), 3e-6 + 1.1 * op.flops / 0.8e15, 1e-3 * op.flops / 0.8e15);
}

TEST(Gemm, ThinIsBytesOverBandwidth) {
    const Op op = gemm(8, 65536, 8192);
    EXPECT_NEAR(seconds(job_of(), op), 3e-6 + 1.1 * 2 * op.bytes / 2e12, 1e-3 * op.bytes / 1e12);
}

TEST(Gemm, TinyIsTheLaunch) {
    EXPECT_NEAR(seconds(job_of(), gemm(1, 1, 1)), 3e-6, 1e-10);
}

TEST(Gemm, BackwardAndExpertFactors) {
    Runtime rt = toy::ideal_runtime();
    rt.dgrad = 1.5;
    rt.wgrad = 2;
    rt.grouped_gemm = 3;
    const Job job = job_of(rt);
    Op op = gemm(4096, 4096, 4096);
    const double forward = seconds(job, op) - 3e-6;
    op.phase = Phase::dgrad;
    EXPECT_NEAR(seconds(job, op) - 3e-6, 1.5 * forward, 1e-12);
    op.phase = Phase::wgrad;
    EXPECT_NEAR(seconds(job, op) - 3e-6, 2 * forward, 1e-12);
    op.phase = Phase::forward;
    op.batch = 2;
    op.flops *= 2;
    op.bytes *= 2;
    EXPECT_NEAR(seconds(job, op) - 3e-6, 3 * 2 * forward, 1e-12);
}

TEST(Gemm, LowPrecisionIsFasterLessItsCast) {
    const Op large = gemm(65536, 8192, 8192);
    const double wide = seconds(job_of(), large), narrow = seconds(job_of(toy::ideal_runtime(), Precision::fp8), large);
    const double cast = 3 * (65536.0 * 8192 + 8192.0 * 8192) / (0.9 * 3e12);
    EXPECT_NEAR(narrow - cast, wide / 2, 0.01 * wide);
    Op head = large;
    head.low_precision = false;  // stays in 16 bit
    EXPECT_DOUBLE_EQ(seconds(job_of(toy::ideal_runtime(), Precision::fp8), head), wide);
}

TEST(Gemm, UnsupportedPrecisionRunsInTheNextWider) {
    const Op op = gemm(8192, 8192, 8192);
    EXPECT_DOUBLE_EQ(seconds(job_of(toy::ideal_runtime(), Precision::fp4), op),
                     seconds(job_of(toy::ideal_runtime(), Precision::fp8), op));
    Job job = job_of(toy::ideal_runtime(), Precision::fp16);
    job.cluster.device.gemm[static_cast<std::size_t>(Precision::bf16)] = {};
    Job wider = job_of(toy::ideal_runtime(), Precision::fp32);
    EXPECT_GT(seconds(job, op), 0.9 * op.flops / 48e12);  // the fp32 units
    EXPECT_LT(seconds(job, op), seconds(wider, op) * 1.01);
}

// The curves are of 16-bit kernels; MFU would pass 1 if fp32 used them.
TEST(Attention, InFp32IsNoFasterThanTheGemm) {
    const Op op{.name = "attention", .kind = OpKind::attention, .m = 1e9, .k = 128, .n = 4096, .flops = 1e15};
    const double gemm = 1e15 * 1.1 / 48e12;
    EXPECT_NEAR(seconds(job_of(toy::ideal_runtime(), Precision::fp32), op), gemm, 1e-4 * gemm);
    EXPECT_LT(seconds(job_of(), op), 0.2 * gemm);
}

TEST(Attention, RateFallsForShortSequences) {
    const Job job = job_of();
    Op op{.name = "attention", .kind = OpKind::attention, .m = 4096, .k = 128, .n = 4096, .flops = 1e15};
    // 400 TFLOP/s at head size 128, half-speed at 800 tokens, 0.7 of the sustained loss of 10 %.
    const double rate = 400e12 / 1.07;
    EXPECT_NEAR(seconds(job, op), 6e-6 + 1e15 / (rate * 4096 / 4896), 1e-9);
    const double forward = seconds(job, op) - 6e-6;
    op.phase = Phase::backward;
    EXPECT_NEAR(seconds(job, op) - 6e-6, 1.25 * forward, 1e-9);
}

TEST(Attention, FallsBackToAnotherKernelOfTheDevice) {
    Runtime newer = toy::ideal_runtime(), older = toy::ideal_runtime();
    newer.attention = AttentionKernel::flash3;
    older.attention = AttentionKernel::flash1;
    const Op op{.name = "attention", .kind = OpKind::attention, .m = 4096, .k = 128, .n = 4096, .flops = 1e15};
    EXPECT_DOUBLE_EQ(seconds(job_of(newer), op), seconds(job_of(), op));
    EXPECT_DOUBLE_EQ(seconds(job_of(older), op), seconds(job_of(), op));
}

TEST(Stream, BytesOverEffectiveBandwidth) {
    Runtime rt = toy::ideal_runtime();
    rt.elementwise_gated = 3;
    rt.loss_bytes = 20;
    const Job job = job_of(rt);
    const double hbm = 0.9 * 3e12;
    EXPECT_DOUBLE_EQ(seconds(job, {.name = "s", .kind = OpKind::stream, .bytes = 1e12}), 1e12 / hbm);
    EXPECT_DOUBLE_EQ(seconds(job, {.name = "e", .kind = OpKind::elementwise, .bytes = 1e12}), 3e12 / hbm);
    EXPECT_DOUBLE_EQ(seconds(job, {.name = "l", .kind = OpKind::loss, .bytes = 1e12}), 20e12 / hbm);
    EXPECT_DOUBLE_EQ(seconds(job, {.name = "c", .kind = OpKind::collective, .bytes = 1e12}), 0);
}

TEST(ComputeModel, GradeIsTheWeakestInput) {
    Job job = job_of();
    for (GemmCurve& c : job.cluster.device.gemm) c.provenance = Provenance::measured;
    for (AttentionCurve& c : job.cluster.device.attention) c.provenance = Provenance::calibrated;
    job.cluster.device.hbm.provenance = Provenance::measured;
    EXPECT_EQ(ComputeModel(job).provenance(), Provenance::calibrated);
    job.cluster.device.hbm.provenance = Provenance::datasheet;
    EXPECT_EQ(ComputeModel(job).provenance(), Provenance::datasheet);
}

}  // namespace
}  // namespace ndtune

#include "profiles/published/accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiles/published/validation.h"
#include "published_rows.h"

namespace ndtune::published {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Measured {
    std::string id;
    double measured, predicted;
    double mfu = 0.4;
    double measured_memory = 0, predicted_memory = 0;
    std::int64_t batch = 16;
};

Accuracy score_of(const std::vector<Measured>& cases) {
    std::vector<Run> runs;
    std::vector<Prediction> predictions;
    for (const Measured& m : cases) {
        published::Run run;
        run.id = m.id;
        run.model = "llama";
        run.global_batch = m.batch;
        run.mfu = m.mfu;
        if (m.measured > 0) run.step_time_s = m.measured;
        if (m.measured_memory > 0) run.memory_gib = m.measured_memory;
        runs.push_back(run);
        Prediction p;
        p.id = m.id;
        if (m.predicted > 0) p.step_time_s = m.predicted;
        if (m.predicted_memory > 0) p.memory_gib = m.predicted_memory;
        predictions.push_back(p);
    }
    return score(runs, predictions);
}

TEST(Accuracy, ErrorsOfASource) {
    const Accuracy accuracy = score_of({{"a-1", 1.0, 1.1}, {"a-2", 2.0, 1.6}, {"a-3", 4.0, 4.0}, {"a-4", 1.0, 0}});
    const AccuracyLine& a = accuracy.lines.at(0);
    EXPECT_EQ(a.source, "a");
    EXPECT_EQ(a.scored, 3U);
    EXPECT_EQ(a.in_scope, 4U);
    EXPECT_DOUBLE_EQ(a.cover.value(), 0.75);
    EXPECT_NEAR(a.mape.value(), (0.1 + 0.2 + 0.0) / 3, 1e-12);
    EXPECT_NEAR(a.median_ape.value(), 0.1, 1e-12);
    EXPECT_NEAR(a.bias.value(), -0.1 / 3, 1e-12);
}

TEST(Accuracy, LowMfuAndMissingTimesAreOutOfScope) {
    const Accuracy accuracy = score_of({{"a-1", 1.0, 1.5, 0.02}, {"a-2", 0, 1.0}, {"a-3", 1.0, 1.0}});
    EXPECT_EQ(accuracy.low_mfu, 1U);
    EXPECT_EQ(accuracy.without_time, 1U);
    EXPECT_EQ(accuracy.lines.at(0).in_scope, 1U);
    EXPECT_DOUBLE_EQ(accuracy.lines.at(0).mape.value(), 0);
}

TEST(Accuracy, MemoryCountsWhateverTheMfu) {
    const Accuracy accuracy = score_of({{"a-1", 1.0, 1.5, 0.02, 10, 12}, {"a-2", 0, 0, 0.4, 10, 9}});
    EXPECT_EQ(accuracy.lines.at(0).memory_scored, 2U);
    EXPECT_NEAR(accuracy.lines.at(0).memory_mape.value(), 0.15, 1e-12);
    EXPECT_NEAR(accuracy.lines.at(0).memory_bias.value(), 0.05, 1e-12);
}

TEST(Accuracy, RankAndRegretWithinGroups) {
    // Order kept, one pair swapped (rho = 1 - 6 x 2 / (3 x 8) = 0.5); the predicted-fastest takes 2 where 1 is possible.
    const Accuracy accuracy = score_of({{"a-1", 1.0, 2.0}, {"a-2", 2.0, 1.0}, {"a-3", 3.0, 3.0}});
    EXPECT_EQ(accuracy.lines.at(0).groups, 1U);
    EXPECT_NEAR(accuracy.lines.at(0).rank.value(), 0.5, 1e-12);
    EXPECT_NEAR(accuracy.lines.at(0).regret.value(), 1.0, 1e-12);
    // Another batch is another group: two rows alone make none.
    EXPECT_EQ(score_of({{"a-1", 1.0, 1.0}, {"a-2", 2.0, 2.0}, {"a-3", 3.0, 3.0, 0.4, 0, 0, 32}}).lines.at(0).groups, 0U);
}

TEST(Accuracy, TiesShareRanksAndConstantPredictionsScoreNothing) {
    EXPECT_DOUBLE_EQ(score_of({{"a-1", 1.0, 5.0}, {"a-2", 2.0, 5.0}, {"a-3", 3.0, 5.0}}).lines.at(0).rank.value(), 0);
    // Measured ranks 0, 1, 2 against 0.5, 0.5, 2: rho = 0.866.
    EXPECT_NEAR(score_of({{"a-1", 1.0, 5.0}, {"a-2", 2.0, 5.0}, {"a-3", 3.0, 6.0}}).lines.at(0).rank.value(), 0.8660254, 1e-6);
    // The regret of a tie is the mean of what it could choose.
    EXPECT_NEAR(score_of({{"a-1", 1.0, 5.0}, {"a-2", 2.0, 5.0}, {"a-3", 3.0, 6.0}}).lines.at(0).regret.value(), 0.5, 1e-12);
}

TEST(Accuracy, AllPoolsRowsAndMedianTakesSourcesOfFive) {
    std::vector<Measured> cases;
    for (int i = 0; i < 5; ++i) {
        cases.push_back({"a-" + std::to_string(i), 1.0, 1.1});
        cases.push_back({"b-" + std::to_string(i), 1.0, 1.3});
    }
    cases.push_back({"c-1", 1.0, 2.0});
    const Accuracy accuracy = score_of(cases);
    ASSERT_EQ(accuracy.lines.size(), 5U);
    EXPECT_NEAR(accuracy.find("ALL")->mape.value(), (5 * 0.1 + 5 * 0.3 + 1.0) / 11, 1e-12);
    EXPECT_NEAR(accuracy.find("MEDIAN")->mape.value(), 0.2, 1e-12);
    EXPECT_EQ(accuracy.find("MEDIAN")->scored, 2U);
    EXPECT_EQ(accuracy.find("MEDIAN")->in_scope, 3U);
}

TEST(Accuracy, MfuFromWhateverTheRowStates) {
    published::Run run;
    run.gpu = "H100-SXM-80GB";
    run.tflops_per_gpu = 494.5;
    EXPECT_DOUBLE_EQ(mfu_of_run(run).value(), 0.5);
    run.tflops_per_gpu.reset();
    EXPECT_FALSE(mfu_of_run(run).has_value());
    run.step_time_s = 2.0, run.params = 1e9, run.seq_len = 1000, run.global_batch = 100, run.gpus = 1;
    EXPECT_NEAR(mfu_of_run(run).value(), 6e9 * 1e5 / (2 * 989e12), 1e-12);
    run.gpu = "unheard of";
    EXPECT_FALSE(mfu_of_run(run).has_value());
    run.mfu = 0.31;
    EXPECT_DOUBLE_EQ(mfu_of_run(run).value(), 0.31);
}

TEST(Validation, OneLinePerRowInOrder) {
    const auto result = validate(table({titan_row(), titan_row({{"id", "x-1"}, {"pp", "2"}}),
                                        titan_row({{"id", "y-1"}, {"micro_batch", ""}, {"grad_accum", ""}})}),
                                 "t.csv");
    ASSERT_TRUE(result) << result.error().message;
    const std::string csv = to_csv(result->predictions);
    EXPECT_THAT(csv, StartsWith("id,system,variant,pred_step_time_s,pred_mem_gib,status,reason\ntitan-0001,ndtune,catalog,"));
    EXPECT_THAT(csv, HasSubstr(",ok,\nx-1,ndtune,catalog,,,unsupported,pp = 2: pipeline parallelism is not modelled\ny-1,"));
    EXPECT_THAT(csv, HasSubstr(",approx,micro_batch not stated: 1 taken\n"));
    EXPECT_THAT(summary_text(*result), HasSubstr("3 rows: 1 ok, 1 approx, 1 unsupported\n"));
    EXPECT_THAT(summary_text(*result), HasSubstr("pp > 1: pipeline parallelism is not modelled"));
}

TEST(Validation, BadTablesAreErrors) {
    const auto result = validate("not a table\n", "t.csv");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().where, "t.csv:1");
}

TEST(Validation, TheTableNamesEachSource) {
    const auto result = validate(table({titan_row()}), "t.csv");
    ASSERT_TRUE(result);
    const std::string text = to_text(result->accuracy);
    EXPECT_THAT(text, StartsWith("rows 1; without step time 0; MFU < 0.05 0; in scope for time 1\n"));
    EXPECT_THAT(text, HasSubstr("| titan "));
    EXPECT_THAT(text, HasSubstr("| MEDIAN "));
}

}  // namespace
}  // namespace ndtune::published

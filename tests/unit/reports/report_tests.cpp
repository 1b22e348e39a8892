#include "reports/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "toy.h"

namespace ndtune::reports {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(make_report, finds_the_best_plan_with_one_axis) {
    const Result<Report> report = make_report(toy::job(), {});
    ASSERT_TRUE(report.has_value());
    ASSERT_TRUE(report->baseline && report->baseline->best);
    const Mesh& mesh = report->baseline->best->plan.mesh;
    EXPECT_EQ(mesh, (Mesh{1, 8, 1, 1}));
    EXPECT_GE(report->baseline->best->estimate.step_time, report->result.plans.front().estimate.step_time);
}

TEST(make_report, says_why_one_axis_does_not_do) {
    Job job = toy::job();
    job.workload.global_batch = 4;  // fewer sequences than devices
    const Result<Report> report = make_report(job, {});
    ASSERT_TRUE(report.has_value());
    ASSERT_FALSE(report->result.plans.empty());
    ASSERT_TRUE(report->baseline && report->baseline->reason);
    EXPECT_FALSE(report->baseline->best.has_value());
    EXPECT_EQ(report->baseline->reason->rule, search::Rule::batch);
}

TEST(make_report, has_no_baseline_on_one_device) {
    Job job = toy::job();
    job.cluster = make_cluster(toy::device(), 1, 1).value();
    const Result<Report> report = make_report(job, {});
    ASSERT_TRUE(report.has_value());
    EXPECT_FALSE(report->baseline.has_value());
}

// One node's worth of tensor parallelism is 4; a plan forced to 8 deserves a word, and a repeated report says it once.
TEST(make_report, warns_once_of_tensor_parallelism_across_nodes) {
    search::Options options;
    options.limits = {{Axis::tp, 8, 8}};
    Job job = toy::job();
    job.model.attention.kv_heads = 8;
    const Result<Report> report = make_report(job, options, {"mine"});
    ASSERT_TRUE(report.has_value());
    EXPECT_THAT(report->warnings, ElementsAre("mine", StartsWith("#1: ")));
    const Result<Report> again = make_report(report->job, report->options, report->warnings);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->warnings, report->warnings);
    EXPECT_EQ(to_json(*again), to_json(*report));
}

TEST(make_report, passes_the_errors_of_the_search_on) {
    Job job = toy::job();
    job.workload.global_batch = 0;
    EXPECT_FALSE(make_report(job, {}).has_value());
}

}  // namespace
}  // namespace ndtune::reports

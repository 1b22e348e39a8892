#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/sizing_text.h"
#include "toy.h"

namespace ndtune::reports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(sizing, names_a_verdict_for_every_row) {
    SizingReport report = toy::sizing();
    EXPECT_EQ(verdict(report, 0), "misses deadline and budget");
    EXPECT_EQ(verdict(report, 1), "cheapest, smallest");
    EXPECT_EQ(verdict(report, 2), "fastest");
    EXPECT_EQ(verdict(report, 3), "no price");
    EXPECT_EQ(verdict(report, 4), "nothing fits: 64 sequences, 128 data-parallel ranks");
    report.result.rows[0].meets_budget = true;
    EXPECT_EQ(verdict(report, 0), "misses deadline");
    report.result.fastest = 1;
    EXPECT_EQ(verdict(report, 2), "ok");
}

TEST(sizing, shows_the_rows_that_matter) {
    SizingReport report = toy::sizing();
    EXPECT_THAT(rows_that_matter(report), ElementsAre(1, 2));
    report.result.cheapest = report.result.fastest = report.result.smallest = std::nullopt;
    for (search::SizingRow& row : report.result.rows) row.meets_budget = false;
    EXPECT_THAT(rows_that_matter(report), ElementsAre(1, 3)) << "nearest: the cheapest and the fastest";
    for (search::SizingRow& row : report.result.rows) row.best.reset();
    EXPECT_THAT(rows_that_matter(report), ElementsAre(4)) << "nothing fits: the largest says why";
}

TEST(sizing, says_what_would_be_needed) {
    SizingReport report = toy::sizing();
    EXPECT_EQ(needed_text(report), "");
    report.result.deadline_needed_s = 5.0 * 86400;
    report.result.budget_needed = Dollars{750};
    EXPECT_EQ(needed_text(report), "no cluster meets the wishes: $700 buys it in 5.00 days; 4.00 days take $750");
    report.result.budget_needed.reset();
    EXPECT_EQ(needed_text(report),
              "no cluster meets the wishes: $700 buys it in 5.00 days; none listed is done in 4.00 days at a known price");
}

TEST(sizing, quiet_output_is_cluster_and_plan) {
    ConsoleStyle style;
    style.verbosity = -1;
    SizingReport report = toy::sizing();
    EXPECT_EQ(to_console(report, style), "2x4xtoy-32g s8/mb2.ga4\n");
    report.result.cheapest.reset();
    report.result.smallest = 2;
    EXPECT_EQ(to_console(report, style), "4x4xtoy-32g r2.s8/mb2.ga2\n");
    report.result.smallest.reset();
    EXPECT_EQ(to_console(report, style), "");
}

TEST(sizing, shows_the_batch_where_it_differs) {
    SizingReport report = toy::sizing();
    EXPECT_THAT(to_console(report, {}), testing::Not(HasSubstr("  batch  ")));
    report.result.rows[2].global_batch = 72;
    EXPECT_THAT(to_console(report, {}), HasSubstr("  batch  "));
}

TEST(sizing, json_lists_each_device_once_and_every_row) {
    const auto json = nlohmann::json::parse(to_json(toy::sizing()));
    EXPECT_EQ(json["inputs"]["devices"].size(), 1U);
    EXPECT_EQ(json["rows"].size(), 5U);
    EXPECT_EQ(json["rows"][0]["cluster"]["device"], "toy-32g");
    EXPECT_EQ(json["choices"]["fastest"], 2);
    EXPECT_EQ(json["rows"][4]["best"], nullptr);
    EXPECT_EQ(json["rows"][3]["cost_usd"], nullptr);
}

}  // namespace
}  // namespace ndtune::reports

#include "reports/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "toy.h"

namespace ndtune::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

ConsoleStyle wide() {
    ConsoleStyle style;
    style.width = 1000;
    return style;
}

std::string explained(const Report& report, std::string_view plan) {
    const Result<std::string> text = explain(report, parse_plan(plan).value(), wide());
    EXPECT_TRUE(text.has_value()) << (text ? "" : text.error().message);
    return text.value_or("");
}

TEST(explain, has_every_section) {
    const Result<std::string> text = explain(toy::report(), 0, wide());
    ASSERT_TRUE(text.has_value());
    for (const char* part : {"Plan #1", "Answer", "Runtime", "where the time goes", "where the memory goes", "Moments", "Binds",
                             "Path", "Against", "Flips", "Why axes", "Figures"}) {
        EXPECT_THAT(*text, HasSubstr(part));
    }
}

TEST(explain, of_a_later_plan_holds_it_against_the_best) {
    const Result<std::string> text = explain(toy::report(), 2, wide());
    ASSERT_TRUE(text.has_value());
    EXPECT_THAT(*text, HasSubstr("Plan #3"));
    EXPECT_THAT(*text, HasSubstr("Against   #1 r2.s4/mb2.ga4"));
}

TEST(explain, refuses_a_rank_that_is_not_there) {
    const Result<std::string> text = explain(toy::report(), 5, wide());
    ASSERT_FALSE(text.has_value());
    EXPECT_EQ(text.error().message, "the report has 5 plans, there is no #6");
    EXPECT_FALSE(explain(toy::empty_report(), 0, wide()).has_value());
}

TEST(explain, finds_a_ranked_plan_by_its_text) {
    EXPECT_THAT(explained(toy::report(), "s4.t2/mb2.ga8"), HasSubstr("Plan #3"));
}

TEST(explain, prices_a_plan_that_is_not_ranked) {
    const std::string text = explained(toy::report(), "s8/mb1.ga8");
    EXPECT_THAT(text, HasSubstr("Plan      s8/mb1.ga8: FSDP over 8"));
    EXPECT_THAT(text, Not(HasSubstr("Rejected")));
}

TEST(explain, says_first_that_a_plan_is_rejected) {
    EXPECT_THAT(explained(toy::report(), "r8/mb8"), testing::StartsWith("Rejected  "));
}

TEST(explain, refuses_a_plan_that_cannot_be_priced) {
    const auto text = explain(toy::report(), parse_plan("s4/mb1").value(), wide());
    ASSERT_FALSE(text.has_value());
    EXPECT_EQ(text.error().code, ErrorCode::infeasible);
    EXPECT_THAT(text.error().message, HasSubstr("s4/mb1: "));
}

std::string why_text(std::string_view plan) {
    return why(toy::report(), parse_plan(plan).value(), wide());
}

TEST(why, names_the_rule_and_what_the_plan_would_have_reached) {
    const std::string text = why_text("r8/mb8");
    EXPECT_THAT(text, HasSubstr("(memory)"));
    EXPECT_THAT(text, HasSubstr("Would be"));
}

TEST(why, does_not_price_what_cannot_be_priced) {
    const std::string text = why_text("s4/mb1");
    EXPECT_THAT(text, HasSubstr("(mesh_product)"));
    EXPECT_THAT(text, Not(HasSubstr("Would be")));
}

TEST(why, of_a_feasible_plan_gives_its_place) {
    EXPECT_THAT(why_text("s4.t2/mb2.ga8"), HasSubstr("Rank      #3"));
    EXPECT_THAT(why_text("s8/mb1.ga8"), HasSubstr("Against   #1 r2.s4/mb2.ga4"));
}

}  // namespace
}  // namespace ndtune::reports

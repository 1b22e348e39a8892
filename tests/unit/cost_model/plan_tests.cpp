#include "cost_model/plan.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ndtune {
namespace {

Plan example() {
    Plan plan;
    plan.mesh = {2, 4, 2, 2};
    plan.grad_accum = 4;
    plan.recompute = Recompute::full;
    return plan;
}

TEST(PlanText, Example) {
    EXPECT_EQ(to_text(example()), "r2.s4.c2.t2/mb1.ga4/ac=full");
    EXPECT_EQ(parse_plan("r2.s4.c2.t2/mb1.ga4/ac=full"), example());
}

TEST(PlanText, OneDevice) {
    EXPECT_EQ(to_text(Plan{}), "1/mb1");
    EXPECT_EQ(parse_plan("1/mb1"), Plan{});
    EXPECT_EQ(parse_plan("1"), Plan{});
}

TEST(PlanText, EveryKnob) {
    Plan plan;
    plan.mesh = {1, 8, 1, 1};
    plan.micro_batch = 3;
    plan.recompute = Recompute::full;
    plan.recompute_layers = 12;
    plan.reshard_after_forward = false;
    plan.sync_every_micro_batch = false;
    plan.shard_optimizer = true;
    plan.cp_method = CpMethod::all_gather;
    EXPECT_EQ(to_text(plan), "s8/mb3/ac=full:12/rs=off/sync=last/z1/cp=ag");
}

// Every combination of the knobs and a spread of sizes reads back as it was written.
TEST(PlanText, RoundTrip) {
    for (int bits = 0; bits < 512; ++bits) {
        Plan plan;
        plan.mesh = {bits & 1 ? 3 : 1, bits & 2 ? 1 << 20 : 1, bits & 4 ? 7 : 1, bits & 8 ? 16 : 1};
        plan.micro_batch = bits & 16 ? 1 << 20 : 1;
        plan.grad_accum = bits & 32 ? 10 : 1;
        plan.reshard_after_forward = !(bits & 64);
        plan.sync_every_micro_batch = !(bits & 128);
        plan.shard_optimizer = bits & 256;
        plan.cp_method = bits & 1 ? CpMethod::all_gather : CpMethod::ring;
        for (const auto& [mode, layers] : {std::pair{Recompute::none, 0}, std::pair{Recompute::selective, 0},
                                           std::pair{Recompute::full, 0}, std::pair{Recompute::full, 126}}) {
            plan.recompute = mode;
            plan.recompute_layers = layers;
            EXPECT_EQ(parse_plan(to_text(plan)), plan) << to_text(plan);
        }
    }
}

TEST(PlanText, AnyOrderAndSpelledOutDefaults) {
    EXPECT_EQ(parse_plan("t2.c2.s4.r2/ac=full/ga4.mb1"), example());
    EXPECT_EQ(parse_plan("r2.s4.c2.t2/ga4/mb1/cp=ring/sync=every/rs=on/ac=full"), example());
    EXPECT_EQ(parse_plan("s1/ac=none"), Plan{});
}

struct BadPlan {
    std::string text;
    std::string message;
};

TEST(PlanText, SaysWhatIsWrong) {
    const std::vector<BadPlan> bad = {
        {"", "the plan is empty"},
        {"/mb1", "'' is not an axis: r, s, c or t with a size, or 1 for a single device"},
        {"mb1", "'mb1' is not an axis: r, s, c or t with a size, or 1 for a single device"},
        {"s8/", "the plan ends in '/'"},
        {"s8//mb1", "'' is not a knob: mbN, gaN, ac=, rs=, sync=, cp= or z1"},
        {"s8.", "'s8.' needs a whole number from 1 to 1048576"},
        {"s8..t2", "'' is not an axis: r, s, c or t with a size, or 1 for a single device"},
        {"s8.s8", "'s' is given twice"},
        {"p2.s8", "'p2' is not an axis: r, s, c or t with a size, or 1 for a single device"},
        {"s0", "'s0' needs a whole number from 1 to 1048576"},
        {"s-1", "'s-1' needs a whole number from 1 to 1048576"},
        {"s1048577", "'s1048577' needs a whole number from 1 to 1048576"},
        {"s99999999999999999999", "'s99999999999999999999' needs a whole number from 1 to 1048576"},
        {"s8/mb0", "'mb0' needs a whole number from 1 to 1048576"},
        {"s8/mb1x", "'mb1x' needs a whole number from 1 to 1048576"},
        {"s8/mb1.mb2", "'mb' is given twice"},
        {"s8/mb1./ac=full", "'mb1.' needs a whole number from 1 to 1048576"},
        {"s8/ac=full:", "'ac=full:' needs a whole number from 1 to 1048576"},
        {"s8/ac=full:0", "'ac=full:0' needs a whole number from 1 to 1048576"},
        {"s8/ac=fuller", "'ac=fuller' is none of ac=none, ac=sel, ac=full and ac=full:LAYERS"},
        {"s8/ac=sel/ac=full", "'ac' is given twice"},
        {"s8/rs=no", "'rs=no' is neither rs=on nor rs=off"},
        {"s8/z1/z1", "'z1' is given twice"},
        {"s8/cp=alltoall", "'cp=alltoall' is neither cp=ring nor cp=ag"},
        {std::string("s8/\x01"), "'?' is not a knob"},
    };
    for (const BadPlan& plan : bad) {
        const auto read = parse_plan(plan.text);
        ASSERT_FALSE(read.has_value()) << plan.text;
        EXPECT_EQ(read.error().message.substr(0, plan.message.size()), plan.message) << plan.text;
        EXPECT_FALSE(read.error().hint.empty());
    }
}

TEST(PlanText, LongTextIsCutInTheMessage) {
    const auto read = parse_plan("s8/" + std::string(1 << 20, 'x'));
    ASSERT_FALSE(read.has_value());
    EXPECT_LT(read.error().message.size() + read.error().where.size(), 300U);
}

}  // namespace
}  // namespace ndtune

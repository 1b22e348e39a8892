#include "search/sensitivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "search/search.h"
#include "tests/support/toy.h"

namespace ndtune::search {
namespace {

const Sensitivity* named(const std::vector<Sensitivity>& list, std::string_view name) {
    const auto at = std::find_if(list.begin(), list.end(), [&](const auto& s) { return s.name == name; });
    return at == list.end() ? nullptr : &*at;
}

TEST(Sensitivity, TheFactorIsWhereThePlansMeet) {
    const Job job = toy::job(toy::llama_70b(), toy::cluster(8, 8), 8192, 512);
    const SearchResult found = search(job, {}).value();
    ASSERT_GT(found.plans.size(), 1U);
    const Plan& best = found.plans.front().plan;
    int flipped = 0;
    for (std::size_t i = 1; i < found.plans.size(); ++i) {
        const Plan& rival = found.plans[i].plan;
        const auto flips = what_would_flip(job, best, rival);
        const Sensitivity* s = named(flips, "scale-out bandwidth");
        ASSERT_NE(s, nullptr);
        if (!s->factor) continue;
        ++flipped;
        EXPECT_GE(*s->factor, 0.125);
        EXPECT_LE(*s->factor, 8.0);
        const auto rival_wins_at = [&](double factor) {
            Job changed = job;
            changed.cluster.tiers[1].bandwidth = job.cluster.tiers[1].bandwidth * factor;
            return estimate(changed, rival).step_time < estimate(changed, best).step_time;
        };
        EXPECT_TRUE(rival_wins_at(*s->factor)) << to_text(rival);
        EXPECT_FALSE(rival_wins_at(*s->factor > 1 ? *s->factor * 0.998 : *s->factor * 1.002)) << to_text(rival);
    }
    EXPECT_GT(flipped, 0);
}

TEST(Sensitivity, MemoryThatMakesTheRivalFit) {
    const Job job = toy::job(toy::llama_8b(), toy::cluster(1, 8), 8192, 64);
    const Plan a = parse_plan("s8/mb1.ga8/ac=full").value();
    const Plan b = parse_plan("s8/mb4.ga2/ac=sel").value();
    const Estimate rival = estimate(job, b);
    ASSERT_FALSE(rival.memory.fits());
    ASSERT_LT(rival.step_time, estimate(job, a).step_time);
    const auto flips = what_would_flip(job, a, b);
    EXPECT_EQ(named(flips, "scale-out bandwidth"), nullptr);  // one node has none
    const double needed = static_cast<double>(rival.memory.peak.value) / static_cast<double>(rival.memory.capacity.value);
    ASSERT_TRUE(named(flips, "memory capacity")->factor);
    EXPECT_NEAR(*named(flips, "memory capacity")->factor, needed, 2e-3 * needed);
    EXPECT_FALSE(named(flips, "host time")->factor);  // faster hosts do not add memory

    std::optional<double> smaller;  // micro-batch that fits
    if (!why_not(job, {}, parse_plan("s8/mb1.ga8/ac=sel").value())) smaller = 0.25;
    if (!why_not(job, {}, parse_plan("s8/mb2.ga4/ac=sel").value())) smaller = 0.5;
    ASSERT_TRUE(smaller);
    EXPECT_EQ(named(flips, "micro-batch of the rival")->factor, smaller);
}

TEST(Sensitivity, AlreadyPreferred) {
    const Job job = toy::job(toy::llama_8b(), toy::cluster(1, 8), 8192, 64);
    const Plan a = parse_plan("s8/mb1.ga8/ac=full").value();
    const Plan b = parse_plan("s8/mb1.ga8/ac=full:16").value();
    for (const Sensitivity& s : what_would_flip(job, a, b)) EXPECT_EQ(s.factor, 1.0) << s.name;
}

}  // namespace
}  // namespace ndtune::search

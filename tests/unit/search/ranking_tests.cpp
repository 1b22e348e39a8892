#include "search/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace ndtune::search {
namespace {

Candidate point(double step_time, std::int64_t peak, int micro_batch) {
    Candidate c;
    c.plan.micro_batch = micro_batch;
    c.step_time = step_time;
    c.tokens = 1 / step_time;
    c.peak = Bytes{peak};
    return c;
}

bool dominated(const Candidate& c, const Candidate& by) {
    return by.step_time <= c.step_time && by.peak <= c.peak && (by.step_time < c.step_time || by.peak < c.peak);
}

// Few distinct values, so that ties are common.
std::vector<Candidate> random_points(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Candidate> points;
    for (int i = 0; i < 60; ++i) points.push_back(point(1.0 + static_cast<double>(random() % 12), random() % 12, i + 1));
    return points;
}

TEST(ParetoFront, HoldsWhatNothingDominatesWhateverTheOrder) {
    for (unsigned seed = 0; seed < 50; ++seed) {
        std::vector<Candidate> points = random_points(seed);
        ParetoFront front;
        for (const Candidate& c : points) front.offer(c);
        for (const Candidate& c : points) {
            const bool beaten = std::any_of(points.begin(), points.end(), [&](const auto& other) { return dominated(c, other); });
            EXPECT_EQ(front.dominates(c.step_time, c.peak), beaten);
        }
        for (std::size_t i = 1; i < front.items().size(); ++i) {
            EXPECT_LT(front.items()[i - 1].step_time, front.items()[i].step_time);
            EXPECT_GT(front.items()[i - 1].peak, front.items()[i].peak);
        }
        std::reverse(points.begin(), points.end());
        ParetoFront left, right;
        for (std::size_t i = 0; i < points.size(); ++i) (i % 3 == 0 ? left : right).offer(points[i]);
        left.merge(right);
        EXPECT_EQ(left.items(), front.items());
    }
}

TEST(TopList, EqualsASort) {
    for (const Objective objective : {Objective::step_time, Objective::tokens_per_gpu, Objective::memory_headroom}) {
        for (unsigned seed = 0; seed < 20; ++seed) {
            std::vector<Candidate> points = random_points(seed);
            TopList left(objective, 7), right(objective, 7);
            for (std::size_t i = 0; i < points.size(); ++i) (i % 2 == 0 ? left : right).offer(points[i]);
            right.merge(left);
            std::sort(points.begin(), points.end(), [&](const auto& a, const auto& b) { return better(objective, a, b); });
            points.resize(7);
            EXPECT_EQ(right.items(), points);
        }
    }
    TopList none(Objective::step_time, 0);
    none.offer(point(1, 1, 1));
    EXPECT_TRUE(none.items().empty());
}

TEST(Ranking, TiesGoToTheText) {
    const Candidate a = point(1, 1, 1), b = point(1, 1, 2);
    EXPECT_TRUE(better(Objective::step_time, a, b));
    EXPECT_FALSE(better(Objective::step_time, b, a));
    EXPECT_FALSE(better(Objective::step_time, a, a));
}

}  // namespace
}  // namespace ndtune::search

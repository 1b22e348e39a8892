#include "search/sizing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/toy.h"

namespace ndtune::search {
namespace {

SizingRequest request(const std::vector<int>& nodes) {
    SizingRequest r;
    r.model = toy::llama_8b();
    r.runtime = toy::runtime();
    r.workload = toy::workload(8192, 512);
    r.workload.tokens = 1e12;
    for (const int n : nodes) {
        r.clusters.push_back(toy::cluster(n, 8));
        r.clusters.back().price_per_device_hour.value = Dollars{2};
    }
    return r;
}

TEST(Sizing, DaysHoursAndDollarsFollowFromTheBestPlan) {
    const SizingRequest r = request({1, 4});
    const SizingResult result = size_clusters(r).value();
    ASSERT_EQ(result.rows.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        const SizingRow& row = result.rows[i];
        EXPECT_EQ(row.cluster, r.clusters[i]);
        const Job job{r.model, row.cluster, r.workload, r.runtime};
        EXPECT_EQ(row.best, search(job, {}).value().plans.front());
        const double devices = 8.0 * row.cluster.nodes;
        EXPECT_DOUBLE_EQ(row.duration_s, 1e12 / (row.best->estimate.tokens_per_s_per_gpu * devices));
        EXPECT_DOUBLE_EQ(row.gpu_hours, row.duration_s * devices / 3600);
        EXPECT_DOUBLE_EQ(row.cost->value, 2 * row.gpu_hours);
        EXPECT_TRUE(row.meets_wishes());
    }
    EXPECT_EQ(result.fastest, 1U);
    EXPECT_EQ(result.smallest, 0U);
    EXPECT_FALSE(result.deadline_needed_s);
    EXPECT_FALSE(result.budget_needed);
}

TEST(Sizing, WishesDecide) {
    SizingRequest r = request({1, 2, 4, 8, 16});
    const SizingResult free = size_clusters(r).value();
    const auto duration = [&](std::size_t i) { return free.rows[i].duration_s; };
    r.deadline_s = (duration(2) + duration(1)) / 2;  // 4 nodes make it, 2 do not
    const SizingResult timed = size_clusters(r).value();
    EXPECT_EQ(timed.smallest, 2U);
    EXPECT_EQ(timed.fastest, 4U);
    ASSERT_TRUE(timed.cheapest);
    for (std::size_t i = 2; i < 5; ++i) EXPECT_LE(timed.rows[*timed.cheapest].cost, timed.rows[i].cost);
    EXPECT_FALSE(timed.rows[1].meets_wishes());
}

TEST(Sizing, SaysWhatWouldBeNeeded) {
    SizingRequest r = request({1, 2, 4});
    r.deadline_s = 1;
    r.budget = Dollars{1};
    const SizingResult hopeless = size_clusters(r).value();
    EXPECT_FALSE(hopeless.cheapest || hopeless.fastest || hopeless.smallest);
    EXPECT_FALSE(hopeless.deadline_needed_s);  // no row is within the budget at any speed
    EXPECT_FALSE(hopeless.budget_needed);
    r.budget = Dollars{1e9};
    const SizingResult slow = size_clusters(r).value();
    EXPECT_DOUBLE_EQ(*slow.deadline_needed_s, slow.rows[2].duration_s);
    r.deadline_s = 1e12;
    r.budget = Dollars{1};
    const SizingResult poor = size_clusters(r).value();
    double least = 1e18;
    for (const SizingRow& row : poor.rows) least = std::min(least, row.cost->value);
    EXPECT_DOUBLE_EQ(poor.budget_needed->value, least);
}

TEST(Sizing, WithoutAPriceABudgetCannotBeMet) {
    SizingRequest r = request({4});
    r.clusters[0].price_per_device_hour.value = Dollars{0};
    EXPECT_FALSE(size_clusters(r).value().cheapest);
    EXPECT_EQ(size_clusters(r).value().fastest, 0U);
    r.budget = Dollars{1e12};
    EXPECT_FALSE(size_clusters(r).value().rows[0].meets_budget);
}

TEST(Sizing, TooSmallAClusterSaysWhy) {
    SizingRequest r = request({1, 64});
    r.model = toy::llama_405b();
    const SizingResult result = size_clusters(r).value();
    EXPECT_FALSE(result.rows[0].best);
    ASSERT_TRUE(result.rows[0].reason);
    EXPECT_EQ(result.rows[0].reason->rule, Rule::memory);
    EXPECT_TRUE(result.rows[1].best);
    EXPECT_FALSE(result.rows[1].reason);
    EXPECT_EQ(result.smallest, 1U);
}

TEST(Sizing, OddNodeCountsAndTheBatch) {
    SizingRequest r = request({3});
    r.options.limits = {{Axis::cp, 1, 1}};
    const SizingResult exact = size_clusters(r).value();
    EXPECT_FALSE(exact.rows[0].best);
    ASSERT_TRUE(exact.rows[0].reason);
    EXPECT_EQ(exact.rows[0].reason->rule, Rule::batch);
    r.batch_tolerance = 0.05;
    const SizingResult near = size_clusters(r).value();
    EXPECT_EQ(near.rows[0].global_batch, 504);
    EXPECT_TRUE(near.rows[0].best);
}

TEST(Sizing, TheSameWhateverTheThreads) {
    SizingRequest r = request({1, 2, 3, 4, 8, 12});
    r.options.threads = 1;
    const SizingResult one = size_clusters(r).value();
    r.options.threads = 4;
    const SizingResult four = size_clusters(r).value();
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
        EXPECT_EQ(one.rows[i].best, four.rows[i].best);
        EXPECT_EQ(one.rows[i].reason, four.rows[i].reason);
    }
    EXPECT_EQ(one.cheapest, four.cheapest);
}

TEST(Sizing, SaysWhatIsWrong) {
    const auto message = [](auto spoil) {
        SizingRequest r = request({1});
        spoil(r);
        return size_clusters(r).error().message;
    };
    EXPECT_EQ(message([](SizingRequest& r) { r.clusters.clear(); }), "no cluster to size");
    EXPECT_EQ(message([](SizingRequest& r) { r.workload.tokens = 0; }), "0 tokens is not within 1 to 1e18");
    EXPECT_EQ(message([](SizingRequest& r) { r.deadline_s = -1; }), "a deadline of -1 seconds is not positive");
    EXPECT_EQ(message([](SizingRequest& r) { r.budget = Dollars{0}; }), "a budget of $0 is not positive");
    EXPECT_EQ(message([](SizingRequest& r) { r.batch_tolerance = 1; }), "batch tolerance 1 is not within 0 to 1");
    EXPECT_EQ(message([](SizingRequest& r) { r.clusters[0].nodes = 0; }), "nodes 0 is not within 1 to 1048576");
}

TEST(ClusterSizes, AllWhereTheyAreFew) {
    const auto sizes = cluster_sizes(1, 40, 8).value();
    const std::vector<ClusterSize> expected = {{1, 1}, {1, 2}, {1, 4}, {1, 8}, {2, 8}, {3, 8}, {4, 8}, {5, 8}};
    EXPECT_EQ(sizes, expected);
}

TEST(ClusterSizes, AGridWhereTheyAreMany) {
    const auto sizes = cluster_sizes(8, 4096, 8, 60).value();
    EXPECT_LE(sizes.size(), 60U);
    EXPECT_GE(sizes.size(), 40U);
    EXPECT_EQ(sizes.front(), (ClusterSize{1, 8}));
    EXPECT_EQ(sizes.back(), (ClusterSize{512, 8}));
    for (const int nodes : {2, 3, 6, 12, 48, 96, 384}) {
        EXPECT_NE(std::find(sizes.begin(), sizes.end(), ClusterSize{nodes, 8}), sizes.end()) << nodes;
    }
    for (std::size_t i = 1; i < sizes.size(); ++i) EXPECT_LT(sizes[i - 1].nodes, sizes[i].nodes);
    EXPECT_LE(cluster_sizes(1, 1 << 20, 8, 60).value().size(), 60U);
}

TEST(ClusterSizes, SaysWhatIsWrong) {
    EXPECT_EQ(cluster_sizes(0, 8, 8).error().message, "no cluster has 0 to 8 devices, 8 to a node");
    EXPECT_EQ(cluster_sizes(64, 8, 8).error().message, "no cluster has 64 to 8 devices, 8 to a node");
    EXPECT_EQ(cluster_sizes(9, 15, 8).error().message, "no whole number of nodes of 8 lies within 9 to 15 devices");
}

TEST(SuitableBatch, TheNearestThatDivides) {
    EXPECT_EQ(suitable_batch(512, 64, 0.0), 512);
    EXPECT_EQ(suitable_batch(512, 24, 0.0), 512);
    EXPECT_EQ(suitable_batch(512, 24, 0.05), 504);
    EXPECT_EQ(suitable_batch(512, 384, 0.05), 528);  // 384 / 8 = 48 data-parallel ranks
    EXPECT_EQ(suitable_batch(512, 7, 0.001), 512);   // out of reach: left as it is
}

}  // namespace
}  // namespace ndtune::search

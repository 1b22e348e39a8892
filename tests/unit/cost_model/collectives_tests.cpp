#include "cost_model/collectives.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/toy.h"

namespace ndtune {
namespace {

struct Placed {
    Mesh mesh;
    Group group;
    int ranks, per_domain, domains;
};

void expect_placed(const Cluster& cluster, const Placed& p) {
    const GroupPlacement got = place(cluster, p.mesh, p.group);
    const std::string what = std::string(to_string(p.group)) + " of " + to_text(Plan{.mesh = p.mesh});
    EXPECT_EQ(got.ranks, p.ranks) << what;
    EXPECT_EQ(got.per_domain, p.per_domain) << what;
    EXPECT_EQ(got.domains, p.domains) << what;
    EXPECT_EQ(got.outer_tier, p.domains > 1 ? 1 : 0) << what;
}

TEST(Place, InnerAxesFillTheNodeFirst) {
    const Cluster c = toy::cluster(8, 8);
    for (const Placed& p : {Placed{{1, 8, 1, 8}, Group::tp, 8, 8, 1}, Placed{{1, 8, 1, 8}, Group::shard, 8, 1, 8},
                            Placed{{1, 32, 1, 2}, Group::tp, 2, 2, 1}, Placed{{1, 32, 1, 2}, Group::shard, 32, 4, 8},
                            Placed{{8, 8, 1, 1}, Group::shard, 8, 8, 1}, Placed{{8, 8, 1, 1}, Group::replicate, 8, 1, 8},
                            Placed{{4, 4, 2, 2}, Group::shard, 8, 4, 2}, Placed{{4, 4, 2, 2}, Group::cp, 2, 2, 1},
                            Placed{{4, 4, 2, 2}, Group::replicate, 4, 1, 4}, Placed{{4, 4, 2, 2}, Group::data, 32, 4, 8},
                            Placed{{1, 4, 1, 16}, Group::tp, 16, 8, 2}, Placed{{1, 4, 16, 1}, Group::shard, 64, 8, 8}})
        expect_placed(c, p);
}

TEST(Place, MeshOrderOfTheClusterDecides) {
    Cluster c = toy::cluster(8, 8);
    c.order = {Axis::tp, Axis::cp, Axis::dp_shard, Axis::dp_replicate};  // tp outermost
    for (const Placed& p : {Placed{{8, 1, 1, 8}, Group::tp, 8, 1, 8}, Placed{{8, 1, 1, 8}, Group::replicate, 8, 8, 1},
                            Placed{{2, 4, 2, 4}, Group::shard, 8, 4, 2}, Placed{{2, 4, 2, 4}, Group::cp, 2, 1, 2}})
        expect_placed(c, p);
}

// Where sizes do not divide the node, some group of the axis lies across two nodes; the slowest group counts.
TEST(Place, GroupsThatStraddleNodes) {
    const Cluster six = toy::cluster(4, 6);
    for (const Placed& p : {Placed{{1, 8, 1, 3}, Group::tp, 3, 3, 1}, Placed{{1, 8, 1, 3}, Group::shard, 8, 2, 4},
                            Placed{{1, 4, 1, 6}, Group::tp, 6, 6, 1},
                            // ranks 4..7 of tp 4: two in each of two nodes
                            Placed{{1, 6, 1, 4}, Group::tp, 4, 2, 2}, Placed{{1, 6, 1, 4}, Group::shard, 6, 1, 6},
                            Placed{{1, 2, 1, 12}, Group::tp, 12, 6, 2}})
        expect_placed(six, p);
    const Cluster eight = toy::cluster(3, 8);
    // tp 3 leaves pairs (6, 9) of the next axis across nodes
    for (const Placed& p : {Placed{{1, 8, 1, 3}, Group::tp, 3, 1, 3}, Placed{{4, 2, 1, 3}, Group::shard, 2, 1, 2}})
        expect_placed(eight, p);
}

TEST(Place, OneRankStaysHome) {
    expect_placed(toy::cluster(8, 8), {{1, 64, 1, 1}, Group::tp, 1, 1, 1});
    expect_placed(toy::cluster(8, 8), {{1, 64, 1, 1}, Group::none, 1, 1, 1});
}

TEST(Place, OutermostTierIsTheOneReached) {
    Cluster c = toy::cluster(16, 8);
    Tier pod = c.tiers.back();
    pod.span = 32;
    c.tiers.insert(c.tiers.begin() + 1, pod);
    EXPECT_EQ(place(c, {1, 8, 1, 16}, Group::tp).outer_tier, 1);  // 16 ranks: two nodes of one pod
    EXPECT_EQ(place(c, {1, 4, 1, 32}, Group::tp).outer_tier, 1);  // a whole pod
    EXPECT_EQ(place(c, {1, 128, 1, 1}, Group::shard).outer_tier, 2);
    EXPECT_EQ(place(c, {1, 4, 1, 32}, Group::shard).outer_tier, 2);  // one rank in each pod
}

constexpr double kVolume = 1e9;

/// A cluster of one device per node without bandwidth decay.
Cluster flat(int nodes) {
    Cluster c = toy::cluster(nodes, 1, toy::bare_device());
    c.tiers.back().decay = 0;
    c.tiers.back().latency = Seconds{10e-6};
    return c;
}

double time_of(const Cluster& c, const Mesh& mesh, Group group, Collective kind, double bytes) {
    return collective_time(c, place(c, mesh, group), kind, bytes).value;
}

// V (n-1)/n / B + (n-1) alpha; all-reduce twice that, or fewer hops where a tree has fewer.
TEST(CollectiveTime, RingAcrossNodes) {
    for (const int n : {2, 3, 5, 8, 64}) {
        const Cluster c = flat(n);
        const double wire = kVolume * (n - 1) / n / 50e9, hop = 10e-6;
        for (const Collective kind : {Collective::all_gather, Collective::reduce_scatter})
            EXPECT_NEAR(time_of(c, {1, n, 1, 1}, Group::shard, kind, kVolume), wire + (n - 1) * hop, 1e-12);
        EXPECT_NEAR(time_of(c, {1, n, 1, 1}, Group::shard, Collective::all_reduce, kVolume),
                    2 * wire + std::min(2.0 * (n - 1), 2 * std::log2(n)) * hop, 1e-12);
    }
}

TEST(CollectiveTime, LimitsOfTheRingAllReduce) {
    const Cluster two = flat(2);
    EXPECT_NEAR(time_of(two, {1, 2, 1, 1}, Group::shard, Collective::all_reduce, 0), 2 * (2 - 1) * 10e-6, 1e-12);
    const Cluster many = flat(1000);
    EXPECT_NEAR(time_of(many, {1, 1000, 1, 1}, Group::shard, Collective::all_reduce, 1e13) / (2 * 1e13 / 50e9), 1, 2e-3);
}

TEST(CollectiveTime, InsideADomainByCurve) {
    const Cluster c = toy::cluster(1, 8);
    const CollectiveCurve& curve = c.device.collectives[static_cast<std::size_t>(Collective::all_gather)][2];
    EXPECT_DOUBLE_EQ(time_of(c, {1, 8, 1, 1}, Group::shard, Collective::all_gather, kVolume),
                     curve.alpha.value + kVolume / curve.bandwidth.value + curve.gamma * std::sqrt(kVolume));
}

TEST(CollectiveTime, InsideADomainWithoutCurveByRing) {
    const Cluster c = toy::cluster(1, 8, toy::bare_device());
    const double alpha = c.tiers[0].latency.value;
    const double once = 7 * alpha + kVolume * 7 / 8 / (0.7 * 400e9);
    EXPECT_NEAR(time_of(c, {1, 8, 1, 1}, Group::shard, Collective::all_gather, kVolume), once, 1e-12);
    EXPECT_NEAR(time_of(c, {1, 8, 1, 1}, Group::shard, Collective::all_reduce, kVolume), 2 * once, 1e-12);
}

TEST(CollectiveTime, RanksOfANodeShareTheirNics) {
    Cluster c = toy::cluster(2, 8, toy::bare_device());
    c.tiers.back().decay = 0;
    for (Tier& tier : c.tiers) tier.latency = Seconds{0};
    // All 8 NICs (400 GB/s) are more than 0.8 of the scale-up link lets through.
    EXPECT_NEAR(time_of(c, {1, 16, 1, 1}, Group::shard, Collective::all_gather, kVolume), kVolume * 15 / 16 / 320e9, 1e-12);
    // tp 4 inside: 2 ranks of the group in a node, 2 NICs.
    EXPECT_NEAR(time_of(c, {1, 4, 1, 4}, Group::shard, Collective::all_gather, kVolume), kVolume * 3 / 4 / 100e9, 1e-12);
}

TEST(CollectiveTime, OversubscriptionAndDecaySlowTheNics) {
    Cluster c = flat(16);
    const double fast = time_of(c, {1, 16, 1, 1}, Group::shard, Collective::all_gather, 1e12);
    c.tiers.back().oversubscription = 2;
    EXPECT_NEAR(time_of(c, {1, 16, 1, 1}, Group::shard, Collective::all_gather, 1e12) / fast, 2, 1e-4);
    c.tiers.back().oversubscription = 1;
    c.tiers.back().decay = 0.25;
    EXPECT_NEAR(time_of(c, {1, 16, 1, 1}, Group::shard, Collective::all_gather, 1e12) / fast, 2, 1e-4);  // 16^0.25
}

TEST(CollectiveTime, HierarchicalAllReduceBeatsTheFlatRing) {
    Cluster c = toy::cluster(16, 8);
    c.tiers.back().latency = Seconds{0};
    const double time = time_of(c, {1, 128, 1, 1}, Group::shard, Collective::all_reduce, kVolume);
    const double flat_ring = 2 * kVolume * 127 / 128 / 320e9;
    EXPECT_LT(time, flat_ring + 20e-6);
    EXPECT_GT(time, 2 * kVolume / 8 * 15 / 16 / 50e9);  // what the NICs alone need
}

TEST(CollectiveTime, OneRankNeedsNone) {
    const Cluster c = toy::cluster(2, 8);
    EXPECT_EQ(time_of(c, {1, 16, 1, 1}, Group::tp, Collective::all_reduce, kVolume), 0);
    EXPECT_EQ(exchange_time(c, place(c, {1, 16, 1, 1}, Group::cp), kVolume).value, 0);
}

TEST(ExchangeTime, OneHopOverTheSlowestLink) {
    Cluster c = toy::cluster(2, 8);
    c.tiers.back().decay = 0;
    EXPECT_NEAR(exchange_time(c, place(c, {1, 4, 4, 1}, Group::cp), kVolume).value, kVolume / (0.6 * 400e9), 1e-12);
    EXPECT_NEAR(exchange_time(c, place(c, {1, 1, 16, 1}, Group::cp), kVolume).value, kVolume / 50e9, 1e-12);
    EXPECT_EQ(time_of(c, {1, 1, 16, 1}, Group::cp, Collective::send_recv, kVolume),
              exchange_time(c, place(c, {1, 1, 16, 1}, Group::cp), kVolume).value);
}

TEST(CollectiveProvenance, IsThatOfTheLinkCrossed) {
    Cluster c = toy::cluster(2, 8);
    c.tiers.back().provenance = Provenance::datasheet;
    for (auto& kind : c.device.collectives) {
        for (CollectiveCurve& curve : kind) curve.provenance = Provenance::measured;
    }
    const auto grade = [&](const Mesh& mesh) { return provenance(c, place(c, mesh, Group::shard), Collective::all_gather); };
    EXPECT_EQ(grade({1, 16, 1, 1}), Provenance::datasheet);
    EXPECT_EQ(grade({2, 8, 1, 1}), Provenance::measured);
    EXPECT_EQ(grade({16, 1, 1, 1}), Provenance::exact);
}

}  // namespace
}  // namespace ndtune

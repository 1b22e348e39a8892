#include "search/space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/toy.h"
#include "tests/unit/search/brute_force.h"

namespace ndtune::search {
namespace {

Job job(int devices, std::int64_t batch) {
    return toy::job(toy::dense(3, 64, 4, 4, 128, 100), toy::cluster(1, devices), 64, batch);
}

std::uint64_t sum_of_meshes(const PlanSpace& space) {
    std::uint64_t plans = 0;
    for (const Mesh& mesh : space.meshes()) plans += space.plans_of(mesh);
    return plans;
}

TEST(Space, Divisors) {
    EXPECT_EQ(divisors(1), (std::vector<int>{1}));
    EXPECT_EQ(divisors(12), (std::vector<int>{1, 2, 3, 4, 6, 12}));
    EXPECT_EQ(divisors(49), (std::vector<int>{1, 7, 49}));
}

// Ordered factorizations of p1^e1 p2^e2 .. into 4 factors: the product of binomials (e + 3 over 3).
TEST(Space, EveryOrderedFactorization) {
    struct Case {
        int devices;
        std::size_t meshes;
    };
    for (const auto& [devices, meshes] :
         {Case{1, 1}, Case{8, 20}, Case{12, 40}, Case{1024, 286}, Case{16384, 680}, Case{30030, 4096}}) {
        const Job j = job(devices, 1);
        const PlanSpace space(j, false);
        EXPECT_EQ(space.meshes().size(), meshes);
        for (const Mesh& mesh : space.meshes()) EXPECT_EQ(mesh.size(), devices);
        EXPECT_EQ(std::adjacent_find(space.meshes().begin(), space.meshes().end()), space.meshes().end());
    }
}

TEST(Space, FormulaAndSumOverMeshesEqualTheBruteForce) {
    for (const int devices : {1, 2, 3, 8, 12, 18, 24}) {
        for (const std::int64_t batch : {1, 5, 12, 16}) {
            for (int bits = 0; bits < 16; ++bits) {
                Job j = job(devices, batch);
                j.runtime.allow_fsdp = bits & 1;
                j.runtime.allow_no_sync = bits & 2;
                j.runtime.allow_zero1 = bits & 4;
                j.runtime.allow_selective = bits & 8;
                const PlanSpace space(j, false);
                const std::uint64_t expected = testing::every_plan(j).size();
                EXPECT_EQ(space.size(), expected) << devices << " devices, batch " << batch << ", knobs " << bits;
                EXPECT_EQ(sum_of_meshes(space), expected);
            }
        }
    }
}

TEST(Space, AnyBatchTakesTheNearestAMeshCanReach) {
    const Job j = job(8, 11);
    const PlanSpace space(j, true);
    EXPECT_EQ(space.rank_batch({1, 8, 1, 1}), 1);  // 8
    EXPECT_EQ(space.rank_batch({1, 4, 2, 1}), 3);  // 12
    EXPECT_EQ(space.rank_batch({1, 1, 8, 1}), 11);
    EXPECT_EQ(space.size(), sum_of_meshes(space));
    const PlanSpace exact(j, false);
    EXPECT_EQ(exact.rank_batch({1, 4, 2, 1}), 0);
    EXPECT_EQ(exact.plans_of({1, 4, 2, 1}), 1U);
}

TEST(Space, EveryPlanIsItsOwnCanonicalForm) {
    Job j = job(12, 12);
    j.runtime.allow_zero1 = true;
    std::vector<std::string> texts;
    for (const Plan& plan : testing::every_plan(j)) {
        EXPECT_EQ(canonical(j, plan), plan) << to_text(plan);
        texts.push_back(to_text(plan));
    }
    std::sort(texts.begin(), texts.end());
    EXPECT_EQ(std::adjacent_find(texts.begin(), texts.end()), texts.end());
}

TEST(Space, CanonicalDropsKnobsWithoutEffect) {
    const Job j = job(8, 8);
    const auto form = [&](std::string_view text) { return to_text(canonical(j, parse_plan(text).value())); };
    EXPECT_EQ(form("s8/mb1/cp=ag/sync=last/ac=full:3"), "s8/mb1/ac=full");
    EXPECT_EQ(form("r8/mb1/rs=off"), "r8/mb1");
    EXPECT_EQ(form("t8/mb8/z1"), "t8/mb8");
    EXPECT_EQ(form("s4.c2/mb1.ga2/rs=off/sync=last/cp=ag/ac=full:2"), "s4.c2/mb1.ga2/ac=full:2/rs=off/sync=last/cp=ag");
}

}  // namespace
}  // namespace ndtune::search

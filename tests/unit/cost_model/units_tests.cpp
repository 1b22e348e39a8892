#include "cost_model/units.h"

#include <gtest/gtest.h>

#include <limits>

namespace ndtune {
namespace {

using namespace literals;

TEST(Quantity, ArithmeticKeepsTheUnit) {
    EXPECT_EQ(2_GiB, Bytes{std::int64_t{2} << 30});
    EXPECT_EQ(1_GiB - 1_MiB, 1023_MiB);
    EXPECT_EQ(3 * 1_MiB, 1_MiB * 3);
    EXPECT_DOUBLE_EQ(1_GiB / 1_MiB, 1024);  // a ratio has no unit
    EXPECT_LT(1_MiB, 1_GiB);
}

TEST(Quantity, WorkOverRateIsTime) {
    EXPECT_DOUBLE_EQ((Flops{6e15} / FlopsPerSecond{2e15}).value, 3);
    EXPECT_DOUBLE_EQ((Bytes{100} / BytesPerSecond{50}).value, 2);
}

TEST(WholeBytes, RoundsUp) {
    EXPECT_EQ(whole_bytes(0).value, 0);
    EXPECT_EQ(whole_bytes(0.25).value, 1);
    EXPECT_EQ(whole_bytes(7).value, 7);
    EXPECT_EQ(whole_bytes(-1.5).value, -1);
}

TEST(WholeBytes, SaturatesSoThatSumsDoNotOverflow) {
    const double inf = std::numeric_limits<double>::infinity();
    const std::int64_t most = std::int64_t{1} << 58;
    for (const double huge : {1e18, 1e300, inf, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_EQ(whole_bytes(huge).value, most);
    EXPECT_EQ(whole_bytes(-inf).value, -most);
    EXPECT_EQ(whole_bytes(1e17).value, 100'000'000'000'000'000);
}

}  // namespace
}  // namespace ndtune

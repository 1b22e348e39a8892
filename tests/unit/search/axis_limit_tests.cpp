#include "search/axis_limit.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ndtune::search {
namespace {

constexpr int kLargest = 1 << 20;

TEST(AxisLimit, Reads) {
    EXPECT_EQ(parse_limit("tp=8"), (AxisLimit{Axis::tp, 8, 8}));
    EXPECT_EQ(parse_limit("cp<=4"), (AxisLimit{Axis::cp, 1, 4}));
    EXPECT_EQ(parse_limit(" dp_shard >= 2 "), (AxisLimit{Axis::dp_shard, 2, kLargest}));
    EXPECT_EQ(parse_limit("dp_replicate==1"), (AxisLimit{Axis::dp_replicate, 1, 1}));
    EXPECT_EQ(parse_limit("tp<8"), (AxisLimit{Axis::tp, 1, 7}));
    EXPECT_EQ(parse_limit("tp>1"), (AxisLimit{Axis::tp, 2, kLargest}));
}

TEST(AxisLimit, SaysWhatIsWrong) {
    const std::vector<std::pair<std::string, std::string>> bad = {
        {"", "no comparison: =, <= or >="},
        {"tp8", "no comparison: =, <= or >="},
        {"=8", "'' is not an axis: dp_replicate, dp_shard, cp or tp"},
        {"pp=2", "'pp' is not an axis: dp_replicate, dp_shard, cp or tp"},
        {"tp=", "'' is not a whole number from 1 to 1048576"},
        {"tp=0", "'0' is not a whole number from 1 to 1048576"},
        {"tp=-2", "'-2' is not a whole number from 1 to 1048576"},
        {"tp=8x", "'8x' is not a whole number from 1 to 1048576"},
        {"tp=99999999999", "'99999999999' is not a whole number from 1 to 1048576"},
        {"tp=>8", "'=>' is not a comparison: =, <= or >="},
        {"tp<1", "no size meets this limit"},
        {"tp>1048576", "no size meets this limit"},
    };
    for (const auto& [text, message] : bad) {
        const auto limit = parse_limit(text);
        ASSERT_FALSE(limit) << text;
        EXPECT_EQ(limit.error().message, message);
        EXPECT_FALSE(limit.error().hint.empty());
    }
}

TEST(AxisLimit, Combine) {
    const std::vector<AxisLimit> limits = {{Axis::tp, 2, 8}, {Axis::cp, 1, 2}, {Axis::tp, 4, 16}};
    EXPECT_EQ(combined_limit(limits, Axis::tp), (AxisLimit{Axis::tp, 4, 8}));
    EXPECT_EQ(combined_limit(limits, Axis::dp_shard), (AxisLimit{Axis::dp_shard, 1, kLargest}));
    EXPECT_TRUE(check_limits(limits, 16));
}

TEST(AxisLimit, NoMeshCanMeetThem) {
    const auto message = [](const std::vector<AxisLimit>& limits, std::int64_t devices) {
        return check_limits(limits, devices).error().message;
    };
    EXPECT_EQ(message({{Axis::tp, 8, 8}, {Axis::tp, 1, 4}}, 16), "the limits tp >= 8 and tp <= 4 contradict each other");
    EXPECT_EQ(message({{Axis::tp, 3, 3}}, 16), "tp = 3 does not divide 16 devices");
    EXPECT_EQ(message({{Axis::cp, 9, 15}}, 16), "no divisor of 16 devices meets 9 <= cp <= 15");
    EXPECT_EQ(message({{Axis::cp, 17, kLargest}}, 16), "no divisor of 16 devices meets cp >= 17");
    EXPECT_EQ(message({{Axis::cp, 8, 8}, {Axis::tp, 4, kLargest}}, 16),
              "cp >= 8 and tp >= 4 need at least 32 devices; the cluster has 16");
}

}  // namespace
}  // namespace ndtune::search

#include "cost_model/quantity.h"

#include <gtest/gtest.h>

#include <limits>

namespace ndtune {
namespace {

TEST(Quantity, BytesInBothBases) {
    EXPECT_EQ(parse_bytes("80GiB")->value, std::int64_t{80} << 30);
    EXPECT_EQ(parse_bytes("80GB")->value, 80'000'000'000);
    EXPECT_EQ(parse_bytes(" 512 MiB ")->value, std::int64_t{512} << 20);
    EXPECT_EQ(parse_bytes("1.5kB")->value, 1500);
    EXPECT_EQ(parse_bytes("7B")->value, 7);
}

TEST(Quantity, BitsAreEighthsOfBytes) {
    EXPECT_DOUBLE_EQ(parse_bandwidth("400Gb/s")->value, 50e9);
    EXPECT_DOUBLE_EQ(parse_bandwidth("400GB/s")->value, 400e9);
    EXPECT_DOUBLE_EQ(parse_bandwidth("400Gbps")->value, 50e9);
    EXPECT_DOUBLE_EQ(parse_bandwidth("50 GiB/s")->value, 50.0 * 1024 * 1024 * 1024);
    EXPECT_DOUBLE_EQ(parse_bandwidth("10Gbit/s")->value, 1.25e9);
}

TEST(Quantity, Durations) {
    EXPECT_DOUBLE_EQ(parse_duration("3us")->value, 3e-6);
    EXPECT_DOUBLE_EQ(parse_duration("1.5ms")->value, 1.5e-3);
    EXPECT_DOUBLE_EQ(parse_duration("12h")->value, 43200);
    EXPECT_DOUBLE_EQ(parse_duration("30d")->value, 30 * 86400.0);
    EXPECT_DOUBLE_EQ(parse_duration("2 weeks")->value, 14 * 86400.0);
}

TEST(Quantity, DollarsCountsRates) {
    EXPECT_DOUBLE_EQ(parse_dollars("$2M")->value, 2e6);
    EXPECT_DOUBLE_EQ(parse_dollars("$2.49")->value, 2.49);
    EXPECT_DOUBLE_EQ(parse_dollars("$800k")->value, 8e5);
    EXPECT_DOUBLE_EQ(*parse_count("15k"), 15000);
    EXPECT_DOUBLE_EQ(*parse_count("2T"), 2e12);
    EXPECT_DOUBLE_EQ(*parse_count("8192"), 8192);
    EXPECT_DOUBLE_EQ(parse_flops_rate("989TFLOP/s")->value, 989e12);
    EXPECT_DOUBLE_EQ(parse_flops_rate("100 GFLOPS")->value, 1e11);
}

TEST(Quantity, LengthsCountInPowersOfTwo) {
    EXPECT_EQ(*parse_length("8k"), 8192);
    EXPECT_EQ(*parse_length("8K"), 8192);
    EXPECT_EQ(*parse_length("1M"), 1048576);
    EXPECT_EQ(*parse_length("8192"), 8192);
    EXPECT_EQ(*parse_length("1.5k"), 1536);
    EXPECT_FALSE(parse_length("0"));
    EXPECT_FALSE(parse_length("1.0001k"));
    EXPECT_FALSE(parse_length("99999999T"));
}

class Refused : public ::testing::TestWithParam<const char*> {};

TEST_P(Refused, ByEveryReaderWithAnExample) {
    const char* text = GetParam();
    const auto check = [](const auto& result) {
        ASSERT_FALSE(result);
        EXPECT_FALSE(result.error().message.empty());
        EXPECT_NE(result.error().hint.find("like \""), std::string::npos) << result.error().hint;
        for (const char c : result.error().message) EXPECT_TRUE(c >= ' ' && c <= '~');
    };
    check(parse_bytes(text));
    check(parse_bandwidth(text));
    check(parse_duration(text));
    check(parse_dollars(text));
    check(parse_count(text));
    check(parse_length(text));
    check(parse_flops_rate(text));
}

INSTANTIATE_TEST_SUITE_P(Text, Refused,
                         ::testing::Values("", " ", "-1GB", "nan", "inf", "NaNGB/s", "1e999s", "$-3", "$", "$nan", "1,000",
                                           "$1,000", "0x10", "GB", "8q", "$1q", "9e300PB", "\xFF\xFE", "12 parsecs", "$inf"));

TEST(Quantity, MissingOrAmbiguousUnitsAreRefused) {
    EXPECT_FALSE(parse_bytes("80"));
    EXPECT_FALSE(parse_bytes("80G"));
    EXPECT_FALSE(parse_bytes("80Gb"));
    EXPECT_FALSE(parse_bandwidth("400"));
    EXPECT_FALSE(parse_bandwidth("400G"));
    EXPECT_FALSE(parse_bandwidth("400GB"));
    EXPECT_FALSE(parse_bandwidth("400gb/s"));
    EXPECT_FALSE(parse_duration("5"));
    EXPECT_FALSE(parse_duration("5m"));
    EXPECT_FALSE(parse_dollars("2.49"));
    EXPECT_FALSE(parse_flops_rate("989"));
    EXPECT_FALSE(parse_flops_rate("989TB/s"));
    EXPECT_NE(parse_bytes("80Gb").error().message.find("bits"), std::string::npos);
}

TEST(Quantity, FormatsThreeDigitsByMagnitude) {
    EXPECT_EQ(format_bytes(Bytes{0}), "0 B");
    EXPECT_EQ(format_bytes(Bytes{static_cast<std::int64_t>(58.6 * kGiB)}), "58.6 GiB");
    EXPECT_EQ(format_bytes(Bytes{1023}), "1023 B");
    EXPECT_EQ(format_bytes(Bytes{std::int64_t{80} << 30}), "80.0 GiB");
    EXPECT_EQ(format_bytes(Bytes{-(std::int64_t{2} << 20)}), "-2.00 MiB");
    EXPECT_EQ(format_duration(Seconds{36.1}), "36.1 s");
    EXPECT_EQ(format_duration(Seconds{0.431}), "431 ms");
    EXPECT_EQ(format_duration(Seconds{0.9999}), "1.00 s");
    EXPECT_EQ(format_duration(Seconds{3e-6}), "3.00 us");
    EXPECT_EQ(format_duration(Seconds{600}), "10.0 min");
    EXPECT_EQ(format_duration(Seconds{20 * 3600}), "20.0 h");
    EXPECT_EQ(format_duration(Seconds{30 * 86400.0}), "30.0 days");
    EXPECT_EQ(format_duration(Seconds{std::numeric_limits<double>::infinity()}), "unbounded");
    EXPECT_EQ(format_bandwidth(BytesPerSecond{450e9}), "450 GB/s");
    EXPECT_EQ(format_bandwidth(BytesPerSecond{3.35e12}), "3.35 TB/s");
    EXPECT_EQ(format_dollars(Dollars{1.34e6}), "$1.34M");
    EXPECT_EQ(format_dollars(Dollars{2.49}), "$2.49");
    EXPECT_EQ(format_dollars(Dollars{999999}), "$1.00M");
    EXPECT_EQ(format_count(70.6e9), "70.6 B");
    EXPECT_EQ(format_count(512), "512");
}

}  // namespace
}  // namespace ndtune

#include "profiles/price_file.h"

#include <gtest/gtest.h>

#include "profiles/catalog.h"

namespace ndtune::profiles {
namespace {

constexpr const char* kHeader = "device,region,on_demand_per_device_hour,spot_per_device_hour,date,source\n";

TEST(Prices, ExampleFileNamesCatalogDevices) {
    const auto prices = read_prices(std::string(NDTUNE_SOURCE_DIR) + "/profiles/catalog/prices/example-2026-11-30.csv");
    ASSERT_TRUE(prices) << prices.error().message << " " << prices.error().where;
    EXPECT_EQ(prices->quotes.size(), 18U);
    for (const PriceQuote& quote : prices->quotes) {
        EXPECT_TRUE(find_device(quote.device)) << quote.device;
        EXPECT_EQ(quote.date, "2026-11-30");
        EXPECT_EQ(quote.source.substr(0, 7), "EXAMPLE");
    }
    EXPECT_DOUBLE_EQ(cheapest(*prices, "H100")->on_demand->value, 2.5);
    EXPECT_DOUBLE_EQ(cheapest(*prices, "h100-sxm", true)->spot->value, 1.5);
    EXPECT_FALSE(cheapest(*prices, "gb200", true));
    EXPECT_FALSE(cheapest(*prices, "cpu"));
}

TEST(Prices, SkyCatalogsAreRead) {
    const auto prices = read_prices(std::string(NDTUNE_SOURCE_DIR) + "/tests/data/prices/sky.csv");
    ASSERT_TRUE(prices) << prices.error().message << " " << prices.error().where;
    ASSERT_EQ(prices->quotes.size(), 4U);
    EXPECT_EQ(prices->skipped, 2U);
    EXPECT_EQ(prices->unknown, std::vector<std::string>{"Radeon Pro V520"});
    const auto best = cheapest(*prices, "h100-sxm");
    ASSERT_TRUE(best);
    EXPECT_DOUBLE_EQ(best->on_demand->value, 2.5);
    EXPECT_EQ(best->region, "south");
    EXPECT_EQ(best->instance, "big.8");
    EXPECT_DOUBLE_EQ(cheapest(*prices, "h100-sxm", true)->spot->value, 1.2);
    // A100 alone is the 40 GB part there.
    EXPECT_DOUBLE_EQ(cheapest(*prices, "a100-sxm-40gb")->on_demand->value, 2.0);
    EXPECT_DOUBLE_EQ(cheapest(*prices, "a100-sxm")->on_demand->value, 2.5);
}

TEST(Prices, FillClustersThatHaveNone) {
    const auto prices = parse_prices(std::string(kHeader) + "h100,,$2,,,\nh100,,$3,,,\n", "p.csv");
    ASSERT_TRUE(prices);
    EXPECT_TRUE(parse_prices("device,on_demand_per_device_hour\nh100,$2\n", "p.csv"));
    Cluster plain = *make_cluster(*find_device("h100-sxm"), 1, 8);
    apply_prices(*prices, plain);
    EXPECT_DOUBLE_EQ(plain.price_per_device_hour.value.value, 2);
    EXPECT_EQ(plain.price_per_device_hour.provenance, Provenance::datasheet);
    plain.price_per_device_hour.value = Dollars{9};
    apply_prices(*prices, plain);
    EXPECT_DOUBLE_EQ(plain.price_per_device_hour.value.value, 9);
    Cluster other = *make_cluster(*find_device("h200-sxm"), 1, 8);
    apply_prices(*prices, other);
    EXPECT_EQ(other.price_per_device_hour.value.value, 0);
}

TEST(Prices, QuotedCells) {
    const auto prices = parse_prices(std::string(kHeader) + "\"h100\",\"a, \"\"b\"\"\nc\",$2,,,x\r\n", "p.csv");
    ASSERT_TRUE(prices) << prices.error().message;
    EXPECT_EQ(prices->quotes[0].region, "a, \"b\"\nc");
}

struct Bad {
    const char* name;
    std::string text;
    const char* place;
    const char* message;
};

const Bad kBad[] = {
    {"empty", "", "p.csv", "empty"},
    {"columns", "gpu,price\nh100,2\n", "p.csv:1", "columns"},
    {"unknown_column", "device,on_demand_per_device_hour,note\nh100,$2,x\n", "p.csv:1", "note"},
    {"twice", "device,device,on_demand_per_device_hour\nh100,h100,$2\n", "p.csv:1", "twice"},
    {"no_dollar", std::string(kHeader) + "h100,,2.5,,,\n", "p.csv:2: on_demand", "$"},
    {"negative", std::string(kHeader) + "h100,,$-2,,,\n", "p.csv:2", "negative"},
    {"zero", std::string(kHeader) + "h100,,$0,,,\n", "p.csv:2", "hourly"},
    {"huge", std::string(kHeader) + "h100,,$2B,,,\n", "p.csv:2", "hourly"},
    {"no_price", std::string(kHeader) + "h100,,,,,\n", "p.csv:2", "no price"},
    {"device", std::string(kHeader) + "h100,,$2,,,\nh999,,$2,,,\n", "p.csv:3: device", "h999"},
    {"ragged", std::string(kHeader) + "h100,$2\n", "p.csv:2", "2 cells under 6"},
    {"quote", std::string(kHeader) + "h100,\"x,$2,,,\n", "p.csv:2", ""},
    {"header_only", kHeader, "p.csv", "no line"},
    {"not_utf8", std::string(kHeader) + "h100,\xFF,$2,,,\n", "p.csv:2", "UTF-8"},
    {"sky_nan", "AcceleratorName,AcceleratorCount,Price\nH100,8,nan\n", "p.csv:2: Price", "not a number"},
    {"sky_negative", "AcceleratorName,AcceleratorCount,Price\nH100,8,-3\n", "p.csv:2: Price", "not a number"},
    {"sky_unit", "AcceleratorName,AcceleratorCount,Price\nH100,8,$3\n", "p.csv:2: Price", "not a number"},
    {"sky_none", "AcceleratorName,AcceleratorCount,Price\nTPU,8,3\n", "p.csv", "no line"},
};

class BadPrices : public ::testing::TestWithParam<Bad> {};

TEST_P(BadPrices, NameThePlaceAndTheFault) {
    const auto prices = parse_prices(GetParam().text, "p.csv");
    ASSERT_FALSE(prices);
    EXPECT_NE(prices.error().where.find(GetParam().place), std::string::npos) << prices.error().where;
    EXPECT_NE(prices.error().message.find(GetParam().message), std::string::npos) << prices.error().message;
}

INSTANTIATE_TEST_SUITE_P(Text, BadPrices, ::testing::ValuesIn(kBad),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

}  // namespace
}  // namespace ndtune::profiles

#include "cli/flag_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ndtune::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParseInt, ReadsWholeNumbersWithinItsRange) {
    EXPECT_EQ(parse_int("8", "--top", 1, 10), 8);
    EXPECT_EQ(parse_int("1", "--top", 1, 10), 1);
    EXPECT_EQ(parse_int("10", "--top", 1, 10), 10);
    for (const char* text : {"", "0", "11", "-1", "8.5", "8k", " 8", "+8", "99999999999999999999", "nan"}) {
        const auto value = parse_int(text, "--top", 1, 10);
        ASSERT_FALSE(value) << text;
        EXPECT_EQ(value.error().where, "--top");
    }
}

TEST(ParseSeq, KIs1024) {
    EXPECT_EQ(parse_seq("8k"), 8192);
    EXPECT_EQ(parse_seq("8192"), 8192);
    EXPECT_EQ(parse_seq("1M"), 1 << 20);
    EXPECT_EQ(parse_seq("16M"), 1 << 24);
    EXPECT_FALSE(parse_seq("16777217"));
}

TEST(ParseBatch, CountsSequencesOrTokens) {
    EXPECT_EQ(parse_batch("512", 8192), 512);
    EXPECT_EQ(parse_batch("4Mtok", 8192), 512);
    EXPECT_EQ(parse_batch("4194304tokens", 8192), 512);
    EXPECT_EQ(parse_batch("8ktok", 8192), 1);
    EXPECT_FALSE(parse_batch("4Mtoc", 8192));
    EXPECT_FALSE(parse_batch("tok", 8192));
}

TEST(ParseBatch, NamesTheNearestWhereTokensDoNotDivide) {
    const auto batch = parse_batch("20000tok", 8192);
    ASSERT_FALSE(batch);
    EXPECT_THAT(batch.error().message, HasSubstr("2.44 sequences"));
    EXPECT_THAT(batch.error().hint, HasSubstr("--batch 2 (16384 tokens) and 3"));
    EXPECT_THAT(parse_batch("100tok", 8192).error().hint, HasSubstr("8192tok"));
}

TEST(ParseShare, NeedsItsPercentSign) {
    EXPECT_DOUBLE_EQ(*parse_share("5%", "--margin"), 0.05);
    EXPECT_DOUBLE_EQ(*parse_share("0%", "--margin"), 0);
    EXPECT_DOUBLE_EQ(*parse_share("12.5%", "--margin"), 0.125);
    for (const char* text : {"5", "%", "100%", "-1%", "nan%", "inf%", "5%%", ""})
        EXPECT_FALSE(parse_share(text, "--margin")) << text;
}

TEST(ParsePrecision, KnowsTheNames) {
    EXPECT_EQ(parse_precision("bf16"), Precision::bf16);
    EXPECT_EQ(parse_precision("mxfp8"), Precision::mxfp8);
    EXPECT_THAT(parse_precision("bf61").error().hint, HasSubstr("bf16"));
}

TEST(SearchOptions, LaysFlagsOverWhatIsThere) {
    search::Options base;
    base.top = 7;
    base.memory_margin = 0.1;
    SearchCommand command;
    EXPECT_EQ(*search_options(command, base), base);
    command.top = "3";
    command.objective = "memory_headroom";
    command.fix = {"tp=8"};
    command.limit = {"cp<=4"};
    command.within_node = {"tp"};
    command.no_rule = {"memory"};
    command.no_bounds = true;
    const auto options = search_options(command, base);
    ASSERT_TRUE(options);
    EXPECT_EQ(options->top, 3);
    EXPECT_DOUBLE_EQ(options->memory_margin, 0.1);
    EXPECT_EQ(options->objective, search::Objective::memory_headroom);
    EXPECT_THAT(options->limits, ElementsAre(search::AxisLimit{Axis::tp, 8, 8}, search::AxisLimit{Axis::cp, 1, 4}));
    EXPECT_THAT(options->within_node, ElementsAre(Axis::tp));
    EXPECT_THAT(options->disabled_rules, ElementsAre(search::Rule::memory));
    EXPECT_FALSE(options->bounds);
}

TEST(ParseGpus, ReadsRangesStepsAndLists) {
    EXPECT_EQ(*parse_gpus("8:4096"), (GpuSizes{8, 4096, {}}));
    EXPECT_THAT(parse_gpus("8:32:8")->listed, ElementsAre(8, 16, 24, 32));
    EXPECT_THAT(parse_gpus("8:31:8")->listed, ElementsAre(8, 16, 24));
    EXPECT_THAT(parse_gpus("128,64,64")->listed, ElementsAre(64, 128));
    EXPECT_THAT(parse_gpus("64")->listed, ElementsAre(64));
    for (const char* text : {"", "8:", ":8", "16:8", "8:16:0", "1:1000000:1", "8:16:2:2", "a", "8,,16", "-8:16"}) {
        EXPECT_FALSE(parse_gpus(text)) << text;
    }
}

TEST(SplitList, KeepsEmptyParts) {
    EXPECT_THAT(split_list("a,b,,c"), ElementsAre("a", "b", "", "c"));
    EXPECT_THAT(split_list(""), ElementsAre(""));
}

}  // namespace
}  // namespace ndtune::cli

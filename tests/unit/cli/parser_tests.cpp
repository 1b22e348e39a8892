#include "cli/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ndtune::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

SearchCommand parse_search(const std::vector<std::string>& args) {
    const auto command = parse_command("search", args);
    EXPECT_TRUE(command) << command.error().message;
    return std::get<SearchCommand>(command.value_or(SearchCommand{}));
}

TEST(ParseCommand, FillsTheFlagsThatAreThere) {
    const SearchCommand c = parse_search({"m", "--cluster", "8xh100-sxm", "--seq=8k", "--json", "-q", "-v", "-v", "-o", "f"});
    EXPECT_EQ(c.model, "m");
    EXPECT_EQ(c.cluster, "8xh100-sxm");
    EXPECT_EQ(c.seq, "8k");
    EXPECT_EQ(c.format, "json");
    EXPECT_TRUE(c.common.quiet);
    EXPECT_EQ(c.common.verbose, 2);
    EXPECT_EQ(c.common.output, "f");
    EXPECT_EQ(c.batch, std::nullopt);
    EXPECT_EQ(c.top, std::nullopt);
}

TEST(ParseCommand, RepeatableFlagsTakeOneValueEach) {
    const SearchCommand c = parse_search({"--fix", "tp=8", "--fix", "cp=2", "m", "--limit", "cp<=4", "--within-node", "tp"});
    EXPECT_THAT(c.fix, ElementsAre("tp=8", "cp=2"));
    EXPECT_THAT(c.limit, ElementsAre("cp<=4"));
    EXPECT_EQ(c.model, "m");
}

TEST(ParseCommand, NegativeNumbersAreValues) {
    EXPECT_EQ(parse_search({"m", "--seq", "-5"}).seq, "-5");
    EXPECT_EQ(parse_search({"m", "--cluster", "-2x8xh100-sxm"}).cluster, "-2x8xh100-sxm");
}

TEST(ParseCommand, UnknownFlagsNameTheNearest) {
    const auto command = parse_command("search", {"m", "--clutser", "x"});
    ASSERT_FALSE(command);
    EXPECT_THAT(command.error().message, HasSubstr("--clutser"));
    EXPECT_THAT(command.error().hint, HasSubstr("--cluster"));
    EXPECT_FALSE(parse_command("doctor", {"--nothing-like-it"}));
    EXPECT_FALSE(parse_command("doctor", {"extra"}));
    EXPECT_FALSE(parse_command("search", {"m", "--seq"}));
}

TEST(Describe, EveryFlagIsExplained) {
    for (const std::string_view verb : verb_names()) {
        const VerbHelp help = describe(verb);
        EXPECT_FALSE(help.summary.empty());
        EXPECT_FALSE(help.examples.empty()) << verb;
        for (const std::string_view example : help.examples) EXPECT_THAT(std::string(example), HasSubstr("ndtune"));
        for (const FlagHelp& flag : help.flags) EXPECT_FALSE(flag.text.empty()) << verb << " " << flag.names;
    }
}

TEST(FlagHelp, ChoicesAreTheWordsBetweenBars) {
    EXPECT_THAT((FlagHelp{"--format", "a|b|c", "", ""}.choices()), ElementsAre("a", "b", "c"));
    EXPECT_TRUE((FlagHelp{"--output", "FILE", "", ""}.choices()).empty());
}

}  // namespace
}  // namespace ndtune::cli

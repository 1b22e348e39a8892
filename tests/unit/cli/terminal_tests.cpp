#include "cli/terminal.h"

#include <gtest/gtest.h>

namespace ndtune::cli {
namespace {

std::string printed(const Error& error) {
    ::testing::internal::CaptureStderr();
    print_error("search", error);
    return ::testing::internal::GetCapturedStderr();
}

TEST(PrintError, IsOneSentenceWithPlaceAndHint) {
    EXPECT_EQ(printed({ErrorCode::bad_input, "it is wrong", "file:3", "make it right"}),
              "[search] it is wrong (file:3). Hint: make it right\n");
    EXPECT_EQ(printed({ErrorCode::bad_input, "it is wrong.", {}, {}}), "[search] it is wrong.\n");
}

TEST(PrintError, ShowsBytesThatATerminalMustNotSee) {
    EXPECT_EQ(printed({ErrorCode::bad_input, "a\x1b[31mb\nc\td\x7f", {}, {}}), "[search] a\\x1b[31mb c d\\x7f.\n");
    EXPECT_EQ(printed({ErrorCode::bad_input, "caf\xc3\xa9 \xff \xc3", {}, {}}), "[search] caf\xc3\xa9 \\xff \\xc3.\n");
}

TEST(PrintError, QuotesAtMost2000Bytes) {
    const std::string line = printed({ErrorCode::bad_input, std::string(1'000'000, 'x'), {}, {}});
    EXPECT_LT(line.size(), 2100U);
    EXPECT_EQ(line.substr(line.size() - 5), " ...\n");
}

TEST(ExitCode, OnePerKindOfError) {
    EXPECT_EQ(exit_code(ErrorCode::internal), 1);
    EXPECT_EQ(exit_code(ErrorCode::bad_input), 2);
    EXPECT_EQ(exit_code(ErrorCode::not_found), 2);
    EXPECT_EQ(exit_code(ErrorCode::infeasible), 3);
    EXPECT_EQ(exit_code(ErrorCode::check_failed), 4);
    EXPECT_EQ(exit_code(ErrorCode::unsupported), 2);
}

}  // namespace
}  // namespace ndtune::cli

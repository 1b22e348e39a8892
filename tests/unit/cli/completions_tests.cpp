#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/verbs.h"

namespace ndtune::cli {
namespace {

using ::testing::HasSubstr;

class Completions : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        path_ = ::testing::TempDir() + "ndtune-completions-" + GetParam();
        CompletionsCommand command;
        command.shell = GetParam();
        command.common.output = path_;
        ASSERT_TRUE(run(command));
    }
    void TearDown() override { std::filesystem::remove(path_); }

    std::string path_;
};

TEST_P(Completions, KnowVerbsFlagsAndPresets) {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    for (const char* word : {"search", "explain", "objective", "memory_headroom", "llama-3.1-8b", "fsdp2", "h100-sxm"}) {
        EXPECT_THAT(text.str(), HasSubstr(word));
    }
}

TEST_P(Completions, AreAScriptThatTheShellReads) {
    const std::string shell = GetParam();
    if (std::system((shell + " -c true >/dev/null 2>&1").c_str()) != 0) GTEST_SKIP() << shell << " is not installed";
    EXPECT_EQ(std::system((shell + " -n " + path_).c_str()), 0);
}

INSTANTIATE_TEST_SUITE_P(Cli, Completions, ::testing::Values("bash", "zsh", "fish"),
                         [](const auto& c) { return std::string(c.param); });

}  // namespace
}  // namespace ndtune::cli

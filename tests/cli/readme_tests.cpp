#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cli/program.h"

// The README is run: every command in it must answer, and what its console blocks show must be what the program prints.
// NDTUNE_UPDATE_README=1 writes the program's output into the README instead.

namespace ndtune::test {
namespace {

using ::testing::StartsWith;

const std::filesystem::path kReadme = std::filesystem::path(NDTUNE_SOURCE_DIR) / "README.md";

/// A folder that looks like the root to the README's commands.
class Root {
public:
    Root() {
        const std::filesystem::path source = NDTUNE_SOURCE_DIR;
        std::filesystem::create_symlink(NDTUNE_BINARY, folder_.path() / "ndtune");
        for (const char* name : {"profiles", "tests"}) std::filesystem::create_symlink(source / name, folder_.path() / name);
    }

    /// stdout of a shell command that must succeed without a word on stderr.
    [[nodiscard]] std::string run(const std::string& command) const {
        const std::string out = (folder_.path() / "out").string();
        const std::string err = (folder_.path() / "err").string();
        const std::string line = "cd '" + folder_.path().string() + "' && { " + command + "\n} >out 2>err </dev/null";
        EXPECT_EQ(std::system(line.c_str()), 0) << command;
        EXPECT_EQ(read_text(err), "") << command;
        return read_text(out);
    }

private:
    TemporaryFolder folder_;
};

/// The README with the output of each `$ command` of its console blocks replaced by what the program prints now.
std::string refreshed(const std::string& readme) {
    const Root root;
    std::istringstream lines(readme);
    std::string text;
    bool console = false;
    for (std::string line; std::getline(lines, line);) {
        if (line == "```console") console = true;
        if (line == "```") console = false;
        const bool command = console && line.starts_with("$ ");
        if (console && !command && line != "```console") continue;
        text += line + "\n";
        if (command) text += root.run(line.substr(2));
    }
    return text;
}

TEST(Readme, ConsoleBlocksShowWhatTheProgramPrints) {
    const std::string readme = read_text(kReadme);
    const std::string now = refreshed(readme);
    if (std::getenv("NDTUNE_UPDATE_README") != nullptr) {
        std::ofstream(kReadme, std::ios::binary) << now;
        GTEST_SKIP() << "README.md was written";
    }
    EXPECT_EQ(readme, now) << "run cli_tests with NDTUNE_UPDATE_README=1 and read the difference";
}

TEST(Readme, OtherCommandsAnswer) {
    const Root root;
    std::istringstream lines(read_text(kReadme));
    int commands = 0;
    bool shell = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("```")) shell = line == "```sh";
        if (!shell || !line.starts_with("./ndtune")) continue;
        EXPECT_NE(root.run(line), "") << line;
        ++commands;
    }
    EXPECT_GE(commands, 5);
}

TEST(Readme, ItsClusterFileIsRead) {
    const std::string readme = read_text(kReadme);
    const std::size_t start = readme.find("```toml\n");
    ASSERT_NE(start, std::string::npos);
    const std::string toml = readme.substr(start + 8, readme.find("```", start + 8) - start - 8);
    const TemporaryFolder folder;
    const std::string path = folder.file("cluster.toml", toml);
    const Outcome outcome = run({"search", "llama-3.1-8b", "--cluster", path, "--seq", "8k", "--batch", "256", "-q"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
}

}  // namespace
}  // namespace ndtune::test

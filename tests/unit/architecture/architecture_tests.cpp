#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

// The rules of the source tree: which folder may include which, what a header may include, how long a file may be.

namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

const fs::path kRoot = NDTUNE_SOURCE_DIR;

/// What each folder may include besides itself. cost_model <- profiles, search; cost_model, search <- reports; all <- cli.
const std::map<std::string, std::set<std::string>> kMayInclude = {{"cost_model", {}},
                                                                  {"profiles", {"cost_model"}},
                                                                  {"search", {"cost_model"}},
                                                                  {"reports", {"cost_model", "search"}},
                                                                  {"cli", {"cost_model", "profiles", "search", "reports"}}};

struct Source {
    fs::path path;  ///< relative to the root
    std::vector<std::string> includes;
    std::size_t lines = 0;

    [[nodiscard]] bool header() const { return path.extension() == ".h"; }
    [[nodiscard]] std::string folder() const { return path.begin()->string(); }
};

Source read_source(const fs::path& path) {
    Source source{fs::relative(path, kRoot), {}, 0};
    std::ifstream file(path);
    for (std::string line; std::getline(file, line); ++source.lines) {
        if (!line.starts_with("#include")) continue;
        const std::size_t open = line.find_first_of("<\"");
        const std::size_t close = line.find_last_of(">\"");
        if (open != line.npos && close > open) source.includes.push_back(line.substr(open, close - open + 1));
    }
    return source;
}

std::vector<Source> sources() {
    std::vector<Source> all;
    for (const auto& [folder, may] : kMayInclude) {
        for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
            const fs::path extension = entry.path().extension();
            if (extension == ".h" || extension == ".cpp") all.push_back(read_source(entry.path()));
        }
    }
    std::sort(all.begin(), all.end(), [](const Source& a, const Source& b) { return a.path < b.path; });
    return all;
}

/// The folder a quoted include starts with; empty for <...>.
std::string folder_of(const std::string& include) {
    return include.front() == '"' ? include.substr(1, include.find('/') - 1) : "";
}

TEST(Architecture, EveryFolderHasSources) {
    std::set<std::string> seen;
    for (const Source& source : sources()) seen.insert(source.folder());
    EXPECT_EQ(seen.size(), kMayInclude.size());
}

TEST(Architecture, FoldersIncludeInOneDirection) {
    for (const Source& source : sources()) {
        for (const std::string& include : source.includes) {
            const std::string folder = folder_of(include);
            if (folder.empty() || folder == source.folder()) continue;
            EXPECT_TRUE(kMayInclude.at(source.folder()).contains(folder)) << source.path << " includes " << include;
        }
    }
}

TEST(Architecture, OwnIncludesAreQuotedAndRooted) {
    for (const Source& source : sources()) {
        for (const std::string& include : source.includes) {
            if (include.front() == '"') {
                EXPECT_TRUE(fs::exists(kRoot / include.substr(1, include.size() - 2))) << source.path << " includes " << include;
            } else {
                const std::string first = include.substr(1, include.find_first_of("/>") - 1);
                EXPECT_FALSE(kMayInclude.contains(first)) << source.path << " includes " << include;
            }
        }
    }
}

TEST(Architecture, SourcesIncludeTheirOwnHeaderFirst) {
    for (const Source& source : sources()) {
        const fs::path header = fs::path(source.path).replace_extension(".h");
        if (source.header() || !fs::exists(kRoot / header)) continue;
        ASSERT_FALSE(source.includes.empty()) << source.path;
        EXPECT_EQ(source.includes.front(), '"' + header.string() + '"') << source.path;
    }
}

TEST(Architecture, HeadersOfTheCoreIncludeNoOtherLibrary) {
    const std::set<std::string> allowed = {"<tl/expected.hpp>", "<nlohmann/json_fwd.hpp>"};
    for (const Source& source : sources()) {
        if (!source.header() || (source.folder() != "cost_model" && source.folder() != "search")) continue;
        for (const std::string& include : source.includes) {
            // Headers of the standard library have neither folder nor ending.
            const bool standard = include.front() == '<' && include.find_first_of("/.") == include.npos;
            EXPECT_TRUE(include.front() == '"' || standard || allowed.contains(include))
                << source.path << " includes " << include;
        }
    }
}

TEST(Architecture, HeadersStartWithPragmaOnce) {
    for (const Source& source : sources()) {
        if (!source.header()) continue;
        std::ifstream file(kRoot / source.path);
        std::string first;
        std::getline(file, first);
        EXPECT_EQ(first, "#pragma once") << source.path;
    }
}

TEST(Architecture, CommandLineStaysInCli) {
    // argv, environment, terminal and exit codes are the CLI's; NDTUNE_CATALOG is read where the catalog is.
    for (const Source& source : sources()) {
        if (source.folder() == "cli") continue;
        for (const std::string& include : source.includes) {
            EXPECT_NE(include, "<iostream>") << source.path;
            EXPECT_NE(include, "<unistd.h>") << source.path;
            EXPECT_FALSE(include.starts_with("<CLI/")) << source.path;
        }
    }
}

TEST(Architecture, FilesStayShort) {
    constexpr std::size_t kAim = 400;
    constexpr std::size_t kLimit = 600;
    for (const Source& source : sources()) {
        EXPECT_LE(source.lines, kLimit) << source.path;
        if (source.lines > kAim) RecordProperty(source.path.string(), static_cast<int>(source.lines));
        if (source.lines > kAim) GTEST_LOG_(INFO) << source.path << " has " << source.lines << " lines, aim at " << kAim;
    }
}

}  // namespace

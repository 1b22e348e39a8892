#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"

// The real program from outside: what goes to stdout, what to stderr, and the exit codes.

namespace ndtune::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<std::string> kSearch = {"search", "llama-3.1-8b", "--cluster", "8xh100-sxm", "--seq", "8k", "--batch", "64"};

std::vector<std::string> search(const std::vector<std::string>& more = {}) {
    std::vector<std::string> args = kSearch;
    args.insert(args.end(), more.begin(), more.end());
    return args;
}

/// A run that must answer: exit 0, nothing on stderr.
std::string answer(const Call& call) {
    const Outcome outcome = run(call);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
}

std::string answer(const std::vector<std::string>& args) {
    return answer(Call{args, {}, {}, {}});
}

TEST(Cli, VersionAndHelpGoToStdout) {
    EXPECT_THAT(answer({"--version"}), StartsWith("ndtune "));
    EXPECT_THAT(answer({"--help"}), HasSubstr("ndtune search"));
    for (const std::string verb : {"search", "explain", "validate", "catalog", "schema", "doctor", "completions"}) {
        EXPECT_THAT(answer({verb, "--help"}), HasSubstr("Usage: ndtune " + verb));
        EXPECT_EQ(answer({"help", verb}), answer({verb, "--help"}));
    }
}

TEST(Cli, HelpFits80Columns) {
    for (const std::string verb : {"search", "explain", "validate", "catalog", "schema", "doctor", "completions", ""}) {
        std::istringstream lines(verb.empty() ? answer({"--help"}) : answer({verb, "--help"}));
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
    }
}

TEST(Cli, PipedTextFits80ColumnsBesideItsTable) {
    const std::string text = answer(search());
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t start = line.find_first_not_of(' ');
        const bool row = start != line.npos && start > 0 && start < 5;  // the table is as wide as its longest plan
        if (row) continue;
        EXPECT_LE(line.size(), 80U) << line;
    }
    EXPECT_THAT(text, Not(HasSubstr("\x1b[")));
}

TEST(Cli, QuietPrintsThePlanAlone) {
    const std::string text = answer(search({"-q"}));
    const auto report = nlohmann::json::parse(answer(search({"--json"})));
    EXPECT_EQ(text, report["plans"][0]["plan"].get<std::string>() + "\n");
}

TEST(Cli, JsonHoldsTheContract) {
    const auto report = nlohmann::json::parse(answer(search({"--json", "--top", "3"})));
    EXPECT_EQ(report["schema"], "ndtune.search");
    EXPECT_EQ(report["schema_version"], 1);
    EXPECT_EQ(report["model"]["params"], 8030261248);
    const auto& space = report["space"];
    EXPECT_EQ(space["visited"].get<std::uint64_t>(),
              space["feasible"].get<std::uint64_t>() + space["rejected"].get<std::uint64_t>());
    ASSERT_EQ(report["plans"].size(), 3U);
    for (const auto& plan : report["plans"]) {
        const auto& mesh = plan["mesh"];
        EXPECT_EQ(mesh["dp_replicate"].get<int>() * mesh["dp_shard"].get<int>() * mesh["cp"].get<int>() * mesh["tp"].get<int>(),
                  8);
        double seconds = 0;
        for (const auto& part : plan["breakdown"]) seconds += part.get<double>();
        EXPECT_NEAR(seconds, plan["step_time_s"].get<double>(), 1e-9 * seconds);
        std::int64_t bytes = 0;
        for (const auto& row : plan["memory"]["ledger"]) bytes += row["bytes"].get<std::int64_t>();
        EXPECT_EQ(bytes, plan["memory"]["peak_bytes"].get<std::int64_t>());
        EXPECT_LE(bytes, plan["memory"]["capacity_bytes"].get<std::int64_t>());
    }
    EXPECT_LE(report["plans"][0]["step_time_s"], report["plans"][1]["step_time_s"]);
}

TEST(Cli, SameBytesWhateverTheThreads) {
    const std::string one = answer(search({"--json", "--threads", "1"}));
    EXPECT_EQ(one, answer(search({"--json", "--threads", "4"})));
    EXPECT_EQ(one, answer(search({"--json"})));
}

TEST(Cli, ReportRepeatsTheSearch) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "report.json").string();
    EXPECT_EQ(answer(search({"--json", "--fix", "tp=2", "-o", path})), "");
    EXPECT_EQ(answer({"search", path, "--json"}), read_text(path));
    EXPECT_THAT(answer({"explain", path}), Not(IsEmpty()));
    EXPECT_THAT(answer({"explain", path + "#2"}), Not(IsEmpty()));
    const auto report = nlohmann::json::parse(read_text(path));
    EXPECT_EQ(answer({"explain", path + "#" + report["plans"][0]["plan"].get<std::string>()}), answer({"explain", path + "#1"}));
}

TEST(Cli, WarningsAreSaidOnceWhenAReportIsRepeated) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "report.json").string();
    answer({"search", "tinyllama-1.1b", "--cluster", "8xh100-sxm", "--seq", "4k", "--batch", "64", "--json", "-o", path});
    EXPECT_THAT(read_text(path), HasSubstr("4096 tokens is longer than the 2048"));
    EXPECT_EQ(answer({"search", path, "--json"}), read_text(path));
    EXPECT_THAT(answer({"search", path, "--json", "--seq", "2k"}), Not(HasSubstr("is longer than")));
}

TEST(Cli, ReportKeepsItsCluster) {
    const TemporaryFolder folder;
    const std::string path = folder.file("report.json", answer(search({"--json"})));
    const Outcome outcome = run({"search", path, "--cluster", "2x8xh100-sxm"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("(--cluster)"));
    EXPECT_THAT(run({"explain", path + "#0"}).err, HasSubstr("report.json#0). Hint: "));
}

TEST(Cli, ReportWithOtherFlags) {
    const TemporaryFolder folder;
    const std::string path = folder.file("report.json", answer(search({"--json"})));
    const auto changed = nlohmann::json::parse(answer({"search", path, "--json", "--seq", "4k", "--top", "2"}));
    const auto fresh = nlohmann::json::parse(
        answer({"search", "llama-3.1-8b", "--cluster", "8xh100-sxm", "--seq", "4k", "--batch", "64", "--top", "2", "--json"}));
    EXPECT_EQ(changed["plans"], fresh["plans"]);
}

TEST(Cli, TokensForSequences) {
    EXPECT_EQ(answer({"search", "llama-3.1-8b", "--cluster", "8xh100-sxm", "--seq", "8k", "--batch", "512ktok", "--json"}),
              answer(search({"--json"})));
}

TEST(Cli, FixAndLimitShapeTheMesh) {
    const auto report = nlohmann::json::parse(answer(search({"--json", "--fix", "tp=4", "--limit", "cp<=1"})));
    for (const auto& plan : report["plans"]) {
        EXPECT_EQ(plan["mesh"]["tp"], 4);
        EXPECT_EQ(plan["mesh"]["cp"], 1);
    }
}

TEST(Cli, FormatsAndFlagOrder) {
    EXPECT_THAT(answer(search({"--format", "csv"})), HasSubstr("plan"));
    EXPECT_THAT(answer(search({"--format", "md"})), HasSubstr("|"));
    EXPECT_EQ(answer(search({"--format=json"})), answer(search({"--json"})));
    EXPECT_EQ(answer({"search", "--json", "--batch", "64", "--seq=8k", "--cluster", "8xh100-sxm", "llama-3.1-8b"}),
              answer(search({"--json"})));
}

TEST(Cli, WhyNamesTheBrokenRule) {
    EXPECT_THAT(answer(search({"--why", "t16/mb1.ga64"})), HasSubstr("16"));
    EXPECT_THAT(answer(search({"--why", "r8/mb8"})), HasSubstr("GiB"));
}

TEST(Cli, NothingFitsIsExit3) {
    const Outcome outcome = run({"search", "llama-3.1-405b", "--cluster", "1xh100-sxm", "--seq", "8k", "--batch", "1", "-q"});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, StartsWith("[search] no plan is feasible"));
    const Outcome json = run({"search", "llama-3.1-405b", "--cluster", "1xh100-sxm", "--seq", "8k", "--batch", "1", "--json"});
    EXPECT_EQ(json.code, 3);
    EXPECT_THAT(nlohmann::json::parse(json.out)["plans"], IsEmpty());
}

TEST(Cli, ColorFollowsFlagThenEnvironment) {
    const auto colored = [](const Call& call) { return answer(call).find("\x1b[") != std::string::npos; };
    EXPECT_FALSE(colored({search(), {}, {}, {}}));
    EXPECT_TRUE(colored({search({"--color", "always"}), {}, {}, {}}));
    EXPECT_TRUE(colored({search(), {{"CLICOLOR_FORCE", "1"}}, {}, {}}));
    EXPECT_FALSE(colored({search(), {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}, {}, {}}));
    EXPECT_FALSE(colored({search({"--color", "never"}), {{"CLICOLOR_FORCE", "1"}}, {}, {}}));
}

TEST(Cli, EnvironmentStandsForFlags) {
    EXPECT_EQ(answer({search({"--json"}), {{"NDTUNE_RUNTIME", "torchtitan"}}, {}, {}}),
              answer(search({"--json", "--runtime", "torchtitan"})));
    EXPECT_EQ(answer({search({"--json", "--runtime", "fsdp2"}), {{"NDTUNE_RUNTIME", "torchtitan"}}, {}, {}}),
              answer(search({"--json"})));
}

TEST(Cli, SizingComparesClusters) {
    const std::vector<std::string> sizing = {"search",     "llama-3.1-8b", "--gpus",  "8:64", "--device", "h100-sxm,a100-sxm",
                                             "--seq",      "8k",           "--batch", "512",  "--tokens", "100B",
                                             "--deadline", "30d"};
    EXPECT_THAT(answer(sizing), HasSubstr("h100-sxm"));
    std::vector<std::string> json = sizing;
    json.push_back("--json");
    const auto report = nlohmann::json::parse(answer(json));
    EXPECT_EQ(report["schema"], "ndtune.sizing");
}

TEST(Cli, CatalogListsEverything) {
    for (const std::string kind : {"devices", "models", "runtimes", "fabrics", "rules"}) {
        EXPECT_THAT(answer({"catalog", kind}), Not(IsEmpty())) << kind;
    }
    EXPECT_THAT(answer({"catalog", "models", "llama-3.1-8b"}), HasSubstr("8030261248"));
    EXPECT_THAT(answer({"catalog", "devices", "h100-sxm"}), HasSubstr("989 TFLOP/s"));
    EXPECT_THAT(answer({"catalog", "runtimes", "fsdp2"}), HasSubstr("FSDP2"));
    EXPECT_THAT(answer({"doctor"}), HasSubstr("planner    ok"));
}

TEST(Cli, SchemasAreJson) {
    EXPECT_TRUE(nlohmann::json::parse(answer({"schema", "search"})).contains("$schema"));
    EXPECT_TRUE(nlohmann::json::parse(answer({"schema", "sizing"})).contains("$schema"));
}

}  // namespace
}  // namespace ndtune::test

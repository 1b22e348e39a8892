#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "tests/cli/program.h"

// Bad input through the real program: exit 2, nothing on stdout, one line on stderr that names the place and the remedy.

namespace ndtune::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kLlama = R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

std::vector<std::string> search(const std::string& model, const std::string& cluster = "8xh100-sxm",
                                const std::string& seq = "8k", const std::string& batch = "64") {
    return {"search", model, "--cluster", cluster, "--seq", seq, "--batch", batch};
}

std::vector<std::string> with(std::vector<std::string> args, const std::vector<std::string>& more) {
    args.insert(args.end(), more.begin(), more.end());
    return args;
}

/// One line, of the form `[verb] message (place). Hint: remedy`, on stderr alone.
void expect_refused(const std::vector<std::string>& args, const std::string& place) {
    const Outcome outcome = run(args);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(outcome.err, MatchesRegex("\\[[a-z]+\\] .+\\. Hint: .+\n"));
    EXPECT_THAT(outcome.err, HasSubstr(place));
}

struct FlagCase {
    std::string name;
    std::vector<std::string> args;
    std::string place;  ///< the message must name it
};

class BadFlag : public ::testing::TestWithParam<FlagCase> {};

TEST_P(BadFlag, IsOneSentenceAndExit2) {
    expect_refused(GetParam().args, GetParam().place);
}

const std::vector<std::string> kGood = search("llama-3.1-8b");
const std::vector<std::string> kSizing = {"search", "llama-3.1-8b", "--seq", "8k", "--batch", "64", "--device", "h100-sxm"};

INSTANTIATE_TEST_SUITE_P(
    Cli, BadFlag,
    ::testing::Values(
        FlagCase{"NoVerb", {}, "ndtune"}, FlagCase{"UnknownVerb", {"serch"}, "search"}, FlagCase{"NoModel", {"search"}, "model"},
        FlagCase{"UnknownModel", search("llama-9-1t"), "llama-9-1t"}, FlagCase{"EmptyModel", search(""), "model"},
        FlagCase{"UnknownFlag", with(kGood, {"--cluter", "x"}), "--cluster"},
        FlagCase{"FlagWithoutValue", {"search", "llama-3.1-8b", "--seq"}, "--seq"},
        FlagCase{"OneArgumentTooMany", with(kGood, {"llama-3.1-70b"}), "llama-3.1-70b"},
        FlagCase{"NoCluster", {"search", "llama-3.1-8b", "--seq", "8k", "--batch", "64"}, "--cluster"},
        FlagCase{"NoSeq", {"search", "llama-3.1-8b", "--cluster", "8xh100-sxm", "--batch", "64"}, "--seq"},
        FlagCase{"NoBatch", {"search", "llama-3.1-8b", "--cluster", "8xh100-sxm", "--seq", "8k"}, "--batch"},
        FlagCase{"ZeroGpus", search("llama-3.1-8b", "0x8xh100-sxm"), "0"},
        FlagCase{"NoGpusPerNode", search("llama-3.1-8b", "2x0xh100-sxm"), "0"},
        FlagCase{"NegativeNodes", search("llama-3.1-8b", "-2x8xh100-sxm"), "-2x8xh100-sxm"},
        FlagCase{"TooManyGpus", search("llama-3.1-8b", "99999999x8xh100-sxm"), "99999999"},
        FlagCase{"OverflowingGpus", search("llama-3.1-8b", "99999999999999999999x8xh100-sxm"), "99999999999999999999"},
        FlagCase{"UnknownDevice", search("llama-3.1-8b", "2x8xh1000"), "h1000"},
        FlagCase{"UnknownFabric", search("llama-3.1-8b", "2x8xh100-sxm@avian"), "avian"},
        FlagCase{"EmptyCluster", search("llama-3.1-8b", ""), "cluster"},
        FlagCase{"NegativeSeq", search("llama-3.1-8b", "8xh100-sxm", "-8192"), "--seq"},
        FlagCase{"ZeroSeq", search("llama-3.1-8b", "8xh100-sxm", "0"), "--seq"},
        FlagCase{"NanSeq", search("llama-3.1-8b", "8xh100-sxm", "nan"), "--seq"},
        FlagCase{"WordSeq", search("llama-3.1-8b", "8xh100-sxm", "long"), "--seq"},
        FlagCase{"HugeSeq", search("llama-3.1-8b", "8xh100-sxm", "99999999999"), "--seq"},
        FlagCase{"WrongSeqUnit", search("llama-3.1-8b", "8xh100-sxm", "8GiB"), "--seq"},
        FlagCase{"NegativeBatch", search("llama-3.1-8b", "8xh100-sxm", "8k", "-1"), "--batch"},
        FlagCase{"ZeroBatch", search("llama-3.1-8b", "8xh100-sxm", "8k", "0"), "--batch"},
        FlagCase{"HalfBatch", search("llama-3.1-8b", "8xh100-sxm", "8k", "0.5"), "--batch"},
        FlagCase{"InfiniteBatch", search("llama-3.1-8b", "8xh100-sxm", "8k", "inf"), "--batch"},
        FlagCase{"UnevenTokens", search("llama-3.1-8b", "8xh100-sxm", "6k", "4Mtok"), "the nearest"},
        FlagCase{"LearnedPositions", search("gpt2", "8xh100-sxm", "8k"), "--seq"},
        FlagCase{"UnknownRuntime", with(kGood, {"--runtime", "fsdp3"}), "--runtime"},
        FlagCase{"UnknownPrecision", with(kGood, {"--precision", "bf61"}), "bf16"},
        FlagCase{"AbsentPrecision", with(search("llama-3.1-8b", "8xa100-sxm"), {"--precision", "fp8"}), "--precision"},
        FlagCase{"UnknownObjective", with(kGood, {"--objective", "speed"}), "--objective"},
        FlagCase{"UnknownAxis", with(kGood, {"--fix", "pp=2"}), "--fix"},
        FlagCase{"FixWithoutSize", with(kGood, {"--fix", "tp"}), "--fix"},
        FlagCase{"FixOfARange", with(kGood, {"--fix", "tp<=2"}), "--limit"},
        FlagCase{"FixZero", with(kGood, {"--fix", "tp=0"}), "tp"},
        FlagCase{"ContradictoryLimits", with(kGood, {"--limit", "tp>=4", "--limit", "tp<=2"}), "tp"},
        FlagCase{"UnknownNodeAxis", with(kGood, {"--within-node", "pp"}), "--within-node"},
        FlagCase{"UnknownRule", with(kGood, {"--no-rule", "memry"}), "memory"},
        FlagCase{"MarginWithoutUnit", with(kGood, {"--margin", "5"}), "--margin"},
        FlagCase{"MarginOfAll", with(kGood, {"--margin", "100%"}), "--margin"},
        FlagCase{"NegativeMargin", with(kGood, {"--margin", "-5%"}), "--margin"},
        FlagCase{"TopZero", with(kGood, {"--top", "0"}), "--top"},
        FlagCase{"TopOverflow", with(kGood, {"--top", "99999999999999999999"}), "--top"},
        FlagCase{"NoThreads", with(kGood, {"--threads", "0"}), "--threads"},
        FlagCase{"UnknownFormat", with(kGood, {"--format", "xml"}), "--format"},
        FlagCase{"UnknownColor", with(kGood, {"--color", "blue"}), "--color"},
        FlagCase{"BrokenPlan", with(kGood, {"--why", "t8.q2/mb1"}), "q2"},
        FlagCase{"UnwritableOutput", with(kGood, {"-o", "/nowhere/report.txt"}), "/nowhere/report.txt"},
        FlagCase{"OutputIsAFolder", with(kGood, {"-o", "/"}), "(/)"},
        FlagCase{"ControlBytes", search("no\x01such\nmodel"), "no\\x01such model"},
        FlagCase{"NotUtf8Argument", search("\xff\xfe"), "\\xff\\xfe"},
        FlagCase{"DeadlineOfOneCluster", with(search("llama-3.1-8b"), {"--deadline", "30d"}), "--deadline"},
        FlagCase{"TokensOfOneCluster", with(search("llama-3.1-8b"), {"--tokens", "2T"}), "--tokens"},
        FlagCase{"SizingWithoutTokens", with(kSizing, {"--gpus", "8:64"}), "--tokens"},
        FlagCase{"SizingWithoutGpus", with(kSizing, {"--tokens", "2T"}), "--gpus"},
        FlagCase{"SizingBackwards", with(kSizing, {"--tokens", "2T", "--gpus", "64:8"}), "--gpus"},
        FlagCase{"SizingZeroGpus", with(kSizing, {"--tokens", "2T", "--gpus", "0:8"}), "--gpus"},
        FlagCase{"SizingUnknownDevice", with(kSizing, {"--tokens", "2T", "--gpus", "8:64", "--device", "h100-sxm,h1"}),
                 "--device"},
        FlagCase{"DeadlineWithoutUnit", with(kSizing, {"--tokens", "2T", "--gpus", "8:64", "--deadline", "30"}), "--deadline"},
        FlagCase{"BudgetWithoutDollar", with(kSizing, {"--tokens", "2T", "--gpus", "8:64", "--budget", "2M"}), "--budget"},
        FlagCase{"BudgetWithoutPrices", with(kSizing, {"--tokens", "2T", "--gpus", "8:64", "--budget", "$2M"}), "--prices"},
        FlagCase{"NegativeTokens", with(kSizing, {"--tokens", "-2T", "--gpus", "8:64"}), "--tokens"},
        FlagCase{"MissingPrices", with(kSizing, {"--tokens", "2T", "--gpus", "8:64", "--prices", "none.csv"}), "none.csv"},
        FlagCase{"ExplainNothing", {"explain"}, "report"}, FlagCase{"ExplainMissing", {"explain", "none.json#1"}, "none.json"},
        FlagCase{"ValidateNothing", {"validate"}, "runs"}, FlagCase{"ValidateMissing", {"validate", "none.csv"}, "none.csv"},
        FlagCase{"CatalogNothing", {"catalog"}, "KIND"}, FlagCase{"CatalogUnknown", {"catalog", "device"}, "devices"},
        FlagCase{"CatalogUnknownName", {"catalog", "devices", "h1000"}, "h1000"},
        FlagCase{"SchemaUnknown", {"schema", "serch"}, "search"}, FlagCase{"ShellUnknown", {"completions", "tcsh"}, "SHELL"}),
    [](const auto& c) { return c.param.name; });

struct FileCase {
    std::string name;
    std::string content;
};

class BadModelFile : public ::testing::TestWithParam<FileCase> {};

TEST_P(BadModelFile, IsOneSentenceAndExit2) {
    const TemporaryFolder folder;
    const std::string path = folder.file("config.json", GetParam().content);
    expect_refused(search(path), path);
}

std::string nested(std::size_t depth) {
    return R"({"model_type": "llama", "x": )" + std::string(depth, '[') + std::string(depth, ']') + "}";
}

INSTANTIATE_TEST_SUITE_P(
    Cli, BadModelFile,
    ::testing::Values(FileCase{"Empty", ""}, FileCase{"Broken", R"({"model_type": "llama", )"}, FileCase{"NotAnObject", "[1, 2]"},
                      FileCase{"NoKeys", "{}"}, FileCase{"NegativeHidden", replaced(kLlama, "4096", "-4096")},
                      FileCase{"ZeroLayers", replaced(kLlama, "\"num_hidden_layers\": 32", "\"num_hidden_layers\": 0")},
                      FileCase{"TenDigitHidden", replaced(kLlama, "4096", "4096000000")},
                      FileCase{"TwentyDigitVocabulary", replaced(kLlama, "128256", "99999999999999999999")},
                      FileCase{"HugeExponent", replaced(kLlama, "14336", "1e999")},
                      FileCase{"NanFfn", replaced(kLlama, "14336", "NaN")},
                      FileCase{"TextHeads", replaced(kLlama, "32,\n", "\"many\",\n")},
                      FileCase{"UnevenHeads", replaced(kLlama, "\"num_key_value_heads\": 8", "\"num_key_value_heads\": 7")},
                      FileCase{"NotUtf8", replaced(kLlama, "llama", "ll\xff\xfe")}, FileCase{"NulBytes", std::string(64, '\0')},
                      FileCase{"DeeplyNested", nested(100'000)}),
    [](const auto& c) { return c.param.name; });

class BadClusterFile : public ::testing::TestWithParam<FileCase> {};

TEST_P(BadClusterFile, IsOneSentenceAndExit2) {
    const TemporaryFolder folder;
    const std::string path = folder.file("cluster.toml", GetParam().content);
    expect_refused(search("llama-3.1-8b", path), path);
}

const std::string kCluster = "device = \"h100-sxm\"\nnodes = 2\ndevices_per_node = 8\n";

INSTANTIATE_TEST_SUITE_P(
    Cli, BadClusterFile,
    ::testing::Values(FileCase{"Empty", ""}, FileCase{"Broken", "device = \n"}, FileCase{"UnknownKey", kCluster + "nodess = 3\n"},
                      FileCase{"ZeroNodes", replaced(kCluster, "nodes = 2", "nodes = 0")},
                      FileCase{"NegativeDevices", replaced(kCluster, "= 8", "= -8")},
                      FileCase{"NanNodes", replaced(kCluster, "nodes = 2", "nodes = nan")},
                      FileCase{"HugeNodes", replaced(kCluster, "nodes = 2", "nodes = 9999999999")},
                      FileCase{"UnknownDevice", replaced(kCluster, "h100-sxm", "h1000")},
                      FileCase{"NoUnit", kCluster + "[[tier]]\nname = \"x\"\nspans = 8\nbandwidth = \"450\"\n"},
                      FileCase{"WrongUnit", kCluster + "[[tier]]\nname = \"x\"\nspans = 8\nbandwidth = \"450GiB\"\n"},
                      FileCase{"TableWithoutName", kCluster + "[= 1]\n"}, FileCase{"NotUtf8", kCluster + "# \xff\xfe\n"},
                      FileCase{"DeeplyNested", kCluster + "x = " + std::string(50'000, '[') + "\n"}),
    [](const auto& c) { return c.param.name; });

struct ReaderCase {
    std::string name;
    std::function<std::vector<std::string>(const std::string&)> args;
    std::string file;
};

class Reader : public ::testing::TestWithParam<ReaderCase> {};

std::vector<ReaderCase> readers() {
    return {{"Model", [](const std::string& path) { return search(path); }, "config.json"},
            {"Cluster", [](const std::string& path) { return search("llama-3.1-8b", path); }, "cluster.toml"},
            {"YamlCluster", [](const std::string& path) { return search("llama-3.1-8b", path); }, "cluster.yaml"},
            {"Report", [](const std::string& path) { return std::vector<std::string>{"explain", path}; }, "report.json"},
            {"Runs", [](const std::string& path) { return std::vector<std::string>{"validate", path}; }, "runs.csv"},
            {"Prices", [](const std::string& path) { return with(kSizing, {"--tokens", "2T", "--gpus", "8", "--prices", path}); },
             "prices.csv"}};
}

TEST_P(Reader, RefusesAMissingFile) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / GetParam().file).string();
    expect_refused(GetParam().args(path), path);
}

TEST_P(Reader, RefusesAFolder) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / GetParam().file).string();
    std::filesystem::create_directory(path);
    expect_refused(GetParam().args(path), path);
}

TEST_P(Reader, RefusesOneGigabyte) {
    const TemporaryFolder folder;
    const std::string path = folder.file(GetParam().file, "");
    std::filesystem::resize_file(path, std::uintmax_t{1} << 30);  // sparse: takes no space
    expect_refused(GetParam().args(path), path);
}

TEST_P(Reader, RefusesBytesThatAreNotUtf8) {
    const TemporaryFolder folder;
    const std::string path = folder.file(GetParam().file, "\xc3\x28\xff\xfe\n\xff");
    expect_refused(GetParam().args(path), path);
}

TEST_P(Reader, RefusesDeepNesting) {
    const TemporaryFolder folder;
    for (const std::string open : {"[", "{\"a\":", "(", "\"", "- "}) {
        std::string text;
        for (int i = 0; i < 50'000; ++i) text += open;
        const std::string path = folder.file(GetParam().file, text);
        expect_refused(GetParam().args(path), path);
    }
}

TEST_P(Reader, RefusesAnEmptyFile) {
    const TemporaryFolder folder;
    const std::string path = folder.file(GetParam().file, "");
    expect_refused(GetParam().args(path), path);
}

INSTANTIATE_TEST_SUITE_P(Cli, Reader, ::testing::ValuesIn(readers()), [](const auto& c) { return c.param.name; });

TEST(BadInput, FullDiskIsTold) {
    const Outcome outcome = run({search("llama-3.1-8b"), {}, {}, "/dev/full"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("stdout"));
}

TEST(BadInput, AModelThatIsNotUnderstoodIsRefusedByName) {
    const TemporaryFolder folder;
    const std::string path = folder.file("config.json", replaced(kLlama, "\"llama\"", "\"mamba2\""));
    const Outcome outcome = run(search(path));
    EXPECT_NE(outcome.code, 0);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("mamba2"));
}

}  // namespace
}  // namespace ndtune::test

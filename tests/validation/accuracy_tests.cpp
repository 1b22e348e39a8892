// Predictions of published runs must not get worse than the committed table (tests/validation/accuracy.md), and must stay within
// the bounds the project promises.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "profiles/published/validation.h"

namespace ndtune::published {
namespace {

std::string read_file(const std::string& path) {
    std::ifstream file(std::string(NDTUNE_SOURCE_DIR) + "/" + path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

const ValidationResult& validation() {
    static const ValidationResult result = [] {
        const auto validated = validate(read_file("tests/data/published_runs.csv"), "published_runs.csv");
        EXPECT_TRUE(validated) << validated.error().message;
        return validated.value_or(ValidationResult{});
    }();
    return result;
}

/// {source: {column: cell}} of a Markdown table.
std::map<std::string, std::map<std::string, std::string>> markdown_table(const std::string& text) {
    std::istringstream lines(text);
    std::vector<std::string> header;
    std::map<std::string, std::map<std::string, std::string>> table;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('|')) continue;
        std::vector<std::string> cells;
        std::istringstream parts(line.substr(1));
        for (std::string cell; std::getline(parts, cell, '|');) {
            const std::size_t first = cell.find_first_not_of(' ');
            cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
        }
        if (header.empty()) header = cells;
        for (std::size_t i = 1; i < cells.size() && i < header.size(); ++i) table[cells[0]][header[i]] = cells[i];
    }
    return table;
}

double percent(const std::optional<double>& fraction) {
    return 100 * fraction.value_or(1e9);
}

// The table is rounded to 0.05 of a point; compilers differ in the last digits.
constexpr double kSlack = 0.06;

TEST(PublishedAccuracy, NoSourceGetsWorseThanTheCommittedTable) {
    const auto committed = markdown_table(read_file("tests/validation/accuracy.md"));
    std::size_t compared = 0;
    for (const AccuracyLine& line : validation().accuracy.lines) {
        const auto row = committed.find(line.source);
        ASSERT_NE(row, committed.end()) << line.source << " is missing: remake tests/validation/accuracy.md";
        const auto cell = [&](const char* column) { return row->second.at(column); };
        const auto number = [&](const char* column) { return std::strtod(cell(column).c_str(), nullptr); };
        EXPECT_GE(line.scored, number("n")) << line.source;
        EXPECT_GE(line.memory_scored, number("nmem")) << line.source;
        if (!cell("mape").empty()) {
            EXPECT_LE(percent(line.mape), number("mape") + kSlack) << line.source;
        }
        if (!cell("memmape").empty()) {
            EXPECT_LE(percent(line.memory_mape), number("memmape") + kSlack) << line.source;
        }
        if (!cell("rho").empty()) {
            EXPECT_GE(line.rank.value_or(-1), number("rho") - 0.006) << line.source;
        }
        ++compared;
    }
    EXPECT_EQ(compared + 2, committed.size());  // header and rule are rows of the parsed table too
}

TEST(PublishedAccuracy, TimeStaysWithinTheBounds) {
    const Accuracy& accuracy = validation().accuracy;
    EXPECT_LE(percent(accuracy.find("ALL")->mape), 8);
    EXPECT_LE(percent(accuracy.find("MEDIAN")->mape), 7);
    EXPECT_GE(accuracy.find("ALL")->rank.value_or(0), 0.9);
    for (const AccuracyLine& line : accuracy.lines)
        if (line.scored >= 5) {
            EXPECT_LE(percent(line.mape), 12) << line.source;
        }
}

TEST(PublishedAccuracy, MemoryStaysWithinTheBounds) {
    const Accuracy& accuracy = validation().accuracy;
    EXPECT_LE(percent(accuracy.find("titan")->memory_mape), 3);
    EXPECT_LE(percent(accuracy.find("simumax")->memory_mape), 2);
    EXPECT_LE(percent(accuracy.find("ultra")->memory_mape), 12);
}

TEST(PublishedAccuracy, EveryRowHasItsLine) {
    const ValidationResult& result = validation();
    ASSERT_EQ(result.runs.size(), 828U);
    ASSERT_EQ(result.predictions.size(), result.runs.size());
    for (std::size_t i = 0; i < result.runs.size(); ++i) {
        EXPECT_EQ(result.predictions[i].id, result.runs[i].id);
        if (result.predictions[i].status != PredictionStatus::ok) {
            EXPECT_FALSE(result.predictions[i].reason.empty());
        }
    }
}

}  // namespace
}  // namespace ndtune::published

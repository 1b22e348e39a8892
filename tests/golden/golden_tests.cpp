#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "reports/explain.h"
#include "toy.h"

// Byte for byte what users see, on a toy job that no catalog figure can move. NDTUNE_UPDATE_GOLDEN=1 writes the texts anew.

namespace ndtune::reports {
namespace {

std::filesystem::path expected_file(const std::string& name) {
    return std::filesystem::path(NDTUNE_SOURCE_DIR) / "tests/golden/expected" / name;
}

std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

void expect_golden(const std::string& name, const std::string& text) {
    const std::filesystem::path file = expected_file(name);
    if (std::getenv("NDTUNE_UPDATE_GOLDEN") != nullptr) {
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
        return;
    }
    ASSERT_TRUE(std::filesystem::exists(file)) << file << " is missing: run with NDTUNE_UPDATE_GOLDEN=1";
    EXPECT_EQ(text, read(file)) << file;
}

ConsoleStyle style(int width, int verbosity = 0) {
    ConsoleStyle s;
    s.width = width;
    s.verbosity = verbosity;
    s.command = "ndtune search toy-1b --cluster 2x4xtoy-32g --seq 4k --batch 64";
    return s;
}

/// A whole answer, as `ndtune search` gives it.
Report searched() {
    const Result<Report> report = make_report(toy::job(), {});
    return report.value();
}

TEST(golden, search_console) {
    expect_golden("search.txt", to_console(searched(), style(100)));
    expect_golden("search_80_columns.txt", to_console(searched(), style(80)));
    expect_golden("search_verbose.txt", to_console(searched(), style(120, 1)));
}

TEST(golden, search_quiet) {
    expect_golden("search_quiet.txt", to_console(searched(), style(80, -1)));
}

TEST(golden, search_for_people_with_colour_and_unicode) {
    ConsoleStyle s = style(120);
    s.color = true;
    s.unicode = true;
    s.report_path = "toy.json";
    s.elapsed_s = 0.0123;
    expect_golden("search_unicode.txt", to_console(searched(), s));
}

TEST(golden, search_with_everything_in_it) {
    expect_golden("report.txt", to_console(toy::report(), style(100)));
}

TEST(golden, search_without_an_answer) {
    expect_golden("nothing_fits.txt", to_console(toy::empty_report(), style(80)));
    expect_golden("nothing_fits.md", to_markdown(toy::empty_report()));
}

TEST(golden, search_json) {
    Report report = searched();
    report.result.plans.resize(2);
    report.result.pareto.resize(1);
    report.result.near_misses.resize(std::min<std::size_t>(report.result.near_misses.size(), 1));
    expect_golden("search.json", to_json(report));
}

TEST(golden, search_csv_and_markdown) {
    expect_golden("search.csv", to_csv(searched()));
    expect_golden("search.md", to_markdown(searched()));
}

TEST(golden, explanation) {
    expect_golden("explain.txt", explain(searched(), 0, style(100)).value());
    expect_golden("explain_rejected.txt", explain(searched(), parse_plan("r8/mb8").value(), style(100)).value());
}

TEST(golden, why) {
    expect_golden("why_memory.txt", why(searched(), parse_plan("r8/mb8").value(), style(100)));
    expect_golden("why_rule.txt", why(searched(), parse_plan("s4/mb1").value(), style(100)));
}

TEST(golden, sizing) {
    expect_golden("sizing.txt", to_console(toy::sizing(), style(110)));
    expect_golden("sizing_verbose.txt", to_console(toy::sizing(), style(110, 1)));
    expect_golden("sizing.csv", to_csv(toy::sizing()));
    expect_golden("sizing.md", to_markdown(toy::sizing()));
}

}  // namespace
}  // namespace ndtune::reports

#include "profiles/published/run_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiles/published/csv.h"
#include "published_rows.h"

namespace ndtune::published {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::vector<std::string>> records(std::string_view text) {
    CsvReader reader(text, "t.csv");
    std::vector<std::vector<std::string>> all;
    CsvRecord record;
    for (auto more = reader.next(record); more.value(); more = reader.next(record)) all.push_back(record.cells);
    return all;
}

Error csv_error(std::string_view text) {
    CsvReader reader(text, "t.csv");
    CsvRecord record;
    for (;;) {
        const auto more = reader.next(record);
        if (!more) return more.error();
        if (!*more) return {};
    }
}

Error table_error(const std::string& text) {
    const auto runs = parse_run_table(text, "t.csv");
    return runs ? Error{} : runs.error();
}

TEST(Csv, QuotedCellsHoldCommasQuotesAndLineBreaks) {
    EXPECT_THAT(records("a,\"b,\"\"c\"\"\nd\",\r\n\"\",x\n"),
                ElementsAre(ElementsAre("a", "b,\"c\"\nd", ""), ElementsAre("", "x")));
}

TEST(Csv, LineEndsByteOrderMarkAndBlankLines) {
    EXPECT_THAT(records("\xEF\xBB\xBF"
                        "a,b\r\n\r\n\nc,d"),
                ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d")));
    EXPECT_TRUE(records("\n\r\n").empty());
}

TEST(Csv, RecordsKnowTheirFirstLine) {
    CsvReader reader("a\n\"b\nb\"\n\nc\n", "t.csv");
    CsvRecord record;
    std::vector<std::size_t> lines;
    for (auto more = reader.next(record); more.value(); more = reader.next(record)) lines.push_back(record.line);
    EXPECT_THAT(lines, ElementsAre(1, 2, 5));
}

TEST(Csv, BrokenQuotesNameTheLine) {
    EXPECT_EQ(csv_error("a\n\"b\nc\n").where, "t.csv:2");
    EXPECT_THAT(csv_error("a\n\"b\nc\n").message, HasSubstr("never closed"));
    EXPECT_THAT(csv_error("\"a\"b\n").message, HasSubstr("after a closing quote"));
    EXPECT_THAT(csv_error(std::string("a,\0b\n", 5)).message, HasSubstr("NUL"));
}

TEST(Csv, WrittenCellsReadBack) {
    for (const std::string cell : {"plain", "a,b", "say \"x\"", "two\nlines", ""}) {
        EXPECT_THAT(records("x," + csv_cell(cell) + "\n"), ElementsAre(ElementsAre("x", cell)));
    }
}

TEST(Utf8, ValidAndInvalidSequences) {
    EXPECT_TRUE(check_utf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80").valid);
    for (const std::string bad : {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC3", "\xFF"}) {
        const Utf8Check check = check_utf8("ab" + bad);
        EXPECT_FALSE(check.valid);
        EXPECT_EQ(check.offset, 2U);
    }
}

TEST(RunTable, ReadsARow) {
    const auto runs = parse_run_table(table({titan_row()}), "t.csv");
    ASSERT_TRUE(runs) << runs.error().message;
    ASSERT_EQ(runs->size(), 1U);
    const published::Run& run = runs->front();
    EXPECT_EQ(run.line, 2U);
    EXPECT_EQ(run.source(), "titan");
    EXPECT_EQ(run.framework, "torchtitan");
    EXPECT_EQ(run.hidden, 4096);
    EXPECT_EQ(run.ffn, 14336);
    EXPECT_DOUBLE_EQ(run.params, 8030261248.0);
    EXPECT_DOUBLE_EQ(run.step_time_s.value(), 2.8435);
    EXPECT_FALSE(run.mfu.has_value());
    EXPECT_TRUE(run.unreadable.empty());
}

TEST(RunTable, FreeTextInASizeIsKeptForTheRowsReason) {
    const auto runs = parse_run_table(table({titan_row({{"hidden", "~4k"}})}), "t.csv");
    ASSERT_TRUE(runs);
    EXPECT_THAT(runs->front().unreadable, HasSubstr("hidden '~4k'"));
}

TEST(RunTable, NumbersThatCannotBeAreErrorsWithTheirLine) {
    for (const char* cell : {"-1", "nan", "inf", "-inf", "1e400", "4096000000"}) {
        const Error error = table_error(table({titan_row(), titan_row({{"id", "titan-0002"}, {"hidden", cell}})}));
        EXPECT_EQ(error.where, "t.csv:3") << cell;
        EXPECT_THAT(error.message, HasSubstr("hidden")) << cell;
    }
    EXPECT_THAT(table_error(table({titan_row({{"step_time_s", "-2"}})})).message, HasSubstr("step_time_s"));
}

TEST(RunTable, HeaderAndRowsMustFit) {
    EXPECT_THAT(table_error("").message, HasSubstr("empty"));
    EXPECT_THAT(table_error("id,model\nx-1,y\n").message, HasSubstr("missing"));
    EXPECT_THAT(table_error(table({titan_row()}) + "a,b\n").message, HasSubstr("2 cells in a row"));
    EXPECT_THAT(table_error("id," + table({})).message, HasSubstr("'id' stands twice"));
    EXPECT_THAT(table_error(table({titan_row(), titan_row()})).message, HasSubstr("'titan-0001' stands twice"));
    EXPECT_THAT(table_error(table({titan_row({{"id", ""}})})).message, HasSubstr("id is empty"));
    const Error bytes = table_error(table({titan_row({{"notes", "\xFF"}})}));
    EXPECT_THAT(bytes.message, HasSubstr("not UTF-8"));
    EXPECT_EQ(bytes.where, "t.csv:2");
}

TEST(RunTable, MeasuredColumnsMayBeAbsent) {
    std::string text = table({titan_row()});
    // Renaming a column is as good as leaving it out.
    text.replace(text.find("step_time_s"), 11, "other_colum");
    const auto runs = parse_run_table(text, "t.csv");
    ASSERT_TRUE(runs) << runs.error().message;
    EXPECT_FALSE(runs->front().step_time_s.has_value());
}

}  // namespace
}  // namespace ndtune::published

#include <gtest/gtest.h>

#include "reports/insight.h"
#include "reports/table.h"
#include "reports/text.h"
#include "toy.h"

namespace ndtune::reports {
namespace {

TEST(text, has_three_significant_digits) {
    EXPECT_EQ(sig3(0), "0");
    EXPECT_EQ(sig3(36.12), "36.1");
    EXPECT_EQ(sig3(4.302), "4.30");
    EXPECT_EQ(sig3(0.43125), "0.431");
    EXPECT_EQ(sig3(1240.4), "1240");
    EXPECT_EQ(sig3(9.996), "10.0");
    EXPECT_EQ(sig3(99.96), "100");
    EXPECT_EQ(sig3(-9.78), "-9.78");
    EXPECT_EQ(sig3(1.0 / 0.0), "-");
    EXPECT_EQ(sig3_like(0.0049, 4.06), "0.00");
    EXPECT_EQ(sig3_like(0.0049, 4.06, 1), "0.005");
    EXPECT_EQ(sig3_like(12.4, 1240), "12");
}

TEST(text, counts_and_groups) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1148), "1,148");
    EXPECT_EQ(grouped(1234567), "1,234,567");
    EXPECT_EQ(short_count(28960), "29.0k");
    EXPECT_EQ(short_count(812), "812");
    EXPECT_EQ(short_count(999.9), "1.00k");
    EXPECT_EQ(short_count(2e12), "2.00T");
    EXPECT_EQ(percent(0.417), "41.7");
    EXPECT_EQ(percent(1), "100");
    EXPECT_EQ(plural(1, "node"), "1 node");
    EXPECT_EQ(plural(2048, "node"), "2,048 nodes");
    EXPECT_EQ(power_of_ten(5.21e10), "5.21e10");
    EXPECT_EQ(power_of_ten(4.2e9), "4.20e9");
    EXPECT_EQ(power_of_ten(1e120), "1.00e120");
}

TEST(text, defuses_control_characters_and_markup) {
    EXPECT_EQ(printable("a\x1b[31m\nb"), "a?[31m?b");
    EXPECT_EQ(markdown_text("a|b`c*"), "a\\|b\\`c\\*");
}

TEST(table, aligns_numbers_to_the_right) {
    Table table;
    table.column("plan", Table::Align::left);
    table.column("step s");
    table.row({"s8/mb1", "4.30"});
    table.row({"r2.s4/mb2.ga4", "12.1"});
    EXPECT_EQ(table.text(false),
              "  plan           step s\n"
              "  s8/mb1           4.30\n"
              "  r2.s4/mb2.ga4    12.1\n");
    EXPECT_EQ(table.width(), 23U);
}

TEST(table, wraps_its_last_text_on_a_narrow_terminal) {
    Table table;
    table.column("GiB");
    table.column("what it holds", Table::Align::left);
    table.row({"1.5", "weights that stay, and gradients too"});
    EXPECT_EQ(table.text(false, 30),
              "  GiB  what it holds\n"
              "  1.5  weights that stay, and\n"
              "       gradients too\n");
    EXPECT_EQ(table.text(false, 10), table.text(false)) << "too narrow to wrap";
}

TEST(table, wraps_at_spaces_and_keeps_units_with_their_numbers) {
    EXPECT_EQ(wrap("one two three", 7, 2), "one two\n  three");
    EXPECT_EQ(wrap("bandwidth is 100 GB/s now", 16, 0), "bandwidth is\n100 GB/s now");
    EXPECT_EQ(wrap("averylongwordthatfitsnowhere x", 8, 2), "averylongwordthatfitsnowhere\n  x");
    EXPECT_EQ(wrap("", 8, 2), "");
}

Estimate step(std::initializer_list<std::pair<Bucket, double>> times) {
    Estimate e;
    for (const auto& [bucket, seconds] : times) e.breakdown[static_cast<std::size_t>(bucket)] = Seconds{seconds};
    for (const Seconds part : e.breakdown) e.step_time += part;
    return e;
}

TEST(insight, names_what_the_step_is_bound_by) {
    const Estimate e = step({{Bucket::matmul, 6}, {Bucket::attention, 1}, {Bucket::tp_exposed, 2.5}, {Bucket::host, 0.1}});
    EXPECT_EQ(bound_by(e), "compute 73%, tp 26%");
    EXPECT_EQ(bound_by(e, 1), "compute 73%");
    EXPECT_EQ(bound_by(e, 5), "compute 73%, tp 26%") << "1 % is not worth a word";
    EXPECT_EQ(bound_by(step({{Bucket::fsdp_exposed, 3}, {Bucket::matmul, 1}})), "fsdp 75%, compute 25%");
}

TEST(insight, parts_cover_every_bucket) {
    Estimate e;
    for (int i = 0; i < kBuckets; ++i) e.breakdown[static_cast<std::size_t>(i)] = Seconds{1};
    double sum = 0;
    for (const Seconds part : parts(e)) sum += part.value;
    EXPECT_EQ(sum, kBuckets);
}

TEST(insight, compares_term_by_term) {
    const Estimate a = step({{Bucket::matmul, 8}, {Bucket::tp_exposed, 2}});
    const Estimate b = step({{Bucket::matmul, 8.001}, {Bucket::tp_exposed, 1.5}, {Bucket::recompute, 3}});
    EXPECT_EQ(differences(a, b), (std::vector<Term>{{Bucket::recompute, Seconds{3}}, {Bucket::tp_exposed, Seconds{-0.5}}}));
    EXPECT_EQ(comparison_text(a, b), "25.0% slower: recompute +3.0, tp exposed -0.5 s");
    EXPECT_EQ(comparison_text(b, a, 1), "20.0% faster: recompute -3.0 s");
    EXPECT_EQ(comparison_text(a, a), "as fast: no part of the step differs by 0.1%");
}

TEST(insight, spells_a_plan_out) {
    const auto text = [](std::string_view plan) { return spelled_out(parse_plan(plan).value()); };
    EXPECT_EQ(text("1/mb1"), "one device; 1 sequence at a time, one pass a step, no recompute");
    EXPECT_EQ(
        text("r2.s4.c2.t8/mb2.ga4/ac=full:12/cp=ag"),
        "2 replicas, FSDP over 4, context parallel 2 (all-gather), tensor parallel 8; 2 sequences at a time, 4 passes a step, "
        "full recompute of 12 layers");
    EXPECT_EQ(text("s8/mb1.ga2/ac=sel/rs=off/sync=last"),
              "FSDP over 8; 1 sequence at a time, 2 passes a step, selective recompute, weights kept gathered until the backward "
              "pass, gradients reduced in the last pass only");
}

Report against_baseline(const Estimate& best, const Estimate& single) {
    Report report;
    report.result.plans = {{parse_plan("s4.t2/mb1").value(), best}};
    report.baseline = Baseline{search::RankedPlan{parse_plan("s8/mb1").value(), single}, std::nullopt};
    return report;
}

TEST(why_axes, names_the_reason_that_binds) {
    const Estimate best = step({{Bucket::matmul, 8}, {Bucket::fsdp_exposed, 0.5}, {Bucket::tp_exposed, 1}});
    EXPECT_EQ(why_axes(against_baseline(best, step({{Bucket::matmul, 8}, {Bucket::fsdp_exposed, 4}}))),
              "the traffic of FSDP at this scale: plain FSDP (s8/mb1) is 26.3% slower: fsdp exposed +3.50, tp exposed -1.00 s");
    EXPECT_TRUE(why_axes(against_baseline(best, step({{Bucket::matmul, 8}, {Bucket::recompute, 3}})))
                    .starts_with("a layer or sequence too large for one device"));
    EXPECT_TRUE(
        why_axes(against_baseline(best, step({{Bucket::matmul, 8}, {Bucket::host, 3}}))).starts_with("a batch too small"));
}

TEST(why_axes, says_why_one_axis_alone_cannot) {
    Report report;
    report.result.plans = {{parse_plan("s4.t2/mb1").value(), step({{Bucket::matmul, 8}})}};
    report.baseline = Baseline{std::nullopt, search::Violation{search::Rule::memory, "90 GiB > 80 GiB", ""}};
    EXPECT_EQ(why_axes(report), "a layer or sequence too large for one device: plain FSDP does not fit (90 GiB > 80 GiB)");
    report.baseline->reason = search::Violation{search::Rule::batch, "512 ranks, 256 sequences", ""};
    EXPECT_EQ(why_axes(report), "a batch too small for so many devices: plain FSDP is ruled out (512 ranks, 256 sequences)");
    report.baseline = Baseline{report.result.plans.front(), std::nullopt};
    EXPECT_EQ(why_axes(report), "plain FSDP is best: at this scale no second axis pays for its traffic");
    report.baseline.reset();
    EXPECT_EQ(why_axes(report), "");
}

}  // namespace
}  // namespace ndtune::reports

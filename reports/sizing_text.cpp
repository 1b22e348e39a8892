#include "reports/sizing_text.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "cost_model/quantity.h"
#include "reports/text.h"

namespace ndtune::reports {

namespace {

using search::SizingRow;

/// Dollars where known; device-hours stand in for them, behind every row with a price.
std::pair<bool, double> expense(const SizingRow& row) {
    return row.cost ? std::pair{false, row.cost->value} : std::pair{true, row.gpu_hours};
}

template <class Less>
void add_least(const std::vector<SizingRow>& rows, const std::vector<std::size_t>& among, std::set<std::size_t>& shown,
               Less less) {
    if (among.empty()) return;
    shown.insert(
        *std::min_element(among.begin(), among.end(), [&](std::size_t a, std::size_t b) { return less(rows[a], rows[b]); }));
}

void add_best_of(const std::vector<SizingRow>& rows, const std::vector<std::size_t>& among, std::set<std::size_t>& shown) {
    add_least(rows, among, shown, [](const SizingRow& a, const SizingRow& b) { return expense(a) < expense(b); });
    add_least(rows, among, shown, [](const SizingRow& a, const SizingRow& b) { return a.duration_s < b.duration_s; });
}

void add_device(const std::vector<SizingRow>& rows, const std::string& device, std::set<std::size_t>& shown) {
    std::vector<std::size_t> good;
    std::vector<std::size_t> feasible;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].cluster.device.name != device) continue;
        all.push_back(i);
        if (rows[i].best) feasible.push_back(i);
        if (rows[i].meets_wishes()) good.push_back(i);
    }
    if (!good.empty()) {
        add_best_of(rows, good, shown);
        add_least(rows, good, shown,
                  [](const SizingRow& a, const SizingRow& b) { return a.cluster.devices() < b.cluster.devices(); });
    } else if (!feasible.empty()) {
        add_best_of(rows, feasible, shown);
    } else {
        shown.insert(all.back());
    }
}

}  // namespace

std::string verdict(const SizingReport& report, std::size_t index) {
    const SizingRow& row = report.result.rows[index];
    if (!row.best) return row.reason ? fmt::format("nothing fits: {}", printable(row.reason->message)) : "nothing fits";
    if (!row.meets_wishes()) {
        if (!row.meets_deadline && !row.meets_budget)
            return row.cost ? "misses deadline and budget" : "misses deadline, no price";
        return !row.meets_deadline ? "misses deadline" : row.cost ? "misses budget" : "no price";
    }
    std::string names;
    const auto add = [&](const std::optional<std::size_t>& which, std::string_view name) {
        if (which == index) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    };
    add(report.result.cheapest, "cheapest");
    add(report.result.fastest, "fastest");
    add(report.result.smallest, "smallest");
    return names.empty() ? "ok" : names;
}

std::vector<std::size_t> rows_that_matter(const SizingReport& report) {
    const std::vector<SizingRow>& rows = report.result.rows;
    std::set<std::size_t> shown;
    for (const auto& named : {report.result.cheapest, report.result.fastest, report.result.smallest}) {
        if (named) shown.insert(*named);
    }
    std::set<std::string> devices;
    for (const SizingRow& row : rows) {
        if (devices.insert(row.cluster.device.name).second) add_device(rows, row.cluster.device.name, shown);
    }
    std::vector<std::size_t> order(shown.begin(), shown.end());
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto key = [&](std::size_t i) {
            return std::tuple{!rows[i].meets_wishes(), !rows[i].best.has_value(), expense(rows[i])};
        };
        return key(a) < key(b);
    });
    return order;
}

std::string wishes_line(const SizingReport& report) {
    const search::SizingRequest& request = report.request;
    const double flops = flops_per_token(request.model, request.workload.seq_len) * request.workload.tokens;
    std::string text = fmt::format("{} tokens, {} FLOP in all", format_count(request.workload.tokens), power_of_ten(flops));
    if (request.deadline_s) text += fmt::format("; within {}", format_duration(Seconds{*request.deadline_s}));
    if (request.budget) text += fmt::format("; for {} at most", format_dollars(*request.budget));
    return text;
}

/// Each wish fails by itself: the two ends of what can be had.
std::string out_of_reach(const search::SizingResult& result) {
    const search::SizingRow* soonest = nullptr;
    const search::SizingRow* cheapest = nullptr;
    for (const search::SizingRow& row : result.rows) {
        if (!row.best) continue;
        if (!soonest || row.duration_s < soonest->duration_s) soonest = &row;
        if (row.cost && (!cheapest || *row.cost < *cheapest->cost)) cheapest = &row;
    }
    if (!soonest) return "";
    const auto end = [](const search::SizingRow& row) {
        const std::string cost = row.cost ? " for " + format_dollars(*row.cost) : "";
        return fmt::format("{}{} on {}", format_duration(Seconds{row.duration_s}), cost, row.cluster.name);
    };
    std::string text = "no cluster meets either wish: the soonest is " + end(*soonest);
    if (cheapest && cheapest != soonest) text += ", the cheapest " + end(*cheapest);
    return text;
}

std::string needed_text(const SizingReport& report) {
    const search::SizingRequest& request = report.request;
    const search::SizingResult& result = report.result;
    std::string text;
    if (result.deadline_needed_s) {
        text = request.budget ? fmt::format("{} buys it in {}", format_dollars(*request.budget),
                                            format_duration(Seconds{*result.deadline_needed_s}))
                              : fmt::format("the soonest is {}", format_duration(Seconds{*result.deadline_needed_s}));
    }
    if (result.budget_needed) {
        text += text.empty() ? "" : "; ";
        text += request.deadline_s ? fmt::format("{} take {}", format_duration(Seconds{*request.deadline_s}),
                                                 format_dollars(*result.budget_needed))
                                   : fmt::format("the least it costs is {}", format_dollars(*result.budget_needed));
    }
    if (text.empty()) return result.fastest ? "" : out_of_reach(result);
    if (request.deadline_s && result.deadline_needed_s && !result.budget_needed) {
        text += fmt::format("; none listed is done in {} at a known price", format_duration(Seconds{*request.deadline_s}));
    }
    return "no cluster meets the wishes: " + text;
}

std::optional<std::size_t> choice(const SizingReport& report) {
    return report.result.cheapest ? report.result.cheapest : report.result.smallest;
}

}  // namespace ndtune::reports

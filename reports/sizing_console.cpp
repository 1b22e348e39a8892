#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "cost_model/quantity.h"
#include "reports/assumptions.h"
#include "reports/insight.h"
#include "reports/sizing_report.h"
#include "reports/sizing_text.h"
#include "reports/table.h"
#include "reports/text.h"

namespace ndtune::reports {

namespace {

using search::SizingRow;

std::string days(const SizingRow& row) {
    return sig3(row.duration_s / 86400);
}

std::string searched_line(const SizingReport& report, const ConsoleStyle& style) {
    const std::vector<SizingRow>& rows = report.result.rows;
    const auto fit = std::count_if(rows.begin(), rows.end(), [](const SizingRow& row) { return row.best.has_value(); });
    const auto good = std::count_if(rows.begin(), rows.end(), [](const SizingRow& row) { return row.meets_wishes(); });
    const std::string time = style.elapsed_s ? fmt::format(" in {} s", sig3(*style.elapsed_s)) : "";
    return labelled(
        "Searched",
        fmt::format("{}{}: {} with a plan that fits, {} within your wishes", plural(rows.size(), "cluster"), time, fit, good),
        style);
}

/// True where a row that is shown took another batch than was asked for.
bool batch_varies(const SizingReport& report, const std::vector<std::size_t>& shown) {
    return std::any_of(shown.begin(), shown.end(),
                       [&](std::size_t i) { return report.result.rows[i].global_batch != report.request.workload.global_batch; });
}

Table sizing_table(const SizingReport& report, const std::vector<std::size_t>& order) {
    const bool batch = batch_varies(report, order);
    Table table;
    table.column("device", Table::Align::left);
    table.column("nodes");
    table.column("GPUs");
    table.column("plan", Table::Align::left);
    if (batch) table.column("batch");
    for (const char* header : {"MFU %", "step s", "days", "GPU-hours", "cost"}) table.column(header);
    table.column("verdict", Table::Align::left);
    for (const std::size_t i : order) {
        const SizingRow& row = report.result.rows[i];
        std::vector<std::string> cells = {printable(row.cluster.device.name), std::to_string(row.cluster.nodes),
                                          std::to_string(row.cluster.devices()), row.best ? to_text(row.best->plan) : "-"};
        if (batch) cells.push_back(std::to_string(row.global_batch));
        if (row.best) {
            const Estimate& e = row.best->estimate;
            for (std::string cell : {percent(e.mfu), sig3(e.step_time.value), days(row), short_count(row.gpu_hours)}) {
                cells.push_back(std::move(cell));
            }
        } else {
            cells.insert(cells.end(), 4, "-");
        }
        cells.push_back(row.best && row.cost ? format_dollars(*row.cost) : "-");
        cells.push_back(verdict(report, i));
        table.row(std::move(cells));
    }
    return table;
}

std::string prices_line(const SizingReport& report) {
    Provenance weakest_price = Provenance::exact;
    std::size_t priced = 0;
    for (const Cluster& cluster : report.request.clusters) {
        if (cluster.price_per_device_hour.value.value <= 0) continue;
        ++priced;
        weakest_price = weakest(weakest_price, cluster.price_per_device_hour.provenance);
    }
    if (priced == 0) return "none given: costs are left out (--prices FILE)";
    return fmt::format("{} of {} clusters have one; {}", priced, report.request.clusters.size(), to_string(weakest_price));
}

/// One line per choice: what its step consists of and how full its memory is.
std::string choices_text(const SizingReport& report, const ConsoleStyle& style) {
    std::string text;
    std::vector<std::size_t> told;
    const auto tell = [&](std::string_view label, const std::optional<std::size_t>& index) {
        if (!index || std::find(told.begin(), told.end(), *index) != told.end()) return;
        told.push_back(*index);
        const SizingRow& row = report.result.rows[*index];
        const Estimate& e = row.best->estimate;
        text += labelled(label,
                         fmt::format("{}: {}; time: {}; memory: {} of {} GiB", printable(row.cluster.name),
                                     spelled_out(row.best->plan), bound_by(e, 3), gib(e.memory.peak), gib(e.memory.capacity)),
                         style);
    };
    tell("Cheapest", report.result.cheapest);
    tell("Fastest", report.result.fastest);
    tell("Smallest", report.result.smallest);
    return text;
}

std::string next_line(const SizingReport& report, const ConsoleStyle& style) {
    const std::optional<std::size_t> chosen = choice(report);
    if (!chosen) return "relax a wish, or name more devices and sizes (--device, --gpus)";
    const SizingRow& row = report.result.rows[*chosen];
    // A model that was read from a file is not known by its name.
    const std::string name = printable(report.request.model.name);
    const bool typed = style.command.empty() || style.command.find(name) != std::string::npos;
    return fmt::format("ndtune search {} --cluster {} --seq {} --batch {}", typed ? name : "MODEL", printable(row.cluster.name),
                       report.request.workload.seq_len, row.global_batch);
}

}  // namespace

std::string to_console(const SizingReport& report, const ConsoleStyle& style) {
    if (style.verbosity < 0) {
        const std::optional<std::size_t> chosen = choice(report);
        if (!chosen) return "";
        const SizingRow& row = report.result.rows[*chosen];
        return fmt::format("{} {}\n", printable(row.cluster.name), to_text(row.best->plan));
    }
    const search::SizingRequest& request = report.request;
    std::string text = labelled("Runtime", runtime_line(request.runtime, request.workload), style) +
                       labelled("Model", model_line(request.model, request.workload), style) +
                       labelled("Step", step_line(request.workload), style) + labelled("Run", wishes_line(report), style) +
                       labelled("Prices", prices_line(report), style) + searched_line(report, style) + "\n";
    std::vector<std::size_t> order(report.result.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (style.verbosity == 0) order = rows_that_matter(report);
    text += sizing_table(report, order).text(style.unicode) + "\n";
    if (order.size() < report.result.rows.size()) {
        text += labelled("", fmt::format("{} more with -v", plural(report.result.rows.size() - order.size(), "cluster")), style);
    }
    text += choices_text(report, style);
    if (const std::string needed = needed_text(report); !needed.empty()) text += labelled("Needed", needed, style);
    for (const std::string& warning : report.warnings) text += labelled("Warning", printable(warning), style);
    return text + "Next      " + next_line(report, style) + "\n";
}

}  // namespace ndtune::reports

#include "profiles/published/predictions.h"

#include <fmt/format.h>

#include <cmath>

#include "profiles/published/csv.h"

namespace ndtune::published {

namespace {

constexpr std::string_view kSystem = "ndtune";
constexpr std::string_view kVariant = "catalog";  // the constants of the catalog, nothing calibrated on the user's own machine

Bytes read_memory(const MemoryLedger& ledger, MemoryReading reading) {
    switch (reading) {
        case MemoryReading::allocated: return ledger.allocated();
        case MemoryReading::reserved: return ledger.reserved();
        case MemoryReading::device: break;
    }
    return ledger.peak;
}

std::optional<double> positive(double value) {
    return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

std::string join(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
    return text;
}

std::string number(const std::optional<double>& value) {
    return value ? fmt::format("{:.6g}", *value) : std::string();
}

}  // namespace

std::string_view to_string(PredictionStatus status) {
    switch (status) {
        case PredictionStatus::ok: return "ok";
        case PredictionStatus::approx: return "approx";
        case PredictionStatus::unsupported: break;
    }
    return "unsupported";
}

Prediction predict(const Run& run, CatalogCache& catalog) {
    Prediction prediction;
    prediction.id = run.id;
    const Result<MappedRun> mapped = map_run(run, catalog);
    if (!mapped) {
        prediction.reason = mapped.error().message;
        return prediction;
    }
    const Estimate e = estimate(mapped->job, mapped->plan);
    if (mapped->time_known) prediction.step_time_s = positive(e.step_time.value);
    if (mapped->memory_known)
        prediction.memory_gib = positive(static_cast<double>(read_memory(e.memory, mapped->reading).value) / kGiB);
    if (!prediction.step_time_s && !prediction.memory_gib) {
        prediction.reason = mapped->assumptions.empty() ? "no finite prediction" : join(mapped->assumptions);
        return prediction;
    }
    prediction.status = mapped->assumptions.empty() ? PredictionStatus::ok : PredictionStatus::approx;
    prediction.reason = join(mapped->assumptions);
    return prediction;
}

std::vector<Prediction> predict(const std::vector<Run>& runs) {
    CatalogCache catalog;
    std::vector<Prediction> predictions;
    predictions.reserve(runs.size());
    for (const Run& run : runs) predictions.push_back(predict(run, catalog));
    return predictions;
}

std::string to_csv(const std::vector<Prediction>& predictions) {
    std::string text = "id,system,variant,pred_step_time_s,pred_mem_gib,status,reason\n";
    for (const Prediction& p : predictions) {
        text += fmt::format("{},{},{},{},{},{},{}\n", csv_cell(p.id), kSystem, kVariant, number(p.step_time_s),
                            number(p.memory_gib), to_string(p.status), csv_cell(p.reason));
    }
    return text;
}

}  // namespace ndtune::published

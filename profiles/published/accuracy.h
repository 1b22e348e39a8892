#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profiles/published/predictions.h"
#include "profiles/published/run_table.h"

namespace ndtune::published {

/// How far predictions are from measurements on some rows. Errors are fractions: predicted / measured - 1.
struct AccuracyLine {
    std::string source;           ///< id prefix, or "ALL" (rows pooled), or "MEDIAN" (of the sources with 5 scored rows or more)
    std::size_t scored = 0;       ///< rows scored for time; MEDIAN: sources
    std::size_t in_scope = 0;     ///< rows with a measured time and an MFU of at least ScoreOptions::min_mfu
    std::optional<double> cover;  ///< scored / in_scope
    std::optional<double> mape, median_ape, bias;  ///< mean |error|, median |error|, mean error
    std::optional<double> rank;                    ///< Spearman correlation of predicted and measured time, mean over groups
    std::size_t groups = 0;         ///< groups of at least 3 rows of equal model, layers, gpu, gpus, batch and sequence
    std::optional<double> regret;   ///< measured time of the predicted-fastest row over the fastest, less 1, mean over groups
    std::size_t memory_scored = 0;  ///< rows with measured and predicted memory; MEDIAN: sources
    std::optional<double> memory_mape, memory_bias;

    bool operator==(const AccuracyLine&) const = default;
};

struct Accuracy {
    std::vector<AccuracyLine> lines;  ///< sources in the table's order (those with a scored row), then ALL, then MEDIAN
    std::size_t rows = 0;
    std::size_t without_time = 0;
    std::size_t low_mfu = 0;  ///< rows below min_mfu: stalls and launch-bound runs that nobody would choose
    double min_mfu = 0;

    [[nodiscard]] const AccuracyLine* find(std::string_view source) const;
    bool operator==(const Accuracy&) const = default;
};

struct ScoreOptions {
    double min_mfu = 0.05;
};

/// Model FLOPs utilization of a row: its source's own figure, else tflops_per_gpu / peak, else 6 N tokens / (time x gpus x peak);
/// nothing where none of them can be had (such rows are in scope).
std::optional<double> mfu_of_run(const Run& run);

/// Scores predictions[i] against runs[i].
Accuracy score(const std::vector<Run>& runs, const std::vector<Prediction>& predictions, const ScoreOptions& options = {});

/// A Markdown table, columns aligned; percentages but for counts and rank.
std::string to_text(const Accuracy& accuracy);

}  // namespace ndtune::published

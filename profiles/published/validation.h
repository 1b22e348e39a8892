#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost_model/result.h"
#include "profiles/published/accuracy.h"
#include "profiles/published/predictions.h"

namespace ndtune::published {

struct ValidationResult {
    std::vector<Run> runs;
    std::vector<Prediction> predictions;  ///< one per run, in order
    Accuracy accuracy;

    bool operator==(const ValidationResult&) const = default;
};

/// Predicts every row of a table of published runs and scores the predictions. `where` names the text in errors (run_table.h).
Result<ValidationResult> validate(std::string_view csv_text, std::string_view where, const ScoreOptions& options = {});

/// How many rows were predicted, how many not, and the reasons with their counts.
std::string summary_text(const ValidationResult& result);

}  // namespace ndtune::published

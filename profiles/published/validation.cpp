#include "profiles/published/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace ndtune::published {

namespace {

/// The reason without the row's own numbers: up to the first colon, and "pp = 4" as "pp".
std::string kind_of_reason(const std::string& reason) {
    const std::size_t equals = reason.find(" = ");
    const std::size_t colon = reason.find(':');
    if (equals != std::string::npos && colon != std::string::npos && equals < colon)
        return reason.substr(0, equals) + " > 1" + reason.substr(colon);
    return reason;
}

}  // namespace

Result<ValidationResult> validate(std::string_view csv_text, std::string_view where, const ScoreOptions& options) {
    Result<std::vector<Run>> runs = parse_run_table(csv_text, where);
    if (!runs) return tl::unexpected(runs.error());
    ValidationResult result;
    result.runs = std::move(*runs);
    result.predictions = predict(result.runs);
    result.accuracy = score(result.runs, result.predictions, options);
    return result;
}

std::string summary_text(const ValidationResult& result) {
    constexpr std::size_t kMostReasons = 12;
    std::array<std::size_t, 3> counts{};
    std::map<std::string, std::size_t> reasons;
    for (const Prediction& p : result.predictions) {
        ++counts[static_cast<std::size_t>(p.status)];
        if (p.status == PredictionStatus::unsupported) ++reasons[kind_of_reason(p.reason)];
    }
    std::string text =
        fmt::format("{} rows: {} ok, {} approx, {} unsupported\n", result.predictions.size(), counts[0], counts[1], counts[2]);
    std::vector<std::pair<std::string, std::size_t>> most(reasons.begin(), reasons.end());
    std::sort(most.begin(), most.end(),
              [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
    for (std::size_t i = 0; i < most.size() && i < kMostReasons; ++i)
        text += fmt::format("  {:>5}  {}\n", most[i].second, most[i].first);
    if (most.size() > kMostReasons)
        text += fmt::format("         and {} more reasons, in the predictions\n", most.size() - kMostReasons);
    return text;
}

}  // namespace ndtune::published

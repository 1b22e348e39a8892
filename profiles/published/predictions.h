#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/published/run_mapping.h"
#include "profiles/published/run_table.h"

namespace ndtune::published {

/// ok: the row states all that matters. approx: `reason` names what was assumed. unsupported: `reason` says why.
enum class PredictionStatus : std::uint8_t { ok, approx, unsupported };
std::string_view to_string(PredictionStatus status);

/// What ndtune says about one row.
struct Prediction {
    std::string id;
    std::optional<double> step_time_s;
    std::optional<double> memory_gib;  ///< as the row's source reads it: allocated, reserved or device
    PredictionStatus status = PredictionStatus::unsupported;
    std::string reason;

    bool operator==(const Prediction&) const = default;
};

/// One prediction; never fails: what goes wrong is the reason of an unsupported row.
Prediction predict(const Run& run, CatalogCache& catalog);

/// One prediction per run, in order.
std::vector<Prediction> predict(const std::vector<Run>& runs);

/// CSV: id,system,variant,pred_step_time_s,pred_mem_gib,status,reason.
std::string to_csv(const std::vector<Prediction>& predictions);

}  // namespace ndtune::published

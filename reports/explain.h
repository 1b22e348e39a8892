#pragma once

#include <cstddef>
#include <string>

#include "cost_model/result.h"
#include "reports/report.h"

namespace ndtune::reports {

/// Everything about the plan ranked `index` (0 = best): breakdown, ledger, what binds, against the next plans, what would flip
/// the ranking. Errors: fewer plans than that.
Result<std::string> explain(const Report& report, std::size_t index, const ConsoleStyle& style);

/// The same for any plan of the job, ranked or not; it is priced anew. A plan that breaks a rule gets its rejection first.
/// Errors: a plan whose sizes do not divide (it cannot be priced).
Result<std::string> explain(const Report& report, const Plan& plan, const ConsoleStyle& style);

/// `--why PLAN`: the first rule the plan breaks with its numbers, or where it stands in the ranking.
std::string why(const Report& report, const Plan& plan, const ConsoleStyle& style);

}  // namespace ndtune::reports

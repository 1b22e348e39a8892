#pragma once

#include "reports/report.h"
#include "reports/sizing_report.h"

// A job defined in full here: no figure of the catalog can move what is printed about it. The tests of the reports and the golden
// texts use it.
namespace ndtune::toy {

Device device();
Runtime runtime();
/// About 0.9 B parameters.
Model model();
/// 2 nodes x 4 devices.
Job job();
search::RankedPlan priced(const Job& job, std::string_view plan_text);
/// A result put together from priced plans, with every kind of content: ranked plans, front, near misses with and without a
/// remedy, a baseline, a warning.
reports::Report report();
/// Nothing fits.
reports::Report empty_report();
reports::SizingReport sizing();

}  // namespace ndtune::toy

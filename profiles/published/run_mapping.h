#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/estimate.h"
#include "profiles/published/run_table.h"

// How a row of published measurements becomes a Job and a Plan. The same predictor serves search: a row only chooses values.
// One file holds each noun: model_of_run, cluster_of_run, runtime_of_run, plan_of_run. profiles/published/README.md lists the
// rules.

namespace ndtune::published {

/// What a row means to the cost model.
struct MappedRun {
    Job job;
    Plan plan;
    MemoryReading reading = MemoryReading::reserved;  ///< which of the ledger's sums the source measures
    bool time_known = true;                           ///< false: the row does not state its batch; only memory is predicted
    bool memory_known = true;                         ///< false: part of the states lives where the ledger does not look
    std::vector<std::string> assumptions;             ///< what the row leaves open and matters; empty = status ok
};

/// Catalog rows already read, by name.
class CatalogCache {
public:
    Result<Device> device(const std::string& name);
    Result<Runtime> runtime(const std::string& name);
    Result<Tier> fabric(const std::string& name);

private:
    std::map<std::string, Result<Device>, std::less<>> devices_;
    std::map<std::string, Result<Runtime>, std::less<>> runtimes_;
    std::map<std::string, Result<Tier>, std::less<>> fabrics_;
};

/// Error: why the row cannot be predicted (the message is the `reason` of its prediction).
Result<MappedRun> map_run(const Run& run, CatalogCache& catalog);

}  // namespace ndtune::published

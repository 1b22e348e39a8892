#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiles/published/run_mapping.h"
#include "profiles/published/runtime_of_run.h"

namespace ndtune::published {

/// Catalog key of a GPU as tables name it ("H100-96GB HBM2e 500W"); empty = not in the catalog.
std::string device_name(std::string_view gpu);

/// Scale-out bandwidth of one device in bytes/s as the text states it; nothing where it states none.
std::optional<double> nic_of_text(std::string_view network, double devices_per_node);

/// Fills `mapped.job.cluster`. Needs `mapped.job.runtime`. Error: the reason.
Result<void> cluster_of_run(const Run& run, Stack stack, CatalogCache& catalog, MappedRun& mapped);

}  // namespace ndtune::published

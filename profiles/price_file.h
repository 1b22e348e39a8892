#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/cluster.h"
#include "cost_model/result.h"

namespace ndtune::profiles {

/// One line of a price file: what one device costs for an hour, somewhere.
struct PriceQuote {
    std::string device;                ///< catalog key
    std::string instance;              ///< of a SkyPilot catalog, else empty
    std::string region;                ///< may be empty
    std::optional<Dollars> on_demand;  ///< per device and hour
    std::optional<Dollars> spot;       ///< the same, interruptible
    std::string date;                  ///< as written, may be empty
    std::string source;
    std::size_t line = 0;

    bool operator==(const PriceQuote&) const = default;
};

struct PriceTable {
    std::string where;
    std::vector<PriceQuote> quotes;    ///< in file order
    std::vector<std::string> unknown;  ///< accelerators that the catalog does not know, each once, in file order
    std::size_t skipped = 0;           ///< lines without an accelerator or a price, or with an unknown one

    bool operator==(const PriceTable&) const = default;
};

/// Reads prices in one of two forms, told apart by the header:
///   device, region, on_demand_per_device_hour, spot_per_device_hour, date, source    (only device and a price are needed)
///   InstanceType, AcceleratorName, AcceleratorCount, Price, Region, SpotPrice, ...   (SkyPilot's catalogs; per instance-hour)
/// In the first, prices carry their $ and unknown columns and devices are errors; in the second, lines of other accelerators
/// and without prices are skipped and counted. Errors name file, line and column.
Result<PriceTable> parse_prices(std::string_view text, std::string_view where);

/// The same from a file of at most 64 MiB.
Result<PriceTable> read_prices(const std::string& path);

/// The lowest on-demand (or spot) price of a device by catalog key or alias; the first in the file among equals.
std::optional<PriceQuote> cheapest(const PriceTable& prices, std::string_view device, bool spot = false);

/// Fills in the cluster's price per device-hour from the cheapest on-demand quote, if there is one; a price that the cluster
/// already carries stays.
void apply_prices(const PriceTable& prices, Cluster& cluster);

}  // namespace ndtune::profiles

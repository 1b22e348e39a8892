#include "profiles/price_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "cost_model/quantity.h"
#include "profiles/catalog.h"
#include "profiles/published/csv.h"
#include "profiles/text_file.h"

namespace ndtune::profiles {
namespace {

constexpr std::int64_t kLargestPriceFile = std::int64_t{64} << 20;
constexpr std::size_t kMostColumns = 64;
constexpr double kMostPerHour = 1e6;  // dollars; above it the number is not an hourly price

// Columns of the first form; SkyPilot's are looked up by name.
constexpr std::array<std::string_view, 6> kOwnColumns = {"device", "region", "on_demand_per_device_hour", "spot_per_device_hour",
                                                         "date",   "source"};

struct Header {
    std::vector<std::string> names;

    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) return std::nullopt;
        return static_cast<std::size_t>(found - names.begin());
    }
    [[nodiscard]] std::string_view cell(const published::CsvRecord& record, std::string_view name) const {
        const auto column = find(name);
        return column && *column < record.cells.size() ? std::string_view(record.cells[*column]) : std::string_view();
    }
};

std::string place(std::string_view where, std::size_t line, std::string_view column) {
    return column.empty() ? fmt::format("{}:{}", where, line) : fmt::format("{}:{}: {}", where, line, column);
}

// The catalog look-up of thousands of lines, once per spelling.
class DeviceKeys {
public:
    const std::string& of(std::string_view name) {
        const auto found = known_.find(name);
        if (found != known_.end()) return found->second;
        return known_.emplace(std::string(name), device_key(name)).first->second;
    }

private:
    std::map<std::string, std::string, std::less<>> known_;
};

Result<std::optional<Dollars>> own_price(std::string_view text, const std::string& at) {
    if (text.empty()) return std::nullopt;
    const auto price = parse_dollars(text);
    if (!price) return bad_input(price.error().message, at, price.error().hint);
    if (price->value <= 0 || price->value > kMostPerHour)
        return bad_input(fmt::format("'{}' is not an hourly price", printable(text, 40)), at,
                         "write dollars per device and hour");
    return *price;
}

Result<void> read_own(const Header& header, const published::CsvRecord& record, DeviceKeys& keys, PriceTable& table) {
    PriceQuote quote;
    const std::string_view name = header.cell(record, "device");
    quote.device = keys.of(name);
    if (quote.device.empty()) {
        const auto error = find_device(name).error();
        return bad_input(error.message, place(table.where, record.line, "device"), error.hint);
    }
    const auto on_demand = own_price(header.cell(record, kOwnColumns[2]), place(table.where, record.line, kOwnColumns[2]));
    if (!on_demand) return tl::unexpected(on_demand.error());
    const auto spot = own_price(header.cell(record, kOwnColumns[3]), place(table.where, record.line, kOwnColumns[3]));
    if (!spot) return tl::unexpected(spot.error());
    if (!*on_demand && !*spot)
        return bad_input("the line states no price", place(table.where, record.line, {}), "add one or remove it");
    quote.on_demand = *on_demand;
    quote.spot = *spot;
    quote.region = header.cell(record, "region");
    quote.date = header.cell(record, "date");
    quote.source = header.cell(record, "source");
    quote.line = record.line;
    table.quotes.push_back(std::move(quote));
    return {};
}

// A bare number of dollars or devices; 0 where the cell is empty.
Result<double> bare_number(std::string_view text, const std::string& at) {
    if (text.empty()) return 0.0;
    double value = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || stop != text.data() + text.size() || !std::isfinite(value) || value < 0 || value > kMostPerHour)
        return bad_input(fmt::format("'{}' is not a number from 0 to {:.0f}", printable(text, 40), kMostPerHour), at);
    return value;
}

// "A100" of these catalogs is the 40 GB part, "A100-80GB" the other one.
std::string_view sky_name(std::string_view accelerator) {
    return accelerator == "A100" ? std::string_view("A100-40GB") : accelerator;
}

Result<void> read_sky(const Header& header, const published::CsvRecord& record, DeviceKeys& keys, PriceTable& table) {
    std::array<double, 3> numbers{};
    constexpr std::array<std::string_view, 3> kNumbers = {"AcceleratorCount", "Price", "SpotPrice"};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto number = bare_number(header.cell(record, kNumbers[i]), place(table.where, record.line, kNumbers[i]));
        if (!number) return tl::unexpected(number.error());
        numbers[i] = *number;
    }
    const auto [count, price, spot] = numbers;
    const std::string_view name = header.cell(record, "AcceleratorName");
    constexpr double kLeastCount = 0.01;  // shares of a device are sold too
    if (name.empty() || count < kLeastCount || (price <= 0 && spot <= 0)) {
        ++table.skipped;
        return {};
    }
    const std::string& key = keys.of(sky_name(name));
    if (key.empty()) {
        ++table.skipped;
        std::string shown = printable(name, 40);
        if (std::find(table.unknown.begin(), table.unknown.end(), shown) == table.unknown.end() && table.unknown.size() < 1000)
            table.unknown.push_back(std::move(shown));
        return {};
    }
    PriceQuote quote;
    quote.device = key;
    quote.instance = header.cell(record, "InstanceType");
    quote.region = header.cell(record, "Region");
    if (price > 0) quote.on_demand = Dollars{price / count};
    if (spot > 0) quote.spot = Dollars{spot / count};
    quote.source = "SkyPilot catalog";
    quote.line = record.line;
    table.quotes.push_back(std::move(quote));
    return {};
}

Result<bool> is_sky(const Header& header, std::string_view where) {
    for (const std::string& name : header.names) {
        if (!name.empty() && std::count(header.names.begin(), header.names.end(), name) > 1)
            return bad_input(fmt::format("the column '{}' comes twice", printable(name, 40)), place(where, 1, {}));
    }
    if (header.find("AcceleratorName") && header.find("AcceleratorCount") && (header.find("Price") || header.find("SpotPrice")))
        return true;
    if (!header.find("device") || (!header.find(kOwnColumns[2]) && !header.find(kOwnColumns[3]))) {
        return bad_input("these are not the columns of a price file", place(where, 1, {}),
                         "begin with the line device,region,on_demand_per_device_hour,spot_per_device_hour,date,source");
    }
    for (const std::string& name : header.names) {
        if (std::find(kOwnColumns.begin(), kOwnColumns.end(), name) == kOwnColumns.end())
            return bad_input(fmt::format("the column '{}' is not known", printable(name, 40)), place(where, 1, {}));
    }
    return false;
}

}  // namespace

Result<PriceTable> parse_prices(std::string_view text, std::string_view where) {
    if (const std::size_t broken = invalid_utf8_at(text); broken != std::string_view::npos) {
        const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(broken), '\n');
        return bad_input("the text is not UTF-8", place(where, static_cast<std::size_t>(line), {}),
                         "save the file as UTF-8 text");
    }
    published::CsvReader reader(text, where);
    published::CsvRecord record;
    const auto first = reader.next(record);
    if (!first) return tl::unexpected(first.error());
    if (!*first) return bad_input("the file is empty", std::string(where), "it needs a line of column names");
    if (record.cells.size() > kMostColumns)
        return bad_input(fmt::format("{} columns, more than {}", record.cells.size(), kMostColumns), place(where, 1, {}));
    const Header header{record.cells};
    const auto sky = is_sky(header, where);
    if (!sky) return tl::unexpected(sky.error());
    PriceTable table;
    table.where = where;
    DeviceKeys keys;
    while (true) {
        const auto more = reader.next(record);
        if (!more) return tl::unexpected(more.error());
        if (!*more) break;
        if (record.cells.size() != header.names.size()) {
            return bad_input(fmt::format("{} cells under {} columns", record.cells.size(), header.names.size()),
                             place(where, record.line, {}), "quote cells that hold commas");
        }
        const auto read = *sky ? read_sky(header, record, keys, table) : read_own(header, record, keys, table);
        if (!read) return tl::unexpected(read.error());
    }
    if (table.quotes.empty()) return bad_input("no line gives the price of a device of the catalog", std::string(where));
    return table;
}

Result<PriceTable> read_prices(const std::string& path) {
    return read_text_file(path, kLargestPriceFile).and_then([&](const std::string& text) { return parse_prices(text, path); });
}

std::optional<PriceQuote> cheapest(const PriceTable& prices, std::string_view device, bool spot) {
    const std::string key = device_key(device);
    const PriceQuote* best = nullptr;
    Dollars lowest;
    for (const PriceQuote& quote : prices.quotes) {
        const std::optional<Dollars> price = spot ? quote.spot : quote.on_demand;
        if (quote.device != key || !price || (best != nullptr && *price >= lowest)) continue;
        best = &quote;
        lowest = *price;
    }
    if (best == nullptr) return std::nullopt;
    return *best;
}

void apply_prices(const PriceTable& prices, Cluster& cluster) {
    if (cluster.price_per_device_hour.value.value > 0) return;
    const auto quote = cheapest(prices, cluster.device.name);
    if (quote && quote->on_demand) cluster.price_per_device_hour = {*quote->on_demand, Provenance::datasheet};
}

}  // namespace ndtune::profiles

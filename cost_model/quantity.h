#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cost_model/result.h"
#include "cost_model/units.h"

namespace ndtune {

// Quantities as people write them. A unit is required wherever one matters: "400Gb/s" (bits) is not "400GB/s" (bytes).
// Errors name the text, what is wrong with it and an example that would do.

/// "80GiB", "80GB", "512 MiB".
Result<Bytes> parse_bytes(std::string_view text);
/// "450GB/s", "400Gb/s", "50 GiB/s".
Result<BytesPerSecond> parse_bandwidth(std::string_view text);
/// "3us", "1.5ms", "30d", "12h".
Result<Seconds> parse_duration(std::string_view text);
/// "$2M", "$2.49", "$800k".
Result<Dollars> parse_dollars(std::string_view text);
/// A plain count with an optional suffix: "8192", "8k" (8192 for sequence lengths: see parse_length), "2T", "1.5B".
Result<double> parse_count(std::string_view text);
/// A sequence length: as parse_count, but "8k" is 8 x 1024.
Result<std::int64_t> parse_length(std::string_view text);
/// "989TFLOP/s".
Result<FlopsPerSecond> parse_flops_rate(std::string_view text);

/// For people: 3 significant digits by magnitude, with unit: "58.6 GiB", "36.1 s", "431 ms", "$1.34M", "70.6 B".
std::string format_bytes(Bytes bytes);
std::string format_duration(Seconds seconds);
std::string format_bandwidth(BytesPerSecond rate);
std::string format_dollars(Dollars dollars);
std::string format_count(double count);

}  // namespace ndtune

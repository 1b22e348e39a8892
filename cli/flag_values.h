#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cost_model/device.h"
#include "cost_model/result.h"
#include "search/search.h"

namespace ndtune::cli {

// Texts of flags into values. Every error names its flag in `where`.

/// A whole number within [min, max].
Result<int> parse_int(std::string_view text, std::string_view flag, int min, int max);
/// "8k": tokens per sequence, 1 to 2^24.
Result<std::int64_t> parse_seq(std::string_view text);
/// "512" sequences or "4Mtok" tokens, which must be a multiple of `seq`. At most 2^24 sequences.
Result<std::int64_t> parse_batch(std::string_view text, std::int64_t seq);
Result<Precision> parse_precision(std::string_view text);
/// "5%": a share below 100 %.
Result<double> parse_share(std::string_view text, std::string_view flag);
/// One of the words of a flag such as --format, or the nearest as a hint.
Result<std::string> parse_choice(std::string_view text, std::string_view flag, const std::vector<std::string_view>& choices);

/// What a search starts from when no report says otherwise.
search::Options default_options();
/// The flags that shape the search, laid over `options`: those left out change nothing.
Result<search::Options> search_options(const SearchCommand& command, search::Options options);

/// What --gpus asks for: a range to choose sizes from, or the sizes themselves.
struct GpuSizes {
    int low = 1;
    int high = 1;
    std::vector<int> listed;  ///< ascending; empty: choose from low to high

    bool operator==(const GpuSizes&) const = default;
};
/// "8:4096", "8:4096:8" (every 8) or "64,128,256"; at most 4096 sizes.
Result<GpuSizes> parse_gpus(std::string_view text);
/// "a,b,c".
std::vector<std::string_view> split_list(std::string_view text);

}  // namespace ndtune::cli

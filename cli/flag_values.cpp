#include "cli/flag_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include "cli/suggest.h"
#include "cost_model/quantity.h"
#include "reports/enum_names.h"
#include "search/axis_limit.h"

namespace ndtune::cli {
namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 24;  // tokens of a sequence, sequences of a batch: far above any run
constexpr int kLargestCluster = 1 << 20;                      // as make_cluster
// Memory kept free unless --margin says otherwise: the prediction is 1 to 2 % off on PyTorch runs (tests/validation/accuracy.md),
// and a cache that fills to the last GiB retries and fragments.
constexpr double kDefaultMargin = 0.05;
constexpr std::size_t kMostClusters = 4096;

/// Puts the flag in front of the place an error names.
template <class T>
Result<T> at_flag(Result<T> result, std::string_view flag) {
    if (!result)
        result.error().where =
            result.error().where.empty() ? std::string(flag) : fmt::format("{}, {}", flag, result.error().where);
    return result;
}

template <class E>
std::vector<std::string_view> enum_names() {
    std::vector<std::string_view> names;
    names.reserve(reports::kCount<E>);
    for (int i = 0; i < reports::kCount<E>; ++i) names.push_back(reports::name(static_cast<E>(i)));
    return names;
}

template <class E>
Result<E> parse_name(std::string_view text, std::string_view flag) {
    return parse_choice(text, flag, enum_names<E>()).map([](const std::string& word) { return *reports::parse_enum<E>(word); });
}

Result<std::int64_t> at_most(std::int64_t value, std::string_view what, std::string_view flag) {
    if (value <= kLargestSize) return value;
    return bad_input(fmt::format("{} {} is above {}", what, value, kLargestSize), std::string(flag),
                     "check the number and its suffix");
}

Result<void> add_limits(const SearchCommand& command, search::Options& options) {
    for (const auto& [texts, flag] : {std::pair{&command.fix, "--fix"}, std::pair{&command.limit, "--limit"}}) {
        for (const std::string& text : *texts) {
            const auto limit = at_flag(search::parse_limit(text), flag);
            if (!limit) return tl::unexpected(limit.error());
            if (flag == std::string_view("--fix") && limit->min != limit->max) {
                return bad_input(fmt::format("'{}' does not fix an axis", text), flag, "--fix tp=8, or --limit for a range");
            }
            options.limits.push_back(*limit);
        }
    }
    return {};
}

Result<void> add_rules(const SearchCommand& command, search::Options& options) {
    for (const std::string& text : command.within_node) {
        const auto axis = parse_name<Axis>(text, "--within-node");
        if (!axis) return tl::unexpected(axis.error());
        options.within_node.push_back(*axis);
    }
    for (const std::string& text : command.no_rule) {
        const auto rule = parse_name<search::Rule>(text, "--no-rule");
        if (!rule) return tl::unexpected(rule.error());
        options.disabled_rules.push_back(*rule);
    }
    return {};
}

tl::unexpected<Error> bad_range(std::string_view text, std::string_view why) {
    return bad_input(fmt::format("'{}' is not a range of cluster sizes: {}", text, why), "--gpus",
                     "8:4096, 8:4096:8 or 64,128,256");
}

}  // namespace

Result<int> parse_int(std::string_view text, std::string_view flag, int min, int max) {
    int value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = code != std::errc::invalid_argument && end == text.data() + text.size();
    if (!whole || code == std::errc::result_out_of_range || value < min || value > max) {
        return bad_input(fmt::format("'{}' is not a whole number from {} to {}", text, min, max), std::string(flag),
                         fmt::format("{} {}", flag, std::max(min, std::min(max, 8))));
    }
    return value;
}

Result<std::int64_t> parse_seq(std::string_view text) {
    return at_flag(parse_length(text), "--seq").and_then([](std::int64_t seq) {
        return at_most(seq, "sequence length", "--seq");
    });
}

Result<std::int64_t> parse_batch(std::string_view text, std::int64_t seq) {
    std::string_view number = text;
    const std::size_t unit = std::min(text.find("tok"), text.size());
    const std::string_view suffix = text.substr(unit);
    const bool tokens = suffix == "tok" || suffix == "toks" || suffix == "token" || suffix == "tokens";
    if (tokens) number = text.substr(0, unit);
    auto count = at_flag(parse_length(number), "--batch");
    if (!count) {
        count.error().message =
            fmt::format("'{}' is not a batch: it must be a whole number of sequences or tokens, at least 1", text);
        count.error().hint = "512 (sequences) or 4Mtok (tokens, M = 1024 x 1024)";
        return count;
    }
    if (!tokens) return at_most(*count, "batch", "--batch");
    if (*count % seq != 0) {
        const std::int64_t below = *count / seq;
        return bad_input(fmt::format("{} tokens are {:.2f} sequences of {} tokens, not a whole number", *count,
                                     static_cast<double>(*count) / static_cast<double>(seq), seq),
                         "--batch",
                         below == 0
                             ? fmt::format("at least {}tok", seq)
                             : fmt::format("the nearest are --batch {} ({} tokens) and {}", below, below * seq, below + 1));
    }
    return at_most(*count / seq, "batch", "--batch");
}

Result<Precision> parse_precision(std::string_view text) {
    return parse_name<Precision>(text, "--precision");
}

Result<double> parse_share(std::string_view text, std::string_view flag) {
    double percent = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), percent);
    const bool read = code == std::errc{} && std::string_view(end, text.data() + text.size()) == "%";
    const bool share = read && percent >= 0 && percent < 100;  // false for NaN
    if (!share) {
        return bad_input(fmt::format("'{}' is not a share from 0% to below 100%", text), std::string(flag),
                         fmt::format("{} 5%", flag));
    }
    return percent / 100;
}

Result<std::string> parse_choice(std::string_view text, std::string_view flag, const std::vector<std::string_view>& choices) {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return std::string(text);
    const std::string_view near = nearest(text, choices);
    return bad_input(fmt::format("'{}' is none of {}", text, fmt::join(choices, ", ")), std::string(flag),
                     near.empty() ? fmt::format("e.g. {}", choices.front()) : fmt::format("{}?", near));
}

search::Options default_options() {
    search::Options options;
    options.memory_margin = kDefaultMargin;
    return options;
}

Result<search::Options> search_options(const SearchCommand& command, search::Options options) {
    if (command.objective) {
        const auto objective = parse_name<search::Objective>(*command.objective, "--objective");
        if (!objective) return tl::unexpected(objective.error());
        options.objective = *objective;
    }
    if (command.margin) {
        const auto margin = parse_share(*command.margin, "--margin");
        if (!margin) return tl::unexpected(margin.error());
        options.memory_margin = *margin;
    }
    for (const auto& [text, flag, min, max, out] : {std::tuple{&command.top, "--top", 1, 100000, &options.top},
                                                    std::tuple{&command.threads, "--threads", 1, 1024, &options.threads}}) {
        if (!*text) continue;
        const auto value = parse_int(**text, flag, min, max);
        if (!value) return tl::unexpected(value.error());
        *out = *value;
    }
    if (command.no_bounds) options.bounds = false;
    if (const auto added = add_limits(command, options); !added) return tl::unexpected(added.error());
    if (const auto added = add_rules(command, options); !added) return tl::unexpected(added.error());
    return options;
}

std::vector<std::string_view> split_list(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t comma = text.find(',');
        parts.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

Result<GpuSizes> parse_gpus(std::string_view text) {
    const bool range = text.find(':') != std::string_view::npos;
    std::string commas(text);
    std::replace(commas.begin(), commas.end(), ':', ',');
    std::vector<int> numbers;
    for (const std::string_view part : split_list(commas)) {
        const auto number = parse_int(part, "--gpus", 1, kLargestCluster);
        if (!number) return tl::unexpected(number.error());
        numbers.push_back(*number);
    }
    if (range && numbers.size() == 2 && numbers[0] <= numbers[1]) return GpuSizes{numbers[0], numbers[1], {}};
    if (range && numbers[0] > numbers[1]) return bad_range(text, fmt::format("{} is above {}", numbers[0], numbers[1]));
    if (range && numbers.size() > 3) return bad_range(text, "more than LOW:HIGH:STEP");
    if (range) {
        const auto [low, high, step] = std::tuple{numbers[0], numbers[1], numbers[2]};
        numbers.clear();
        for (std::int64_t n = low; n <= high && numbers.size() <= kMostClusters; n += step)
            numbers.push_back(static_cast<int>(n));
    }
    if (numbers.size() > kMostClusters) return bad_range(text, fmt::format("more than {} sizes", kMostClusters));
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return GpuSizes{numbers.front(), numbers.back(), numbers};
}

}  // namespace ndtune::cli

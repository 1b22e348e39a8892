#include "cost_model/quantity.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

namespace ndtune {
namespace {

// Far above any machine, far below the end of int64: sums of a few thousand of them cannot overflow.
constexpr double kLargestBytes = 1e18;
constexpr double kLargestLength = 1099511627776.0;  // 2^40 tokens
constexpr std::size_t kLongestText = 64;

struct NumberAndUnit {
    double number = 0;
    std::string_view unit;
};

struct Example {
    std::string_view what;
    std::string_view text;
};

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const auto first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Control characters and bytes outside ASCII are shown as '?', so that an error is always one printable line.
std::string shown(std::string_view text) {
    std::string out(text.substr(0, kLongestText));
    for (char& c : out)
        if (c < ' ' || c > '~') c = '?';
    return text.size() > kLongestText ? out + "..." : out;
}

tl::unexpected<Error> refuse(std::string_view text, std::string_view why, const Example& example) {
    return bad_input(fmt::format("'{}' is not {}: {}", shown(text), example.what, why), {},
                     fmt::format("write it like {}", example.text));
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

Result<NumberAndUnit> split(std::string_view whole, std::string_view text, const Example& example) {
    text = trim(text);
    if (text.empty()) return refuse(whole, "the number is missing", example);
    if (text.front() == '-') return refuse(whole, "it must not be negative", example);
    if (!is_digit(text.front()) && text.front() != '.') return refuse(whole, "it must begin with a number", example);
    NumberAndUnit out;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out.number);
    if (code == std::errc::result_out_of_range) return refuse(whole, "the number is out of range", example);
    if (code != std::errc{}) return refuse(whole, "it must begin with a number", example);
    out.unit = trim(text.substr(static_cast<std::size_t>(end - text.data())));
    if (!out.unit.empty() && (out.unit.front() == ',' || out.unit.front() == '_' || out.unit.front() == '.'))
        return refuse(whole, "digits are written without separators", example);
    return out;
}

struct Prefix {
    double factor = 1;
    std::size_t length = 0;
    bool binary = false;
};

// "G" -> 1e9, "Gi" -> 2^30, none -> 1. Small letters other than k are not prefixes of large numbers.
Prefix read_prefix(std::string_view unit) {
    constexpr std::string_view kLetters = "kMGTPE";
    if (unit.empty()) return {};
    const auto power = kLetters.find(unit.front() == 'K' ? 'k' : unit.front());
    if (power == std::string_view::npos) return {};
    const bool binary = unit.size() > 1 && unit[1] == 'i' && (unit.size() < 3 || unit[2] != 't');
    return {std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1)), binary ? 2U : 1U, binary};
}

Result<double> scaled(std::string_view text, double number, double factor, double limit, const Example& example) {
    const double value = number * factor;
    if (!std::isfinite(value) || value > limit) return refuse(text, "the number is out of range", example);
    return value;
}

std::optional<double> byte_factor(std::string_view unit) {
    const Prefix prefix = read_prefix(unit);
    const auto rest = unit.substr(prefix.length);
    if (rest == "B" || rest == "byte" || rest == "bytes" || rest == "Byte") return prefix.factor;
    return std::nullopt;
}

// Per second; nothing where the unit is not a rate. Bits are eighths of bytes.
std::optional<double> rate_factor(std::string_view unit) {
    const Prefix prefix = read_prefix(unit);
    const auto rest = unit.substr(prefix.length);
    if (rest == "B/s" || rest == "Bps" || rest == "Byte/s") return prefix.factor;
    if (rest == "b/s" || rest == "bps" || rest == "bit/s") return prefix.factor / 8;
    return std::nullopt;
}

std::string lowered(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::optional<double> second_factor(std::string_view unit) {
    struct Row {
        std::string_view name;
        double seconds;
    };
    static constexpr std::array<Row, 21> kRows = {
        {{"ns", 1e-9},        {"us", 1e-6},         {"\xC2\xB5s", 1e-6}, {"\xCE\xBCs", 1e-6}, {"ms", 1e-3},    {"s", 1},
         {"sec", 1},          {"seconds", 1},       {"min", 60},         {"minutes", 60},     {"h", 3600},     {"hr", 3600},
         {"hours", 3600},     {"hour", 3600},       {"d", 86400},        {"day", 86400},      {"days", 86400}, {"w", 7 * 86400.0},
         {"week", 7 * 86400}, {"weeks", 7 * 86400}, {"wk", 7 * 86400}}};
    for (const Row& row : kRows)
        if (unit == row.name) return row.seconds;
    return std::nullopt;
}

std::optional<double> count_factor(std::string_view unit) {
    if (unit.empty()) return 1.0;
    const std::string u = lowered(unit);
    if (u == "k") return 1e3;
    if (u == "m") return 1e6;
    if (u == "b" || u == "bn" || u == "g") return 1e9;
    if (u == "t") return 1e12;
    return std::nullopt;
}

// Three significant digits: 5.86, 58.6, 586.
std::string three_digits(double x) {
    if (x >= 99.95) return fmt::format("{:.0f}", x);
    if (x >= 9.995) return fmt::format("{:.1f}", x);
    return fmt::format("{:.2f}", x);
}

// The largest unit in which the rounded value is at least 1.
template <std::size_t N>
std::string by_magnitude(double x, double base, const std::array<std::string_view, N>& units, std::string_view gap) {
    std::size_t unit = 0;
    const double last = base == 1000.0 ? 999.5 : 1023.5;
    while (unit + 1 < N && x >= last) {
        x /= base;
        ++unit;
    }
    if (unit == 0 && x == std::floor(x)) return fmt::format("{:.0f}{}{}", x, units[0].empty() ? "" : gap, units[0]);
    return fmt::format("{}{}{}", three_digits(x), units[unit].empty() ? "" : gap, units[unit]);
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text) {
    constexpr Example kExample{"a size in bytes", "\"80GiB\" or \"80GB\""};
    const auto parts = split(text, text, kExample);
    if (!parts) return tl::unexpected(parts.error());
    if (parts->unit.empty()) return refuse(text, "the unit is missing", kExample);
    const auto factor = byte_factor(parts->unit);
    if (!factor) {
        const bool bits = parts->unit.back() == 'b';
        return refuse(text, bits ? "a small b means bits" : "the unit must be one of B, kB, MB, GB, TB, KiB, MiB, GiB, TiB",
                      kExample);
    }
    return scaled(text, parts->number, *factor, kLargestBytes, kExample).map([](double x) {
        return Bytes{static_cast<std::int64_t>(std::llround(x))};
    });
}

Result<BytesPerSecond> parse_bandwidth(std::string_view text) {
    constexpr Example kExample{"a bandwidth", "\"450GB/s\" (bytes) or \"400Gb/s\" (bits)"};
    const auto parts = split(text, text, kExample);
    if (!parts) return tl::unexpected(parts.error());
    if (parts->unit.empty()) return refuse(text, "the unit is missing", kExample);
    const auto factor = rate_factor(parts->unit);
    if (!factor) return refuse(text, "the unit must say bytes or bits per second, e.g. GB/s, GiB/s, Gb/s", kExample);
    return scaled(text, parts->number, *factor, kLargestBytes, kExample).map([](double x) { return BytesPerSecond{x}; });
}

Result<Seconds> parse_duration(std::string_view text) {
    constexpr Example kExample{"a duration", "\"3us\", \"1.5ms\", \"12h\" or \"30d\""};
    const auto parts = split(text, text, kExample);
    if (!parts) return tl::unexpected(parts.error());
    if (parts->unit.empty()) return refuse(text, "the unit is missing", kExample);
    const auto factor = second_factor(parts->unit);
    if (!factor) {
        return refuse(text,
                      parts->unit == "m" ? "m could be minutes or months" : "the unit must be ns, us, ms, s, min, h, d or w",
                      kExample);
    }
    return scaled(text, parts->number, *factor, 1e15, kExample).map([](double x) { return Seconds{x}; });
}

Result<Dollars> parse_dollars(std::string_view text) {
    constexpr Example kExample{"an amount of dollars", "\"$2.49\", \"$800k\" or \"$2M\""};
    std::string_view amount = trim(text);
    if (amount.empty() || amount.front() != '$') return refuse(text, "it must begin with $", kExample);
    const auto parts = split(text, amount.substr(1), kExample);
    if (!parts) return tl::unexpected(parts.error());
    const auto factor = count_factor(parts->unit);
    if (!factor) return refuse(text, "only k, M, B or T may follow the number", kExample);
    return scaled(text, parts->number, *factor, 1e18, kExample).map([](double x) { return Dollars{x}; });
}

Result<double> parse_count(std::string_view text) {
    constexpr Example kExample{"a count", "\"8192\", \"15k\" (thousand), \"1.5B\" or \"2T\""};
    const auto parts = split(text, text, kExample);
    if (!parts) return tl::unexpected(parts.error());
    const auto factor = count_factor(parts->unit);
    if (!factor) return refuse(text, "only k, M, B or T may follow the number", kExample);
    return scaled(text, parts->number, *factor, 1e24, kExample);
}

Result<std::int64_t> parse_length(std::string_view text) {
    constexpr Example kExample{"a sequence length", "\"8192\" or \"8k\" (8 x 1024)"};
    const auto parts = split(text, text, kExample);
    if (!parts) return tl::unexpected(parts.error());
    const std::string unit = lowered(parts->unit);
    if (!unit.empty() && unit != "k" && unit != "ki" && unit != "m" && unit != "mi")
        return refuse(text, "only k (x 1024) or M (x 1024 x 1024) may follow the number", kExample);
    const double factor = unit.empty() ? 1.0 : unit.front() == 'k' ? kKiB : kMiB;
    const auto value = scaled(text, parts->number, factor, kLargestLength, kExample);
    if (!value) return tl::unexpected(value.error());
    if (*value < 1 || *value != std::floor(*value))
        return refuse(text, "it must be a whole number of tokens, at least 1", kExample);
    return static_cast<std::int64_t>(*value);
}

Result<FlopsPerSecond> parse_flops_rate(std::string_view text) {
    constexpr Example kExample{"a compute rate", "\"989TFLOP/s\""};
    const auto parts = split(text, text, kExample);
    if (!parts) return tl::unexpected(parts.error());
    if (parts->unit.empty()) return refuse(text, "the unit is missing", kExample);
    const Prefix prefix = read_prefix(parts->unit);
    const std::string rest = lowered(parts->unit.substr(prefix.length));
    if (prefix.binary || (rest != "flop/s" && rest != "flops" && rest != "flops/s"))
        return refuse(text, "the unit must be GFLOP/s, TFLOP/s or PFLOP/s", kExample);
    return scaled(text, parts->number, prefix.factor, 1e24, kExample).map([](double x) { return FlopsPerSecond{x}; });
}

std::string format_bytes(Bytes bytes) {
    constexpr std::array<std::string_view, 6> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    const double x = static_cast<double>(bytes.value);
    return x < 0 ? "-" + by_magnitude(-x, 1024.0, kUnits, " ") : by_magnitude(x, 1024.0, kUnits, " ");
}

std::string format_bandwidth(BytesPerSecond rate) {
    constexpr std::array<std::string_view, 6> kUnits = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
    return by_magnitude(rate.value, 1000.0, kUnits, " ");
}

std::string format_dollars(Dollars dollars) {
    constexpr std::array<std::string_view, 5> kUnits = {"", "k", "M", "B", "T"};
    if (dollars.value < 99.995) return fmt::format("${:.2f}", dollars.value);
    return "$" + by_magnitude(dollars.value, 1000.0, kUnits, "");
}

std::string format_count(double count) {
    constexpr std::array<std::string_view, 5> kUnits = {"", "k", "M", "B", "T"};
    return by_magnitude(count, 1000.0, kUnits, " ");
}

std::string format_duration(Seconds seconds) {
    const double s = seconds.value;
    if (!std::isfinite(s)) return "unbounded";
    if (s < 0) return "-" + format_duration(Seconds{-s});
    if (s == 0) return "0 s";
    if (s < 999.5e-9) return three_digits(s * 1e9) + " ns";
    if (s < 999.5e-6) return three_digits(s * 1e6) + " us";
    if (s < 0.9995) return three_digits(s * 1e3) + " ms";
    if (s < 300) return three_digits(s) + " s";
    if (s < 2 * 3600) return three_digits(s / 60) + " min";
    if (s < 2 * 86400.0) return three_digits(s / 3600) + " h";
    return three_digits(s / 86400) + " days";
}

}  // namespace ndtune

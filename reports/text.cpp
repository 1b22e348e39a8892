#include "reports/text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ndtune::reports {

std::string sig3(double value) {
    if (!std::isfinite(value)) return "-";
    const double size = std::abs(value);
    if (size >= 99.95) return fmt::format("{:.0f}", value);
    if (size >= 9.995) return fmt::format("{:.1f}", value);
    if (size >= 0.9995) return fmt::format("{:.2f}", value);
    if (size >= 0.09995) return fmt::format("{:.3f}", value);
    if (size >= 0.009995) return fmt::format("{:.4f}", value);
    if (size >= 0.00005) return fmt::format("{:.5f}", value);
    return "0";
}

std::string sig3_like(double value, double total, int more) {
    const std::string model = sig3(total);
    const std::size_t point = model.find('.');
    const int decimals = point == std::string::npos ? 0 : static_cast<int>(model.size() - point) - 1;
    return fmt::format("{:.{}f}", value, decimals + more);
}

std::string short_count(double value) {
    if (value >= 999.5e9) return sig3(value / 1e12) + "T";
    if (value >= 999.5e6) return sig3(value / 1e9) + "B";
    if (value >= 999.5e3) return sig3(value / 1e6) + "M";
    if (value >= 999.5) return sig3(value / 1e3) + "k";
    return sig3(value);
}

std::string grouped(std::uint64_t value) {
    std::string digits = std::to_string(value);
    for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
    return digits;
}

std::string power_of_ten(double value) {
    std::string text = fmt::format("{:.2e}", value);
    if (const std::size_t at = text.find("e+"); at != std::string::npos) text.erase(at + 1, text[at + 2] == '0' ? 2 : 1);
    return text;
}

std::string percent(double share) {
    const double value = 100 * share;
    return std::abs(value) >= 99.95 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
}

double in_gib(Bytes bytes) {
    return static_cast<double>(bytes.value) / kGiB;
}

std::string gib(Bytes bytes) {
    return sig3(in_gib(bytes));
}

std::string plural(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string printable(std::string_view text) {
    std::string clean(text);
    std::replace_if(clean.begin(), clean.end(), [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }, '?');
    return clean;
}

std::string markdown_text(std::string_view text) {
    std::string escaped;
    for (const char c : printable(text)) {
        if (std::string_view("\\`*_|<>[]").find(c) != std::string_view::npos) escaped += '\\';
        escaped += c;
    }
    return escaped;
}

}  // namespace ndtune::reports

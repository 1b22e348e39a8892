#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reports/explain.h"
#include "reports/report.h"

// Whatever the bytes: a sentence that says what is wrong, or a report that every writer can print and that reads back equal.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ndtune::reports;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto report = parse_report(text, "report.json");
    if (!report) {
        if (report.error().message.empty()) __builtin_trap();
        return 0;
    }
    const std::string json = to_json(*report);
    const auto again = parse_report(json, "again.json");
    if (!again || to_json(*again) != json) __builtin_trap();
    ConsoleStyle style;
    style.verbosity = 1;
    if (to_console(*report, style).empty() || to_csv(*report).empty() || to_markdown(*report).empty()) __builtin_trap();
    const auto explanation = explain(*report, 0, style);
    if (explanation ? explanation->empty() : explanation.error().message.empty()) __builtin_trap();
    return 0;
}

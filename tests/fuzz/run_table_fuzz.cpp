// A table of published runs: read, mapped, predicted, scored and written. Nothing a file says may crash any of it.
#include <cstdint>
#include <string_view>

#include "profiles/published/csv.h"
#include "profiles/published/validation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ndtune::published;
    const auto result = validate({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
    if (!result) return 0;
    if (result->predictions.size() != result->runs.size()) __builtin_trap();
    // What is written reads back as as many records of seven cells.
    const std::string text = to_csv(result->predictions);
    CsvReader reader(text, "written.csv");
    CsvRecord record;
    std::size_t records = 0;
    for (auto more = reader.next(record); more && *more; more = reader.next(record), ++records)
        if (record.cells.size() != 7) __builtin_trap();
    if (records != result->runs.size() + 1) __builtin_trap();
    return to_text(result->accuracy).empty() || summary_text(*result).empty() ? 1 : 0;
}

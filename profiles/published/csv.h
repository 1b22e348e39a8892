#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/result.h"

namespace ndtune::published {

/// One record of a CSV text and the line it starts on (1 = first).
struct CsvRecord {
    std::size_t line = 0;
    std::vector<std::string> cells;
};

/// Reads RFC 4180 records one after another: quoted cells may hold commas, doubled quotes and line breaks; lines end in LF or
/// CRLF; a byte order mark and blank lines are skipped.
class CsvReader {
public:
    /// `text` must outlive the reader; `where` names it in errors.
    CsvReader(std::string_view text, std::string_view where);

    /// The next record into `record`; false at the end of the text. Errors (file:line): a quote that is never closed, text after
    /// a closing quote, a NUL byte.
    Result<bool> next(CsvRecord& record);

private:
    Result<std::string> quoted_cell();
    std::string plain_cell();
    [[nodiscard]] std::string place(std::size_t line) const;

    std::string_view text_;
    std::string where_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

/// Whether the bytes are UTF-8; otherwise the offset of the first one that is not.
struct Utf8Check {
    bool valid = true;
    std::size_t offset = 0;
};
Utf8Check check_utf8(std::string_view text);

/// The cell as it must be written: quoted where it holds a comma, a quote or a line break.
std::string csv_cell(std::string_view cell);

}  // namespace ndtune::published

#pragma once

#include <string>
#include <vector>

namespace ndtune::reports {

/// A plain text table: fixed columns two spaces apart, numbers to the right, no line longer than needed.
class Table {
public:
    enum class Align { left, right };
    void column(std::string header, Align align = Align::right);
    void row(std::vector<std::string> cells);
    /// Lines indented by two spaces, each with its newline; with `unicode` a rule under the header. Where lines would be longer
    /// than `width`, a last column of text is wrapped.
    [[nodiscard]] std::string text(bool unicode, std::size_t width = 1000) const;
    /// Of the longest line, in characters.
    [[nodiscard]] std::size_t width() const;

private:
    struct Column {
        std::string header;
        Align align;
    };
    [[nodiscard]] std::vector<std::size_t> widths() const;
    [[nodiscard]] std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                                   std::size_t width) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// Breaks `text` at spaces so that no line is wider than `width`; lines after the first are indented by `indent` spaces.
std::string wrap(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace ndtune::reports

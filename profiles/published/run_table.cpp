#include "profiles/published/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "profiles/published/csv.h"

namespace ndtune::published {

namespace {

struct TextColumn {
    std::string_view name;
    std::string Run::* field;
};

constexpr std::array kTexts = {
    TextColumn{"id", &Run::id},
    TextColumn{"framework", &Run::framework},
    TextColumn{"model", &Run::model},
    TextColumn{"gpu", &Run::gpu},
    TextColumn{"interconnect_inter", &Run::network},
    TextColumn{"zero_stage_or_fsdp", &Run::sharding},
    TextColumn{"precision", &Run::precision},
    TextColumn{"activation_ckpt", &Run::recompute},
    TextColumn{"compile", &Run::compile},
    TextColumn{"sp", &Run::seq_shards},
    TextColumn{"notes", &Run::notes},
};

/// A size and the largest value taken as meant; ten-digit hidden sizes are typing errors.
struct SizeColumn {
    std::string_view name;
    std::int64_t Run::* field;
    std::int64_t largest;
};

constexpr std::int64_t kMaxDevices = 1'048'576;
constexpr std::array kSizes = {
    SizeColumn{"n_layers", &Run::layers, 10'000},
    SizeColumn{"hidden", &Run::hidden, 1'000'000},
    SizeColumn{"n_heads", &Run::heads, 100'000},
    SizeColumn{"n_kv_heads", &Run::kv_heads, 100'000},
    SizeColumn{"ffn_hidden", &Run::ffn, 10'000'000},
    SizeColumn{"vocab", &Run::vocab, 100'000'000},
    SizeColumn{"seq_len", &Run::seq_len, 1'000'000'000},
    SizeColumn{"n_gpus", &Run::gpus, kMaxDevices},
    SizeColumn{"gpus_per_node", &Run::gpus_per_node, kMaxDevices},
    SizeColumn{"dp_replicate", &Run::dp_replicate, kMaxDevices},
    SizeColumn{"dp_shard", &Run::dp_shard, kMaxDevices},
    SizeColumn{"cp", &Run::cp, kMaxDevices},
    SizeColumn{"tp", &Run::tp, kMaxDevices},
    SizeColumn{"pp", &Run::pp, kMaxDevices},
    SizeColumn{"ep", &Run::ep, kMaxDevices},
    SizeColumn{"micro_batch", &Run::micro_batch, 1'000'000},
    SizeColumn{"global_batch", &Run::global_batch, 1'000'000'000},
    SizeColumn{"grad_accum", &Run::grad_accum, 1'000'000},
};

struct MeasureColumn {
    std::string_view name;
    std::optional<double> Run::* field;
    double largest;
};

constexpr std::array kMeasures = {
    MeasureColumn{"step_time_s", &Run::step_time_s, 1e9},
    MeasureColumn{"tflops_per_gpu", &Run::tflops_per_gpu, 1e9},
    MeasureColumn{"mfu", &Run::mfu, 1e3},
    MeasureColumn{"peak_mem_gib", &Run::memory_gib, 1e9},
};

constexpr std::string_view kParams = "n_params";
constexpr double kMaxParams = 1e18;

/// Where each known column stands in the header; npos = absent.
struct Header {
    static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);
    std::size_t cells = 0;
    std::size_t params = kAbsent;
    std::array<std::size_t, kTexts.size()> texts{};
    std::array<std::size_t, kSizes.size()> sizes{};
    std::array<std::size_t, kMeasures.size()> measures{};
};

std::string_view trimmed(std::string_view cell) {
    const std::size_t first = cell.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return cell.substr(first, cell.find_last_not_of(" \t") - first + 1);
}

Result<std::size_t> find_column(const CsvRecord& header, std::string_view name, std::string_view where, bool required) {
    std::size_t found = Header::kAbsent;
    for (std::size_t i = 0; i < header.cells.size(); ++i) {
        if (trimmed(header.cells[i]) != name) continue;
        if (found != Header::kAbsent)
            return bad_input(fmt::format("column '{}' stands twice in the header (columns {} and {})", name, found + 1, i + 1),
                             fmt::format("{}:{}", where, header.line), "remove one of them");
        found = i;
    }
    if (found == Header::kAbsent && required)
        return bad_input(fmt::format("column '{}' is missing from the header", name), fmt::format("{}:{}", where, header.line),
                         "name the columns as in tests/data/published_runs.csv; leave cells empty where nothing is known");
    return found;
}

Result<Header> read_header(const CsvRecord& record, std::string_view where) {
    Header header;
    header.cells = record.cells.size();
    const auto locate = [&](std::string_view name, std::size_t& place, bool required) -> Result<void> {
        const Result<std::size_t> found = find_column(record, name, where, required);
        if (!found) return tl::unexpected(found.error());
        place = *found;
        return {};
    };
    for (std::size_t i = 0; i < kTexts.size(); ++i)
        if (auto ok = locate(kTexts[i].name, header.texts[i], true); !ok) return tl::unexpected(ok.error());
    for (std::size_t i = 0; i < kSizes.size(); ++i)
        if (auto ok = locate(kSizes[i].name, header.sizes[i], true); !ok) return tl::unexpected(ok.error());
    for (std::size_t i = 0; i < kMeasures.size(); ++i)
        if (auto ok = locate(kMeasures[i].name, header.measures[i], false); !ok) return tl::unexpected(ok.error());
    if (auto ok = locate(kParams, header.params, true); !ok) return tl::unexpected(ok.error());
    return header;
}

/// A number of a cell: nothing where it is empty or free text (`text` tells which). Errors: negative, infinite, not a number,
/// beyond `largest`.
struct Number {
    std::optional<double> value;
    bool text = false;
};

Result<Number> read_number(std::string_view raw, std::string_view column, double largest, const std::string& place) {
    std::string_view cell = trimmed(raw);
    if (cell.empty()) return Number{};
    if (cell.front() == '+') cell.remove_prefix(1);
    double value = 0;
    const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (status == std::errc::result_out_of_range || (status == std::errc{} && end == cell.data() + cell.size())) {
        if (status != std::errc{} || !std::isfinite(value) || value < 0 || value > largest)
            return bad_input(fmt::format("{} = {} is outside 0 .. {:g}", column, trimmed(raw).substr(0, 40), largest), place,
                             "correct the cell, or leave it empty if the value is not known");
        return Number{value, false};
    }
    return Number{std::nullopt, true};
}

Result<void> read_sizes(const CsvRecord& record, const Header& header, const std::string& place, Run& run) {
    const auto free_text = [&](std::string_view column, std::string_view cell) {
        if (run.unreadable.empty()) run.unreadable = fmt::format("{} '{}' is not a number", column, cell.substr(0, 40));
    };
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
        const std::string& cell = record.cells[header.sizes[i]];
        const Result<Number> number = read_number(cell, kSizes[i].name, static_cast<double>(kSizes[i].largest), place);
        if (!number) return tl::unexpected(number.error());
        if (number->text) free_text(kSizes[i].name, cell);
        run.*kSizes[i].field = std::llround(number->value.value_or(0));
    }
    const Result<Number> params = read_number(record.cells[header.params], kParams, kMaxParams, place);
    if (!params) return tl::unexpected(params.error());
    run.params = params->value.value_or(0);
    return {};
}

Result<void> read_measures(const CsvRecord& record, const Header& header, const std::string& place, Run& run) {
    for (std::size_t i = 0; i < kMeasures.size(); ++i) {
        if (header.measures[i] == Header::kAbsent) continue;
        const Result<Number> number =
            read_number(record.cells[header.measures[i]], kMeasures[i].name, kMeasures[i].largest, place);
        if (!number) return tl::unexpected(number.error());
        run.*kMeasures[i].field = number->value;
    }
    return {};
}

Result<Run> read_run(CsvRecord& record, const Header& header, std::string_view where) {
    const std::string place = fmt::format("{}:{}", where, record.line);
    if (record.cells.size() != header.cells)
        return bad_input(fmt::format("{} cells in a row, {} in the header", record.cells.size(), header.cells), place,
                         "quote cells that hold commas");
    Run run;
    run.line = record.line;
    for (std::size_t i = 0; i < kTexts.size(); ++i) run.*kTexts[i].field = trimmed(record.cells[header.texts[i]]);
    if (run.id.empty()) return bad_input("the id is empty", place, "give every row an id: source-number");
    if (auto ok = read_sizes(record, header, place, run); !ok) return tl::unexpected(ok.error());
    if (auto ok = read_measures(record, header, place, run); !ok) return tl::unexpected(ok.error());
    return run;
}

}  // namespace

std::string_view Run::source() const {
    return std::string_view(id).substr(0, id.rfind('-'));
}

Result<std::vector<Run>> parse_run_table(std::string_view text, std::string_view where) {
    if (text.size() > kMaxRunTableBytes)
        return bad_input(fmt::format("{} bytes, more than the {} allowed", text.size(), kMaxRunTableBytes), std::string(where),
                         "split the table");
    if (const Utf8Check check = check_utf8(text); !check.valid) {
        const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(check.offset), '\n');
        return bad_input(fmt::format("byte {} is not UTF-8", check.offset), fmt::format("{}:{}", where, line),
                         "save the table as UTF-8 text");
    }
    CsvReader reader(text, where);
    CsvRecord record;
    Result<bool> more = reader.next(record);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return bad_input("the table is empty", std::string(where), "its first line names the columns");
    const Result<Header> header = read_header(record, where);
    if (!header) return tl::unexpected(header.error());
    std::vector<Run> runs;
    std::unordered_set<std::string> ids;
    for (;;) {
        more = reader.next(record);
        if (!more) return tl::unexpected(more.error());
        if (!*more) return runs;
        const std::string place = fmt::format("{}:{}", where, record.line);
        if (runs.size() == kMaxRuns) return bad_input(fmt::format("more than {} rows", kMaxRuns), place, "split the table");
        Result<Run> run = read_run(record, *header, where);
        if (!run) return tl::unexpected(run.error());
        if (!ids.insert(run->id).second)
            return bad_input(fmt::format("id '{}' stands twice", run->id), place, "give every row its own id");
        runs.push_back(std::move(*run));
    }
}

}  // namespace ndtune::published

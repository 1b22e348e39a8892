#include "profiles/published/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "cost_model/assert.h"
#include "profiles/published/phrase.h"

namespace ndtune::published {

namespace {

using Rows = std::vector<std::size_t>;

/// Dense 16-bit peak in TFLOP/s by the phrase in the GPU's name, the first one found (vendors' datasheets).
constexpr std::array kPeaks = {
    std::pair{std::string_view("GB300"), 2500.0},   std::pair{std::string_view("GB200"), 2500.0},
    std::pair{std::string_view("B300"), 2250.0},    std::pair{std::string_view("B200"), 2250.0},
    std::pair{std::string_view("H200-NVL"), 835.0}, std::pair{std::string_view("H200"), 989.0},
    std::pair{std::string_view("H100"), 989.0},     std::pair{std::string_view("A100"), 312.0},
    std::pair{std::string_view("A800"), 312.0},     std::pair{std::string_view("V100"), 125.0},
    std::pair{std::string_view("MI355X"), 2516.0},  std::pair{std::string_view("MI350X"), 2307.0},
    std::pair{std::string_view("MI325X"), 1307.0},  std::pair{std::string_view("MI300X"), 1307.0},
    std::pair{std::string_view("L40S"), 362.0},
};
constexpr std::size_t kSmallestSource = 5;  ///< scored rows that let a source into the MEDIAN line
constexpr std::size_t kSmallestGroup = 3;

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> mean_if_any(const std::vector<double>& values) {
    return values.empty() ? std::nullopt : std::optional(mean(values));
}

std::optional<double> median(std::vector<double> values) {
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<double> magnitudes(std::vector<double> values) {
    for (double& value : values) value = std::abs(value);
    return values;
}

/// Ranks from 0; equal values share their mean rank.
std::vector<double> ranks(const std::vector<double>& values) {
    Rows order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> out(values.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t j = i;
        while (j + 1 < order.size() && values[order[j + 1]] == values[order[i]]) ++j;
        for (std::size_t k = i; k <= j; ++k) out[order[k]] = static_cast<double>(i + j) / 2;
        i = j + 1;
    }
    return out;
}

/// Spearman's rank correlation; 0 where one side is constant.
double spearman(const std::vector<double>& a, const std::vector<double>& b) {
    const std::vector<double> x = ranks(a), y = ranks(b);
    const double mx = mean(x), my = mean(y);
    double xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    return xx == 0 || yy == 0 ? 0.0 : xy / std::sqrt(xx * yy);
}

/// Measured time of the row predicted fastest (the mean of ties) over the fastest, less 1.
double regret(const std::vector<double>& predicted, const std::vector<double>& measured) {
    const double best = *std::min_element(predicted.begin(), predicted.end());
    std::vector<double> chosen;
    for (std::size_t i = 0; i < predicted.size(); ++i)
        if (predicted[i] == best) chosen.push_back(measured[i]);
    return mean(chosen) / *std::min_element(measured.begin(), measured.end()) - 1;
}

/// A row whose figure is both predicted and measured.
struct Scored {
    std::size_t row = 0;
    double predicted = 0;
    double measured = 0;

    [[nodiscard]] double error() const { return predicted / measured - 1; }
};

std::optional<Scored> pair_up(std::size_t row, const std::optional<double>& predicted, const std::optional<double>& measured) {
    if (!predicted || !measured || *measured <= 0) return std::nullopt;
    return Scored{row, *predicted, *measured};
}

std::vector<double> errors_of(const std::vector<Scored>& scored) {
    std::vector<double> errors;
    errors.reserve(scored.size());
    for (const Scored& s : scored) errors.push_back(s.error());
    return errors;
}

class Scorer {
public:
    Scorer(const std::vector<Run>& runs, const std::vector<Prediction>& predictions) : runs_(runs), predictions_(predictions) {}

    AccuracyLine line(std::string source, const Rows& scope, const Rows& all) const {
        AccuracyLine line;
        line.source = std::move(source);
        line.in_scope = scope.size();
        std::vector<Scored> times, memories;
        for (const std::size_t i : scope)
            if (const auto pair = pair_up(i, predictions_[i].step_time_s, runs_[i].step_time_s)) times.push_back(*pair);
        for (const std::size_t i : all)
            if (const auto pair = pair_up(i, predictions_[i].memory_gib, runs_[i].memory_gib)) memories.push_back(*pair);
        add_time(times, line);
        add_groups(times, line);
        line.memory_scored = memories.size();
        line.memory_mape = mean_if_any(magnitudes(errors_of(memories)));
        line.memory_bias = mean_if_any(errors_of(memories));
        return line;
    }

private:
    void add_time(const std::vector<Scored>& scored, AccuracyLine& line) const {
        const std::vector<double> errors = errors_of(scored);
        line.scored = scored.size();
        if (line.in_scope > 0) line.cover = static_cast<double>(line.scored) / static_cast<double>(line.in_scope);
        line.mape = mean_if_any(magnitudes(errors));
        line.median_ape = median(magnitudes(errors));
        line.bias = mean_if_any(errors);
    }

    void add_groups(const std::vector<Scored>& scored, AccuracyLine& line) const {
        using Key = std::tuple<std::string_view, std::string_view, std::int64_t, std::string_view, std::int64_t, std::int64_t,
                               std::int64_t>;
        std::map<Key, std::vector<Scored>> groups;
        for (const Scored& s : scored) {
            const Run& r = runs_[s.row];
            groups[{r.source(), r.model, r.layers, r.gpu, r.gpus, r.global_batch, r.seq_len}].push_back(s);
        }
        std::vector<double> correlations, regrets;
        for (const auto& [key, rows] : groups) {
            std::vector<double> predicted, measured;
            for (const Scored& s : rows) {
                predicted.push_back(s.predicted);
                measured.push_back(s.measured);
            }
            const auto [least, most] = std::minmax_element(measured.begin(), measured.end());
            if (rows.size() < kSmallestGroup || *least == *most) continue;
            correlations.push_back(spearman(predicted, measured));
            regrets.push_back(regret(predicted, measured));
        }
        line.rank = mean_if_any(correlations);
        line.groups = correlations.size();
        line.regret = mean_if_any(regrets);
    }

    const std::vector<Run>& runs_;
    const std::vector<Prediction>& predictions_;
};

AccuracyLine median_line(const std::vector<AccuracyLine>& sources, std::size_t of) {
    AccuracyLine line;
    line.source = "MEDIAN";
    line.in_scope = of;
    const auto over = [&](std::size_t AccuracyLine::* count, std::optional<double> AccuracyLine::* field) {
        std::vector<double> values;
        for (const AccuracyLine& source : sources)
            if (source.*count >= kSmallestSource && (source.*field).has_value()) values.push_back(*(source.*field));
        return median(std::move(values));
    };
    for (const auto field : {&AccuracyLine::cover, &AccuracyLine::mape, &AccuracyLine::median_ape, &AccuracyLine::bias,
                             &AccuracyLine::rank, &AccuracyLine::regret})
        line.*field = over(&AccuracyLine::scored, field);
    for (const auto field : {&AccuracyLine::memory_mape, &AccuracyLine::memory_bias})
        line.*field = over(&AccuracyLine::memory_scored, field);
    for (const AccuracyLine& source : sources) {
        if (source.scored >= kSmallestSource) ++line.scored;
        if (source.scored >= kSmallestSource && source.groups > 0) ++line.groups;
        if (source.memory_scored >= kSmallestSource) ++line.memory_scored;
    }
    return line;
}

std::vector<std::string> cells(const AccuracyLine& line) {
    const auto percent = [](const std::optional<double>& v, bool sign, int digits) {
        if (!v) return std::string();
        return sign ? fmt::format("{:+.{}f}", 100 * *v, digits) : fmt::format("{:.{}f}", 100 * *v, digits);
    };
    return {line.source,
            fmt::format("{}", line.scored),
            fmt::format("{}", line.in_scope),
            percent(line.cover, false, 0),
            percent(line.mape, false, 1),
            percent(line.median_ape, false, 1),
            percent(line.bias, true, 1),
            line.rank ? fmt::format("{:.2f}", *line.rank) : std::string(),
            fmt::format("{}", line.groups),
            percent(line.regret, false, 1),
            fmt::format("{}", line.memory_scored),
            percent(line.memory_mape, false, 1),
            percent(line.memory_bias, true, 1)};
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths(rows.front().size(), 3);
    for (const auto& row : rows)
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    std::string text;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t c = 0; c < widths.size(); ++c)
            text += c == 0 ? fmt::format("| {:<{}} |", rows[r][c], widths[c]) : fmt::format(" {:>{}} |", rows[r][c], widths[c]);
        text += '\n';
        if (r > 0) continue;
        for (std::size_t c = 0; c < widths.size(); ++c)
            text += (c == 0 ? "| " : " ") + std::string(widths[c] - 1, '-') + (c == 0 ? "- |" : ": |");
        text += '\n';
    }
    return text;
}

}  // namespace

const AccuracyLine* Accuracy::find(std::string_view source) const {
    const auto at = std::find_if(lines.begin(), lines.end(), [&](const AccuracyLine& line) { return line.source == source; });
    return at == lines.end() ? nullptr : &*at;
}

std::optional<double> mfu_of_run(const Run& run) {
    if (run.mfu) return run.mfu;
    std::string gpu = run.gpu;
    std::transform(gpu.begin(), gpu.end(), gpu.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const auto peak = std::find_if(kPeaks.begin(), kPeaks.end(), [&](const auto& p) { return mentions(gpu, p.first); });
    if (peak == kPeaks.end()) return std::nullopt;
    if (run.tflops_per_gpu) return *run.tflops_per_gpu / peak->second;
    const bool known =
        run.step_time_s && *run.step_time_s > 0 && run.params > 0 && run.seq_len > 0 && run.global_batch > 0 && run.gpus > 0;
    if (!known || mentions(run.notes, "MoE")) return std::nullopt;
    const double tokens = static_cast<double>(run.seq_len) * static_cast<double>(run.global_batch);
    return 6 * run.params * tokens / (*run.step_time_s * static_cast<double>(run.gpus) * peak->second * 1e12);
}

Accuracy score(const std::vector<Run>& runs, const std::vector<Prediction>& predictions, const ScoreOptions& options) {
    NDTUNE_ASSERT(runs.size() == predictions.size());
    Accuracy accuracy;
    accuracy.rows = runs.size();
    accuracy.min_mfu = options.min_mfu;
    std::vector<std::string_view> sources;
    std::map<std::string_view, std::pair<Rows, Rows>> rows_of;  // in scope for time, all
    Rows scope, all;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::string_view source = runs[i].source();
        if (!rows_of.contains(source)) sources.push_back(source);
        auto& [source_scope, source_all] = rows_of[source];
        source_all.push_back(i);
        all.push_back(i);
        const std::optional<double> mfu = mfu_of_run(runs[i]);
        if (!runs[i].step_time_s) {
            ++accuracy.without_time;
        } else if (mfu && *mfu < options.min_mfu) {
            ++accuracy.low_mfu;
        } else {
            source_scope.push_back(i);
            scope.push_back(i);
        }
    }
    const Scorer scorer(runs, predictions);
    for (const std::string_view source : sources) {
        AccuracyLine line = scorer.line(std::string(source), rows_of[source].first, rows_of[source].second);
        if (line.scored > 0 || line.memory_scored > 0) accuracy.lines.push_back(std::move(line));
    }
    AccuracyLine medians = median_line(accuracy.lines, sources.size());
    accuracy.lines.push_back(scorer.line("ALL", scope, all));
    accuracy.lines.push_back(std::move(medians));
    return accuracy;
}

std::string to_text(const Accuracy& accuracy) {
    std::string text =
        fmt::format("rows {}; without step time {}; MFU < {:g} {}; in scope for time {}\n", accuracy.rows, accuracy.without_time,
                    accuracy.min_mfu, accuracy.low_mfu, accuracy.rows - accuracy.without_time - accuracy.low_mfu);
    text += "in %: cover mape medape bias regret memmape membias; MEDIAN: n, groups and nmem count sources\n\n";
    std::vector<std::vector<std::string>> rows = {
        {"source", "n", "of", "cover", "mape", "medape", "bias", "rho", "groups", "regret", "nmem", "memmape", "membias"}};
    for (const AccuracyLine& line : accuracy.lines) rows.push_back(cells(line));
    return text + table(rows);
}

}  // namespace ndtune::published

#include "cost_model/plan.h"

#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace ndtune {
namespace {

constexpr int kMaxSize = 1 << 20;  // of an axis or a count, as in make_cluster
constexpr std::string_view kExample = "a plan reads like r2.s4.c2.t2/mb1.ga4/ac=full";

struct AxisLetter {
    char letter;
    int Mesh::* size;
};
constexpr std::array<AxisLetter, 4> kLetters = {
    {{'r', &Mesh::dp_replicate}, {'s', &Mesh::dp_shard}, {'c', &Mesh::cp}, {'t', &Mesh::tp}}};

// Text from a user inside a message: short, and printable whatever it holds.
std::string shown(std::string_view text) {
    constexpr std::size_t kLongest = 60;
    std::string out(text.substr(0, kLongest));
    for (char& c : out) {
        if (c < ' ' || c > '~') c = '?';
    }
    return text.size() > kLongest ? out + "..." : out;
}

tl::unexpected<Error> wrong(std::string_view text, std::string message) {
    return bad_input(std::move(message), fmt::format("plan '{}'", shown(text)), std::string(kExample));
}

// Takes the part before `separator` off the front of `rest`.
std::string_view take(std::string_view& rest, char separator) {
    const std::size_t at = rest.find(separator);
    const std::string_view part = rest.substr(0, at);
    rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
    return part;
}

std::optional<int> size_in(std::string_view digits) {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = error == std::errc{} && end == digits.data() + digits.size();
    return whole && value >= 1 && value <= kMaxSize ? std::optional(value) : std::nullopt;
}

// Reads one plan; remembers which knobs were set, so that none is set twice.
class PlanReader {
public:
    explicit PlanReader(std::string_view text) : text_(text) {}

    Result<Plan> read() {
        if (text_.empty()) return wrong(text_, "the plan is empty");
        if (text_.back() == '/') return wrong(text_, "the plan ends in '/'");
        std::string_view rest = text_;
        if (auto axes = read_axes(take(rest, '/')); !axes) return tl::unexpected(axes.error());
        while (!rest.empty()) {
            if (auto knobs = read_knobs(take(rest, '/')); !knobs) return tl::unexpected(knobs.error());
        }
        return plan_;
    }

private:
    using Done = Result<bool>;

    Done read_axes(std::string_view axes) {
        if (axes == "1") return true;
        do {
            if (auto axis = read_axis(take_item(axes)); !axis) return axis;
        } while (!axes.empty());
        return true;
    }

    // As take, but keeps a trailing '.' visible as an empty item.
    static std::string_view take_item(std::string_view& items) {
        const std::size_t at = items.find('.');
        if (at != std::string_view::npos && at + 1 == items.size()) {
            const std::string_view whole = items;
            items = {};
            return whole;
        }
        return take(items, '.');
    }

    Done read_axis(std::string_view item) {
        for (const AxisLetter& axis : kLetters) {
            if (item.empty() || item.front() != axis.letter) continue;
            const auto size = size_in(item.substr(1));
            if (!size) return bad_size(item);
            if (auto first = once(item.substr(0, 1)); !first) return first;
            plan_.mesh.*axis.size = *size;
            return true;
        }
        return wrong(text_, fmt::format("'{}' is not an axis: r, s, c or t with a size, or 1 for a single device", shown(item)));
    }

    Done read_knobs(std::string_view knobs) {
        do {
            if (auto knob = read_knob(take_item(knobs)); !knob) return knob;
        } while (!knobs.empty());
        return true;
    }

    Done read_knob(std::string_view item) {
        if (item.starts_with("mb")) return read_count("mb", item, plan_.micro_batch);
        if (item.starts_with("ga")) return read_count("ga", item, plan_.grad_accum);
        if (item == "z1") {
            plan_.shard_optimizer = true;
            return once(item);
        }
        if (item.starts_with("ac=")) return read_recompute(item);
        if (item.starts_with("rs=")) return read_choice(item, "on", "off", plan_.reshard_after_forward);
        if (item.starts_with("sync=")) return read_choice(item, "every", "last", plan_.sync_every_micro_batch);
        if (item.starts_with("cp=")) {
            bool ring = true;
            const Done done = read_choice(item, "ring", "ag", ring);
            plan_.cp_method = ring ? CpMethod::ring : CpMethod::all_gather;
            return done;
        }
        return wrong(text_, fmt::format("'{}' is not a knob: mbN, gaN, ac=, rs=, sync=, cp= or z1", shown(item)));
    }

    Done read_count(std::string_view name, std::string_view item, int& count) {
        const auto size = size_in(item.substr(name.size()));
        if (!size) return bad_size(item);
        count = *size;
        return once(name);
    }

    Done read_choice(std::string_view item, std::string_view yes, std::string_view no, bool& value) {
        const std::size_t equals = item.find('=');
        const std::string_view name = item.substr(0, equals);
        const std::string_view choice = item.substr(equals + 1);
        if (choice != yes && choice != no) {
            return wrong(text_, fmt::format("'{}' is neither {}={} nor {}={}", shown(item), name, yes, name, no));
        }
        value = choice == yes;
        return once(name);
    }

    Done read_recompute(std::string_view item) {
        const std::string_view mode = item.substr(3);
        if (mode == "none") return once("ac");
        if (mode == "sel") {
            plan_.recompute = Recompute::selective;
            return once("ac");
        }
        if (!mode.starts_with("full") || (mode.size() > 4 && mode[4] != ':')) {
            return wrong(text_, fmt::format("'{}' is none of ac=none, ac=sel, ac=full and ac=full:LAYERS", shown(item)));
        }
        plan_.recompute = Recompute::full;
        if (mode.size() > 4) {
            const auto layers = size_in(mode.substr(5));
            if (!layers) return bad_size(item);
            plan_.recompute_layers = *layers;
        }
        return once("ac");
    }

    Done bad_size(std::string_view item) const {
        return wrong(text_, fmt::format("'{}' needs a whole number from 1 to {}", shown(item), kMaxSize));
    }

    Done once(std::string_view name) {
        for (std::size_t i = 0; i < seen_count_; ++i) {
            if (seen_[i] == name) return wrong(text_, fmt::format("'{}' is given twice", name));
        }
        seen_[seen_count_++] = name;  // at most one entry per known name: 4 axes and 7 knobs
        return true;
    }

    std::string_view text_;
    Plan plan_;
    std::array<std::string_view, 12> seen_{};
    std::size_t seen_count_ = 0;
};

}  // namespace

std::string to_text(const Plan& plan) {
    std::string text;
    for (const AxisLetter& axis : kLetters) {
        const int size = plan.mesh.*axis.size;
        if (size > 1) text += fmt::format("{}{}{}", text.empty() ? "" : ".", axis.letter, size);
    }
    if (text.empty()) text = "1";
    text += fmt::format("/mb{}", plan.micro_batch);
    if (plan.grad_accum > 1) text += fmt::format(".ga{}", plan.grad_accum);
    if (plan.recompute == Recompute::selective) text += "/ac=sel";
    if (plan.recompute == Recompute::full) {
        text += plan.recompute_layers > 0 ? fmt::format("/ac=full:{}", plan.recompute_layers) : "/ac=full";
    }
    if (!plan.reshard_after_forward) text += "/rs=off";
    if (!plan.sync_every_micro_batch) text += "/sync=last";
    if (plan.shard_optimizer) text += "/z1";
    if (plan.cp_method == CpMethod::all_gather) text += "/cp=ag";
    return text;
}

Result<Plan> parse_plan(std::string_view text) {
    return PlanReader(text).read();
}

}  // namespace ndtune

#include "search/ranking.h"

#include <algorithm>

namespace ndtune::search {
namespace {

bool text_before(const Candidate& a, const Candidate& b) {
    return to_text(a.plan) < to_text(b.plan);
}

}  // namespace

bool better(Objective objective, const Candidate& a, const Candidate& b) {
    if (objective == Objective::memory_headroom && a.peak != b.peak) return a.peak < b.peak;
    if (objective == Objective::tokens_per_gpu && a.tokens != b.tokens) return a.tokens > b.tokens;
    if (a.step_time != b.step_time) return a.step_time < b.step_time;
    return text_before(a, b);
}

void TopList::offer(const Candidate& c) {
    if (capacity_ == 0) return;
    if (items_.size() == capacity_) {
        if (!better(objective_, c, items_.back())) return;
        items_.pop_back();
    }
    const auto at = std::upper_bound(items_.begin(), items_.end(), c,
                                     [this](const Candidate& a, const Candidate& b) { return better(objective_, a, b); });
    items_.insert(at, c);
}

void TopList::merge(const TopList& other) {
    for (const Candidate& c : other.items_) offer(c);
}

void ParetoFront::offer(const Candidate& c) {
    const auto at = std::lower_bound(items_.begin(), items_.end(), c.step_time,
                                     [](const Candidate& item, double time) { return item.step_time < time; });
    if (at != items_.begin() && std::prev(at)->peak <= c.peak) return;
    if (at != items_.end() && at->step_time == c.step_time) {
        if (at->peak < c.peak || (at->peak == c.peak && !text_before(c, *at))) return;
    }
    // Those from `at` on are as slow or slower; the ones not smaller than c leave. Peaks fall, so they come first.
    const auto keep = std::find_if(at, items_.end(), [&](const Candidate& item) { return item.peak < c.peak; });
    if (keep == at) {
        items_.insert(at, c);
    } else {
        *at = c;
        items_.erase(std::next(at), keep);
    }
}

void ParetoFront::merge(const ParetoFront& other) {
    for (const Candidate& c : other.items_) offer(c);
}

bool ParetoFront::dominates(double step_time, Bytes peak) const {
    // The last member that is as fast or faster is the smallest of those.
    const auto after = std::upper_bound(items_.begin(), items_.end(), step_time,
                                        [](double time, const Candidate& item) { return time < item.step_time; });
    if (after == items_.begin()) return false;
    const Candidate& best = *std::prev(after);
    return best.peak < peak || (best.peak == peak && best.step_time < step_time);
}

}  // namespace ndtune::search

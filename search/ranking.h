#pragma once

#include <vector>

#include "cost_model/estimate.h"
#include "search/search.h"

namespace ndtune::search {

/// What the walk keeps of a priced plan; the full estimate is priced again for the few that are shown.
struct Candidate {
    Plan plan;
    double step_time = 0;  ///< seconds
    double tokens = 0;     ///< per second and device
    Bytes peak;

    bool operator==(const Candidate&) const = default;
};

inline Candidate candidate(const Plan& plan, const Estimate& estimate) {
    return {plan, estimate.step_time.value, estimate.tokens_per_s_per_gpu, estimate.memory.peak};
}

/// A total order: the objective, then step time, then the plan's text. Independent of the order of the walk.
bool better(Objective objective, const Candidate& a, const Candidate& b);

/// Keeps the best `capacity` candidates in order. The set does not depend on the order in which they are offered.
class TopList {
public:
    TopList(Objective objective, std::size_t capacity) : objective_(objective), capacity_(capacity) {}
    void offer(const Candidate& c);
    void merge(const TopList& other);
    [[nodiscard]] const std::vector<Candidate>& items() const { return items_; }

private:
    Objective objective_;
    std::size_t capacity_;
    std::vector<Candidate> items_;
};

/// Candidates that no other beats in both step time and peak memory, by step time. Of equals the first text stays.
class ParetoFront {
public:
    void offer(const Candidate& c);
    void merge(const ParetoFront& other);
    /// Whether some member is at least as fast and as small as (step_time, peak), and better in one of the two.
    [[nodiscard]] bool dominates(double step_time, Bytes peak) const;
    [[nodiscard]] const std::vector<Candidate>& items() const { return items_; }

private:
    std::vector<Candidate> items_;  ///< step time strictly rising, peak strictly falling
};

}  // namespace ndtune::search

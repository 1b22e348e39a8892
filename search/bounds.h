#pragma once

#include <cstdint>

#include "search/constraints.h"
#include "search/ranking.h"

namespace ndtune::search {

// What the search assumes about the cost model. tests/property/search_bounds.cpp holds the cost model to it, on random jobs and
// on every runtime of the catalog; without `Options::bounds` nothing is assumed.
//   - Among plans that differ only in how many layers are recomputed in full, step time rises and peak memory falls (or both
//   stay)
//     with that number.
//   - No recompute is at least as fast as any; so is keeping the gathered weights (rs=off), and reducing gradients once a step
//     (sync=last). Only best_plan, for sizing, relies on these.

/// Plans that differ only in their recompute. `layers` = L, all of them.
class Family {
public:
    Family(Pricer& pricer, Plan base, int layers) : pricer_(pricer), base_(base), layers_(layers) {}

    Candidate none();
    Candidate selective();
    /// `n` of the layers in full, 1 .. L.
    Candidate full(int n);
    /// Plans priced so far.
    [[nodiscard]] std::uint64_t priced() const { return priced_; }
    [[nodiscard]] int layers() const { return layers_; }

private:
    Candidate price(Recompute recompute, int recompute_layers);

    Pricer& pricer_;
    Plan base_;
    int layers_;
    std::uint64_t priced_ = 0;
};

/// Both ends of the run of full:n that fit: every n from `first.n` to L does. `fits` is false if not even L does.
struct FittingRun {
    bool fits = false;
    int n = 0;        ///< the smallest n that fits
    Candidate first;  ///< full:n
    Candidate last;   ///< full:L
};

/// The smallest n that fits, found by interpolation and bisection: about four plans instead of L.
FittingRun fitting_run(Family& family, const Constraints& constraints);

/// A stretch of full:n whose ends are priced, what lies between is not.
struct Stretch {
    int low = 0;
    int high = 0;
    Candidate fast;   ///< full:low
    Candidate small;  ///< full:high
};

/// Adds to the front what lies between the ends of `stretch`. Halves it as long as its corner (the time of `fast`, the memory of
/// `small`, both lower bounds) is not dominated.
void refine(Family& family, const Stretch& stretch, ParetoFront& front);

}  // namespace ndtune::search

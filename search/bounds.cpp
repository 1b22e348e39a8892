#include "search/bounds.h"

#include <algorithm>
#include <cmath>

namespace ndtune::search {

Candidate Family::price(Recompute recompute, int recompute_layers) {
    Plan plan = base_;
    plan.recompute = recompute;
    plan.recompute_layers = recompute_layers;
    ++priced_;
    return candidate(plan, pricer_.price(plan));
}

Candidate Family::none() {
    return price(Recompute::none, 0);
}

Candidate Family::selective() {
    return price(Recompute::selective, 0);
}

Candidate Family::full(int n) {
    return price(Recompute::full, n == layers_ ? 0 : n);
}

namespace {

// Peak memory is close to linear in n, so the crossing is guessed from both ends; a guess that leaves most of the range
// alternates with a plain bisection.
int guess(const Stretch& range, Bytes usable, bool bisect) {
    const double span = range.high - range.low;
    const double drop = static_cast<double>((range.fast.peak - range.small.peak).value);
    double at = span / 2;
    if (!bisect && drop > 0) at = std::ceil(span * static_cast<double>((range.fast.peak - usable).value) / drop);
    return range.low + static_cast<int>(std::clamp(at, 1.0, span - 1));
}

}  // namespace

FittingRun fitting_run(Family& family, const Constraints& constraints) {
    FittingRun run;
    const int layers = family.layers();
    run.last = family.full(layers);
    run.fits = constraints.fits(run.last.peak);
    if (!run.fits) return run;
    run.n = layers;
    run.first = run.last;
    if (layers == 1) return run;
    Stretch range{1, layers, family.full(1), run.last};
    if (constraints.fits(range.fast.peak)) {
        run.n = 1;
        run.first = range.fast;
        return run;
    }
    // full:low does not fit, full:high does. The second guess lands beside the first where memory is linear.
    for (int step = 0; range.high - range.low > 1; ++step) {
        const int n = guess(range, constraints.usable(), step > 3);
        const Candidate middle = family.full(n);
        if (constraints.fits(middle.peak)) {
            range.high = n;
            range.small = middle;
        } else {
            range.low = n;
            range.fast = middle;
        }
    }
    run.n = range.high;
    run.first = range.small;
    return run;
}

void refine(Family& family, const Stretch& stretch, ParetoFront& front) {
    if (stretch.high - stretch.low < 2 || front.dominates(stretch.fast.step_time, stretch.small.peak)) return;
    const int n = stretch.low + (stretch.high - stretch.low) / 2;
    const Candidate middle = family.full(n);
    front.offer(middle);
    refine(family, {stretch.low, n, stretch.fast, middle}, front);
    refine(family, {n, stretch.high, middle, stretch.small}, front);
}

}  // namespace ndtune::search

#include "search/near_miss.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace ndtune::search {
namespace {

// Keeps the fastest feasible change of one plan.
class RemedySearch {
public:
    RemedySearch(const Job& job, const Constraints& constraints, Pricer& pricer, const Plan& plan)
        : job_(job), constraints_(constraints), pricer_(pricer), plan_(plan) {}

    void run() {
        try_recompute();
        try_micro_batches();
        try_knobs();
        try_meshes();
    }

    [[nodiscard]] const std::optional<RankedPlan>& remedy() const { return remedy_; }
    [[nodiscard]] const std::string& change() const { return change_; }

private:
    void consider(const Plan& changed, const std::string& change) {
        const Plan plan = canonical(job_, changed);
        if (plan == plan_ || constraints_.plan(plan)) return;
        const Estimate e = pricer_.price(plan);
        if (!constraints_.fits(e.memory.peak)) return;
        if (remedy_ && !better(Objective::step_time, candidate(plan, e), candidate(remedy_->plan, remedy_->estimate))) return;
        remedy_ = RankedPlan{plan, e};
        change_ = change;
    }

    void try_recompute() {
        Plan plan = plan_;
        plan.recompute = Recompute::selective;
        plan.recompute_layers = 0;
        consider(plan, "ac=sel");
        Family family(pricer_, plan_, job_.model.layer_count());
        const FittingRun run = fitting_run(family, constraints_);
        if (!run.fits) return;
        const int layers = run.first.plan.recompute_layers;
        consider(run.first.plan, layers > 0 ? fmt::format("ac=full:{}", layers) : "ac=full");
    }

    void try_micro_batches() {
        for (const int micro_batch : divisors(plan_.micro_batch)) {
            if (micro_batch == plan_.micro_batch) continue;
            Plan plan = plan_;
            plan.micro_batch = micro_batch;
            plan.grad_accum = plan_.grad_accum * (plan_.micro_batch / micro_batch);
            consider(plan, fmt::format("mb{}.ga{}", plan.micro_batch, plan.grad_accum));
        }
    }

    void try_knobs() {
        Plan plan = plan_;
        plan.reshard_after_forward = true;
        consider(plan, "rs=on");
        plan = plan_;
        plan.sync_every_micro_batch = true;
        consider(plan, "sync=every");
        plan = plan_;
        plan.shard_optimizer = true;
        consider(plan, "z1");
        plan = plan_;
        plan.cp_method = plan.cp_method == CpMethod::ring ? CpMethod::all_gather : CpMethod::ring;
        consider(plan, plan.cp_method == CpMethod::ring ? "cp=ring" : "cp=ag");
    }

    void try_meshes() {
        struct Move {
            Axis from, to;
        };
        constexpr std::array<Move, 5> kMoves = {{{Axis::dp_replicate, Axis::dp_shard},
                                                 {Axis::dp_shard, Axis::tp},
                                                 {Axis::dp_replicate, Axis::tp},
                                                 {Axis::dp_shard, Axis::cp},
                                                 {Axis::dp_replicate, Axis::cp}}};
        for (const Move& move : kMoves) {
            Plan plan = plan_;
            int& from = size_of(plan.mesh, move.from);
            int& to = size_of(plan.mesh, move.to);
            if (from % 2 != 0) continue;
            from /= 2;
            to *= 2;
            // Half as many data-parallel ranks accumulate twice as often.
            if (move.to != Axis::dp_shard) plan.grad_accum *= 2;
            consider(plan, fmt::format("{}={} {}={}", to_string(move.to), to, to_string(move.from), from));
        }
    }

    static int& size_of(Mesh& mesh, Axis axis) {
        switch (axis) {
            case Axis::dp_replicate: return mesh.dp_replicate;
            case Axis::dp_shard: return mesh.dp_shard;
            case Axis::cp: return mesh.cp;
            case Axis::tp: break;
        }
        return mesh.tp;
    }

    const Job& job_;
    const Constraints& constraints_;
    Pricer& pricer_;
    Plan plan_;
    std::optional<RankedPlan> remedy_;
    std::string change_;
};

}  // namespace

std::vector<NearMiss> near_misses(const Job& job, const Constraints& constraints, const Findings& findings) {
    std::vector<NearMiss> misses;
    const auto& feasible = findings.front.items();
    const auto& chosen = feasible.empty() ? findings.smallest.items() : findings.near.items();
    Pricer pricer(job);
    for (const Candidate& c : chosen) {
        if (!feasible.empty() && c.step_time >= feasible.front().step_time) continue;  // the front begins with the fastest plan
        RemedySearch search(job, constraints, pricer, c.plan);
        search.run();
        misses.push_back({{c.plan, pricer.price(c.plan)}, c.peak - constraints.usable(), search.remedy(), search.change()});
    }
    return misses;
}

}  // namespace ndtune::search

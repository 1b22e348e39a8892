#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include <rapidcheck.h>

#include "tests/support/toy.h"

// Jobs and plans for property tests. Sizes divide as search/constraints asks for.
namespace ndtune::toy {

struct Case {
    Job job;
    Plan plan;
};

template <class T>
T any_of(std::vector<T> values) {
    return *rc::gen::elementOf(std::move(values));
}

inline bool any_flag() {
    return *rc::gen::arbitrary<bool>();
}

/// A divisor of `n` that also divides `of`.
inline int any_divisor(std::int64_t n, std::int64_t of) {
    std::vector<int> divisors;
    for (int d = 1; d <= n; ++d) {
        if (n % d == 0 && of % d == 0) divisors.push_back(d);
    }
    return any_of(divisors);
}

inline Model any_model() {
    const int kv = any_of<int>({1, 2, 4, 8, 12});
    const int heads = kv * any_of<int>({1, 2, 4, 8});
    const std::int64_t hidden = heads * std::int64_t{any_of<int>({64, 128})};
    Model m = dense(any_of<int>({1, 2, 3, 7, 16, 32, 61}), hidden, heads, kv, hidden * 3, any_of<int>({8192, 50304, 131072}));
    m.gated_mlp = any_flag();
    m.tied_embeddings = any_flag();
    const int kind = any_of<int>({0, 0, 1, 2});
    if (kind == 1) {  // alternating windows
        m.layers.push_back(m.layers.front());
        m.layers.back().window = 1024;
    }
    if (kind == 2) {  // a few dense layers, the rest MoE
        LayerType moe;
        moe.count = any_of<int>({2, 12});
        moe.experts = 8;
        moe.experts_per_token = 2;
        moe.expert_ffn = hidden;
        moe.shared_ffn = any_flag() ? hidden : 0;
        m.layers.push_back(moe);
    }
    return m;
}

inline Runtime any_runtime() {
    Runtime rt = runtime();
    rt.host_layer = any_of<double>({0, 0.5e-3, 2.3e-3, 4e-3});
    rt.sequence_parallel = any_flag();
    rt.loss_parallel = any_flag();
    rt.contention = any_of<double>({0, 0.42});
    rt.dp_overlap = any_of<double>({0, 0.1, 0.75});
    rt.allow_fsdp = any_of<int>({1, 1, 0}) > 0;
    rt.parameter_gather = any_of<double>({1, 2.9});
    rt.parameter_gather_overlaps = any_flag();
    rt.selective_attention_only = any_flag();
    rt.grad_accumulate_bytes = any_of<double>({0, 10});
    rt.grad_accumulate_always = any_flag();
    return rt;
}

inline Plan any_plan(Job& job) {
    const Attention& at = job.model.attention;
    Plan p;
    std::int64_t rest = job.cluster.devices();
    p.mesh.tp = any_divisor(rest, std::gcd(at.heads, at.kv_heads));
    rest /= p.mesh.tp;
    p.mesh.cp = any_divisor(rest, job.workload.seq_len / 512);
    rest /= p.mesh.cp;
    p.mesh.dp_shard = job.runtime.allow_fsdp ? any_divisor(rest, rest) : 1;
    p.mesh.dp_replicate = static_cast<int>(rest / p.mesh.dp_shard);
    p.micro_batch = any_of<int>({1, 2, 4});
    p.grad_accum = any_of<int>({1, 1, 2, 3, 5, 32});
    job.workload.global_batch = p.mesh.data_parallel() * p.micro_batch * p.grad_accum;
    p.recompute = any_of<Recompute>({Recompute::none, Recompute::selective, Recompute::full});
    if (p.recompute == Recompute::full) p.recompute_layers = *rc::gen::inRange(0, job.model.layer_count() + 1);
    p.reshard_after_forward = any_flag();
    p.sync_every_micro_batch = any_flag();
    p.shard_optimizer = !job.runtime.allow_fsdp && any_flag();
    p.cp_method = any_of<CpMethod>({CpMethod::ring, CpMethod::all_gather});
    return p;
}

inline Job any_job() {
    const int nodes = any_of<int>({1, 1, 2, 3, 6, 16, 64});
    const int per_node = any_of<int>({1, 2, 6, 8});
    Job j = job(any_model(), cluster(nodes, per_node, any_flag() ? device() : bare_device()),
                any_of<std::int64_t>({2048, 8192, 32768}), 1, any_runtime());
    return j;
}

inline Case any_case() {
    Case c{any_job(), {}};
    c.plan = any_plan(c.job);
    return c;
}

}  // namespace ndtune::toy

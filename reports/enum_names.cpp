#include "reports/enum_names.h"

namespace ndtune::reports {

std::string_view name(Precision value) {
    switch (value) {
        case Precision::fp32: return "fp32";
        case Precision::bf16: return "bf16";
        case Precision::fp16: return "fp16";
        case Precision::fp8: return "fp8";
        case Precision::mxfp8: return "mxfp8";
        case Precision::fp4: return "fp4";
    }
    return "?";
}

std::string_view name(AttentionKernel value) {
    switch (value) {
        case AttentionKernel::plain: return "plain";
        case AttentionKernel::flash1: return "flash1";
        case AttentionKernel::flash2: return "flash2";
        case AttentionKernel::flash3: return "flash3";
    }
    return "?";
}

std::string_view name(Collective value) {
    switch (value) {
        case Collective::all_gather: return "all_gather";
        case Collective::reduce_scatter: return "reduce_scatter";
        case Collective::all_reduce: return "all_reduce";
        case Collective::all_to_all: return "all_to_all";
        case Collective::send_recv: return "send_recv";
    }
    return "?";
}

std::string_view name(Recompute value) {
    switch (value) {
        case Recompute::none: return "none";
        case Recompute::selective: return "selective";
        case Recompute::full: return "full";
    }
    return "?";
}

std::string_view name(CpMethod value) {
    switch (value) {
        case CpMethod::ring: return "ring";
        case CpMethod::all_gather: return "all_gather";
    }
    return "?";
}

std::string_view name(search::Objective value) {
    switch (value) {
        case search::Objective::step_time: return "step_time";
        case search::Objective::tokens_per_gpu: return "tokens_per_gpu";
        case search::Objective::memory_headroom: return "memory_headroom";
    }
    return "?";
}

}  // namespace ndtune::reports

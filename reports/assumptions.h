#pragma once

#include <string>

#include "reports/report.h"

namespace ndtune::reports {

/// "GPU", or "CPU rank" for the CPU device.
std::string device_word(const Device& device);
/// "label     text", wrapped to the width, with its newline. Every line of prose in a console report is made by it.
std::string labelled(std::string_view label, const std::string& text, const ConsoleStyle& style);

// What an answer rests on, one line each, ready to be labelled.

/// The runtime whose semantics are assumed, precision and optimizer.
std::string runtime_line(const Runtime& runtime, const Workload& workload);
std::string model_line(const Model& model, const Workload& workload);
/// Tokens of one optimizer step.
std::string step_line(const Workload& workload);
/// Devices, usable memory and the share of it that stays free, network.
std::string cluster_line(const Cluster& cluster, double memory_margin);
/// The four lines above.
std::string assumptions(const Job& job, double memory_margin, const ConsoleStyle& style);

}  // namespace ndtune::reports

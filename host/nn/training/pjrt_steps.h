#pragma once

#include <memory>

#include "host/nn/training/step_runner.h"
#include "host/pjrt/client.h"

namespace systole::nn {

/// Steps on another vendor's device: its plugin compiles the graph's text once. State lies in
/// buffers of the device, which each step consumes and replaces. A launch copies its batches and
/// enqueues its steps one after the other, then waits for the last.
///
/// Numbers  print_portable's (host/graph/text.h)
/// Errors   DeviceError with the plugin's text, when it does not compile or run the step
std::unique_ptr<StepRunner> make_pjrt_steps(const TrainingGraph& graph, const pjrt::Client& client,
                                            const StepRunner::Options& options);

}  // namespace systole::nn

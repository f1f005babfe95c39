#pragma once

namespace systole::compiler {

struct LoweredModule;

/// Every pipeline is clocked exactly once per clock, whatever the inputs: a lone one outside of
/// loops and conditions, an array in one loop over all its lanes. A lone pipeline's output is read
/// before it is clocked, since its register changes with the edge.
///
/// Errors   Refusal with the position of the pipeline or of the call
void check_pipeline_uses(const LoweredModule& module);

}  // namespace systole::compiler

#pragma once

#include <string>
#include <vector>

#include "hls/compiler/compiler.h"
#include "hls/compiler/ir/lowered_kernel.h"

namespace systole::compiler {

/// An engine that a kernel needs.
struct AxiEngine {
  bool writes = false;
  AxiShape shape;
};
std::vector<AxiEngine> engines_of(const LoweredKernel& kernel);

/// The modules of the engines, each once: those of AxiReader<4, 8> and what is below it end in
/// _4_8.
std::vector<GeneratedModule> generate_engines(const Source& source,
                                              const std::vector<AxiEngine>& engines,
                                              const std::string& target);

}  // namespace systole::compiler

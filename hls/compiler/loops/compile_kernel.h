#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hls/compiler/compiler.h"
#include "hls/compiler/dataflow/process_trace.h"
#include "hls/compiler/frontend/compile.h"
#include "hls/compiler/frontend/layout.h"
#include "hls/compiler/loops/axi_engines.h"
#include "hls/compiler/loops/lower_kernel.h"
#include "hls/compiler/timing/timing.h"

namespace systole::compiler {

/// A function over arrays as a module, and what a module around it must know.
struct CompiledKernel {
  GeneratedModule module;
  std::vector<AxiEngine> engines;
  std::vector<Leaf> inputs;
  std::vector<Leaf> outputs;
  EdgeTiming edge;
  ProcessTrace trace;                               ///< of a process only
  std::map<std::string, std::int64_t> most_pushes;  ///< the same; by streams, where it is bounded

  bool has_input(const std::string& name) const { return find(inputs, name) >= 0; }
  bool has_output(const std::string& name) const { return find(outputs, name) >= 0; }
  bool reads(const std::string& array) const { return has_output(array + "_read_enable"); }
  bool writes(const std::string& array) const { return has_output(array + "_write_enable"); }
  bool pops(const std::string& stream) const { return has_input(stream + "_valid"); }
  bool pushes(const std::string& stream) const { return has_output(stream + "_valid"); }

  /// The number of a port; -1 for none of that name.
  static int find(const std::vector<Leaf>& leaves, const std::string& name);
};

/// What is compiled: a function over arrays of a program, `Kernel<&f>::run` or f itself.
struct KernelSource {
  const Program& program;
  std::string function;     ///< mangled
  std::string module = "";  ///< its name, where it is not that of the function
  bool is_process = false;  ///< of a network, which wants its trace
  KernelStart start = {};
};

/// Errors   as generate_kernel()
CompiledKernel compile_kernel(const KernelSource& kernel, const Source& source,
                              const KernelGoal& goal, const std::string& target);

}  // namespace systole::compiler

#pragma once

#include <optional>
#include <set>
#include <string>

#include "host/compiler/rewrites/quantized_products.h"
#include "host/device/device.h"
#include "host/graph/graph.h"

namespace systole {

/// Prints a step's graph as it is after a pass of the compiler.
///
/// Errors   graph::GraphError for a step that does not lower; what the pass made of it is printed
///          before, unless the pass was not reached
void print_after_pass(const std::string& pass, const graph::Graph& step, const DeviceSizes& sizes,
                      const std::set<std::string>& resident,
                      const std::optional<lowering::Quantization>& quantization);

/// A program in a file: StableHLO's text, or a portable artifact, as JAX's platform `systole` keeps
/// them in $SYSTOLE_KEEP_PROGRAMS.
struct InspectedFile {
  std::string path;
  Device device;
  bool graph = false;       ///< print the graph instead of the program
  std::string print_after;  ///< a pass: print the graph after it
};

/// Prints what a file's program becomes on a device.
///
/// Errors   graph::GraphError for a program that cannot be read, or does not lower
void inspect_file(const InspectedFile& file);

}  // namespace systole

#pragma once

#include <string>
#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace systole::compiler {

/// A type of the type layer implemented by a hand-written module in rtl/cells.
struct CellType {
  const char* type;    ///< "Fifo" of systole::hls::Fifo
  const char* module;  ///< "systole_fifo"
  std::vector<const char*> inputs;
  std::vector<const char*> outputs;
  const char* word;  ///< the output that sets the cell's parameter Width
  bool has_depth;    ///< whether the type's last argument sets the cell's parameter Depth
  bool has_reset;
  const char* mask = nullptr;  ///< the input whose width sets the cell's parameter Lanes
};

const std::vector<CellType>& cell_types();

/// The cell of this type, or null.
const CellType* cell_type(const llvm::DICompositeType* type);

/// "#(.Width(8), .Depth(4)) "; `words` are a Rom's, as literals.
std::string cell_parameters(const CellType& cell, const llvm::DICompositeType* type,
                            const std::vector<Leaf>& inputs, const std::vector<Leaf>& outputs,
                            const std::vector<std::string>& words);

/// A port of a submodule and the leaves of its C++ struct in it, the first one lowest.
struct InstancePort {
  Leaf port;
  std::vector<Leaf> parts;
};

/// The ports of a cell, where a word of any type is one vector of bits; or of a generated module
/// (null), where each leaf is a port.
std::vector<InstancePort> instance_ports(const std::vector<Leaf>& leaves,
                                         const std::vector<const char*>* cell_ports);

}  // namespace systole::compiler

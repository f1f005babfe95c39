#pragma once

#include <string>
#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// A memory of a kernel: one synchronous read port and one write port, as systole_ram.
struct KernelMemory {
  Leaf word;              ///< name, width and dimensions
  bool is_local = false;  ///< inside the module; otherwise an argument, outside of it
  bool is_input = false;  ///< an argument that the source declares const

  unsigned address_width() const;
};

/// `void f(arrays, scalars)`. Lowered, its body has loops and branches, kMemoryRead and
/// kMemoryWrite on the memories, kReadPort on the inputs and kWritePort on the outputs.
struct LoweredKernel {
  llvm::Function* body = nullptr;
  std::string name;                     ///< as the source spells it
  std::vector<std::string> parameters;  ///< their names, in order
  std::vector<KernelMemory> memories;
  std::vector<Leaf> inputs;   ///< scalars that it reads
  std::vector<Leaf> outputs;  ///< scalars that it writes
};

}  // namespace systole::compiler

#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Memory behind AXI4, AxiArray<T, N, kBusBytes>.
struct AxiShape {
  int element_bytes = 0;
  int bus_bytes = 0;
};

/// A memory of a kernel: one synchronous read port and one write port, as systole_ram; or memory
/// behind AXI4.
struct KernelMemory {
  Leaf word;              ///< name, width and dimensions
  bool is_local = false;  ///< inside the module; otherwise an argument, outside of it
  bool is_input = false;  ///< an argument that the source declares const
  std::optional<AxiShape> axi = std::nullopt;

  unsigned address_width() const;
};

/// What a kernel's stream joins: a port, or a side of the engine that serves an AxiArray.
enum class StreamRole {
  kPort,
  kReaderRun,      ///< pushed: elements to read, kAxiCountBits of count above kAxiAddressBits
  kReaderElement,  ///< popped
  kWriterRun,
  kWriterElement,
  kWriterIdle,  ///< popped where everything must have been written
};
inline constexpr unsigned kAxiAddressBits = 40;
inline constexpr unsigned kAxiCountBits = 32;

/// A stream of a kernel.
struct KernelStream {
  Leaf element;  ///< name, width and what it is a stream of
  bool is_used = false;
  bool is_input = false;  ///< popped
  StreamRole role = StreamRole::kPort;
  int memory = -1;  ///< of another role
};

/// `void f(arrays, streams, scalars)`. Lowered, its body has loops and branches, kMemoryRead and
/// kMemoryWrite on the memories, kStreamPop and kStreamPush on the streams, kReadPort on the inputs
/// and kWritePort on the outputs.
struct LoweredKernel {
  llvm::Function* body = nullptr;
  std::string name;                     ///< as the source spells it
  std::vector<std::string> parameters;  ///< their names, in order
  std::vector<KernelMemory> memories;
  std::vector<KernelStream> streams;
  std::vector<Leaf> inputs;   ///< scalars that it reads
  std::vector<Leaf> outputs;  ///< scalars that it writes
  std::set<std::string> signed_scalars;
  std::vector<std::string> axi_notes;  ///< how each access of an AxiArray meets memory, in words
};

}  // namespace systole::compiler

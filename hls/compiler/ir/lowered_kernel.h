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
  bool is_input = false;    ///< popped
  bool is_emptied = false;  ///< an input: what waits at its end goes while the kernel is idle
  StreamRole role = StreamRole::kPort;
  int memory = -1;  ///< of another role
};

/// A functional unit whose result takes clocks; calls that never start in the same clock share it.
struct KernelUnit {
  enum class Kind { kFunction, kProduct, kDivision };
  Kind kind = Kind::kFunction;
  std::string name;                     ///< "mac", "product", "division"
  std::string function = "";            ///< evaluate() of kFunction's Pipeline
  int stages = 0;                       ///< clocks from arguments to result
  double first_ns = 0;                  ///< of its first stage, after the arguments
  bool is_iterative = false;            ///< a division of one bit a clock, one at a time
  std::vector<unsigned> argument_bits;  ///< of its operands, in order
  std::vector<bool> is_signed = {};     ///< the same for a product's operands
  bool reads_remainder = true;          ///< whether a call of a division does
  unsigned result_bits = 0;             ///< a division's quotient lies below its remainder
  std::vector<Leaf> result = {};        ///< the parts of it, lowest first

  int occupancy() const { return is_iterative ? stages : 1; }
};

/// `void f(arrays, streams, scalars)`. Lowered, its body has loops and branches, kMemoryRead and
/// kMemoryWrite on the memories, kStreamPop and kStreamPush on the streams, kReadPort on the
/// inputs, kWritePort on the outputs, and kUnit on units.
struct LoweredKernel {
  llvm::Function* body = nullptr;
  std::string name;                     ///< as the source spells it
  std::vector<std::string> parameters;  ///< their names, in order
  std::vector<KernelMemory> memories;
  std::vector<KernelStream> streams;
  std::vector<KernelUnit> units;
  std::vector<Leaf> inputs;   ///< scalars that it reads
  std::vector<Leaf> outputs;  ///< scalars that it writes
  std::set<std::string> signed_scalars;
  std::vector<std::string> axi_notes;  ///< how each access of an AxiArray meets memory, in words
};

}  // namespace systole::compiler

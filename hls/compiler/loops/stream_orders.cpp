#include "hls/compiler/loops/stream_orders.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instructions.h>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/loop_options.h"

namespace systole::compiler {
namespace {

bool same_array(const KernelStream& a, const KernelStream& b) {
  return a.memory >= 0 && a.memory == b.memory;
}

bool is_port(const KernelStream& stream) { return stream.role == StreamRole::kPort; }

/// Whether it carries elements, and not what is asked of an engine.
bool is_element(const KernelStream& stream) {
  return stream.role == StreamRole::kReaderElement || stream.role == StreamRole::kWriterElement;
}

}  // namespace

std::vector<Dependence> stream_orders(const llvm::BasicBlock& block, const llvm::Loop* loop,
                                      const std::vector<KernelStream>& streams) {
  std::vector<const llvm::Instruction*> uses;
  for (const llvm::Instruction& instruction : block) {
    if (is_operation(instruction, {Operation::kStreamPop, Operation::kStreamPush})) {
      uses.push_back(&instruction);
    }
  }
  const bool overlaps = loop && interval_asked(*loop) != 0;
  std::vector<Dependence> orders;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    for (std::size_t j = i + 1; j < uses.size(); ++j) {
      const auto a = static_cast<std::size_t>(leaf_of(*uses[i]));
      const auto b = static_cast<std::size_t>(leaf_of(*uses[j]));
      const bool is_run = same_array(streams[a], streams[b]) &&
                          (!is_element(streams[a]) || !is_element(streams[b]));
      const bool asks = !overlaps && is_port(streams[a]) && is_port(streams[b]) &&
                        !streams[a].is_input && streams[b].is_input;
      if (a == b || asks || is_run) orders.push_back({uses[i], uses[j], 1, 0});
      if (loop && (a == b || is_run)) orders.push_back({uses[j], uses[i], 1, 1});
    }
  }
  return orders;
}

}  // namespace systole::compiler

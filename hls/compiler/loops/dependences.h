#pragma once

#include <vector>

namespace llvm {
class BasicBlock;
class Instruction;
class Loop;
class ScalarEvolution;
}  // namespace llvm

namespace systole::compiler {

/// An order between two accesses of one memory: `to`, `distance` iterations later, starts at least
/// `latency` clocks after `from`.
struct Dependence {
  const llvm::Instruction* from = nullptr;
  const llvm::Instruction* to = nullptr;
  int latency = 0;   ///< 1 after a write, 0 for a write after a read: a read sees the old word
  int distance = 0;  ///< iterations; 0 within one
};

/// The orders between a block's accesses to memories. With its loop also those between iterations.
/// Two addresses are told apart if they differ by a constant, or walk by the same constant step, or
/// by running the loop's counters (address_trace.h); whatever is not known is ordered.
///
/// Numbers  addresses wrap, so equations between them are solved modulo their width
std::vector<Dependence> dependences(const llvm::BasicBlock& block, const llvm::Loop* loop,
                                    llvm::ScalarEvolution& evolution);

}  // namespace systole::compiler

#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace systole::lanes {

/// A load or a store of a loop: iteration i touches `size` bytes from first + i * stride on,
/// relative to a base that all accesses of the loop share.
struct LaneAccess {
  llvm::Instruction* instruction = nullptr;
  std::int64_t first = 0;
  std::int64_t stride = 0;
  std::int64_t size = 0;
  bool affine = false;    ///< false: anywhere from low to high
  std::int64_t low = 0;   ///< the first byte that any iteration touches
  std::int64_t high = 0;  ///< one past the last
  bool writes() const { return instruction->mayWriteToMemory(); }
};

/// A loop in which no iteration touches what another one writes.
struct LaneLoop {
  llvm::Loop* loop = nullptr;
  unsigned lanes = 0;           ///< iterations
  llvm::Value* base = nullptr;  ///< of all accesses
  std::vector<LaneAccess> accesses = {};
};

/// Proves that the iterations of an innermost loop are independent, from the addresses alone.
///
/// Clang's own analysis gives up on two accesses of one struct whose elements differ in size, as
/// the registers of a Verilated model do. Here each access has a range of bytes; two of them, one a
/// store, are independent if their ranges are disjoint, or if both move by the same stride and
/// overlap only within one iteration.
///
/// Limits   a constant number of iterations; addresses that are one pointer and a known offset;
///          simple loads and stores, no calls. Constant tables may be read anywhere.
std::optional<LaneLoop> independent_lanes(llvm::Loop& loop, llvm::ScalarEvolution& evolution);

}  // namespace systole::lanes

#pragma once

#include <llvm/ADT/APInt.h>

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace llvm {
class Instruction;
class Loop;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// The addresses that a loop's accesses have in every iteration, found by running the loop and the
/// loops around it with everything but their counters unknown. Exact for any arithmetic on counters
/// (bit reversals, shifts by the stage of a transform), where a formula for the addresses is not
/// known.
///
/// Limits   a loop whose length depends on data, or of more than about 100,000 iterations with
///          those around it, has none
class AddressTrace {
 public:
  explicit AddressTrace(const llvm::Loop& loop);

  /// The fewest iterations after which `to` meets the address of `from`, 0 for never; nothing if
  /// an address is not known.
  std::optional<int> distance(const llvm::Instruction& from, const llvm::Instruction& to) const;
  /// Whether the two meet in some iteration; nothing if an address is not known.
  std::optional<bool> meet_now(const llvm::Instruction& a, const llvm::Instruction& b) const;

 private:
  using Pair = std::pair<const llvm::Instruction*, const llvm::Instruction*>;

  std::map<const llvm::Instruction*, bool> known_;  ///< accesses, and whether all addresses are
  std::map<Pair, int> distance_;                    ///< of those that meet
  std::map<Pair, bool> meets_now_;
};

/// Whether a nest reads only those words of a memory that it has written before, in the same run.
/// False where that depends on data.
bool reads_what_it_wrote(const llvm::Loop& nest, int memory);

/// Calls visit(values, goes_on) with what is known of the values in each iteration of a loop of one
/// block, in all its runs within the loops around it; calls again() before it begins, perhaps once
/// more with fewer of those. False if the loop's length depends on data.
bool trace_values(
    const llvm::Loop& loop, const std::vector<const llvm::Value*>& values,
    const std::function<void(const std::vector<std::optional<llvm::APInt>>&, bool)>& visit,
    const std::function<void()>& again);

/// How often a loop of one block runs, if that depends on no data; nothing else.
std::optional<unsigned> constant_trips(const llvm::Loop& loop);

}  // namespace systole::compiler

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Loop;
}  // namespace llvm

namespace systole::compiler {

/// Turns the calls of pipeline<n>(), sequential() and unroll<n>() (systole/hls/kernel.h) into
/// descriptions of the loops around them.
///
/// Errors   Refusal for a call outside of a loop, and for a second one of its kind in a loop
void take_loop_options(llvm::Function& function);

/// Writes the tests of loops whose body is to be copied so that LLVM finds how often they run:
/// copies run at once if no test lies between them.
///
/// Errors   Refusal where nothing that is known before the loop says it
void count_copied_loops(llvm::Function& function);

/// Refuses a loop that was to be unrolled and was not.
void check_unrolled(llvm::Function& function);

/// The interval that the source asks for: 0 for one iteration after the other, nothing if it leaves
/// the choice to hlsc.
std::optional<int> interval_asked(const llvm::Loop& loop);

/// Writes down how often loops run, exactly or at most, before their counters are narrowed.
void note_trip_counts(llvm::Function& function);

/// Iterations of a loop, if they are constant; else 0.
unsigned trip_count(const llvm::Loop& loop);

/// The most iterations of a loop, which may leave it before; 0 if no constant bounds them.
unsigned most_trips(const llvm::Loop& loop);

/// Writes down that a loop stands for the nest of it and the loop at `outer`, and how often it
/// runs, 0 if that is not constant.
void note_flattened(llvm::Loop& loop, const std::string& outer, unsigned trips);

/// "mm.h:12" of each loop around it that it stands for, the innermost first.
std::vector<std::string> flattened_positions(const llvm::Loop& loop);

/// Marks for unrolling the loops that only set local arrays to constants, where nothing else takes
/// a variable index into them: such an array can then become registers.
void mark_initial_values(llvm::Function& function);

}  // namespace systole::compiler

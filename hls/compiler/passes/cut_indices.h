#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

struct LoweredModule;

/// Refuses an index into an array of pipelines that cannot be proved to be in range; one into an
/// array of registers is proved where it is lowered (range_checks.h).
///
/// Errors   Refusal with the position of the access
void check_index_ranges(llvm::Function& function, const LoweredModule& module);

/// Narrows every checked index, other than loop counters, to the bits that its array needs.
///
/// before  %v = call i8 @hls.load(2, i64 %sum)     after  %cut = zext (trunc i64 %sum to i3) to i64
///                                                        %v = call i8 @hls.load(2, i64 %cut)
void cut_indices(llvm::Function& function, const LoweredModule& module);

/// Narrows the indices that LLVM widened since, and gives each access its own extension of its
/// index, so that accesses share the index, which may get a signal, rather than the extension. Runs
/// last, since LLVM merges extensions again.
void separate_indices(llvm::Function& function, const LoweredModule& module);

}  // namespace systole::compiler

#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

struct LoweredFunction;

/// Removes the parts of a pure function's result that `clock` does not read from pipeline `leaf`,
/// with everything only they need. If it reads nothing, everything stays.
///
/// before  call hls.write_port(0, 0, %low)  call hls.write_port(1, 0, %high)
/// after   call hls.write_port(0, 0, %low)
void drop_unread_results(LoweredFunction& function, const llvm::Function& clock, int leaf);

}  // namespace systole::compiler

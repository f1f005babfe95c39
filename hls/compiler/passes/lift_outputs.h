#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Computes values that outputs and submodules' inputs read in every clock: LLVM may leave a value
/// in a loop or branch that also reads it, though it depends on neither.
///
/// before  loop: %t = icmp ne i8 %x, 0 ...    after  entry: %t = icmp ne i8 %x, 0
///         end:  hls.write_port(.., %t)              end:   hls.write_port(.., %t)
void lift_outputs(llvm::Function& clock);

}  // namespace systole::compiler

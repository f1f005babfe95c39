#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Computes in every clock what outputs and submodules' inputs read: LLVM leaves a value in the
/// loop or branch that reads it, too, though it depends on neither.
///
/// before  loop: %t = icmp ne i8 %x, 0 ...    after  entry: %t = icmp ne i8 %x, 0
///         end:  hls.write_port(.., %t)              end:   hls.write_port(.., %t)
void lift_outputs(llvm::Function& clock);

}  // namespace systole::compiler

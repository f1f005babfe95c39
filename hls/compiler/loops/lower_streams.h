#pragma once

#include "hls/compiler/ir/lowered_kernel.h"

namespace llvm {
class DISubprogram;
class DIType;
}  // namespace llvm

namespace systole::compiler {

/// Whether a kernel's parameter is a Stream<T>.
bool is_stream_parameter(const llvm::DIType* type);

/// Turns a kernel's streams into ports that are popped and pushed; fills in `kernel.streams`, in
/// the order of the parameters.
///
/// before  call @hls.kernel_pop(ptr %in)       after  %x = hls.stream_pop(0, true)
///         %x = load i8, ptr %in
///
/// Errors   Refusal for a stream that is no reference, holds no integers, or is used both ways
void lower_streams(LoweredKernel& kernel, const llvm::DISubprogram& source);

}  // namespace systole::compiler

#pragma once

#include "hls/compiler/ir/lowered_kernel.h"

namespace systole::compiler {

/// Turns a kernel's arrays into memories and its scalars into ports; fills in `kernel`. A copy or a
/// clearing of an array becomes a loop.
///
/// before  %p = getelementptr %Vec, ptr %a, i64 0, i64 %i   after  %k = trunc i64 %i to i6
///         %x = load i8, ptr %p                                    %x = hls.memory_read(0, %k)
///
/// Errors   Refusal for a parameter that is no array or value, and for an array chosen at run time
void lower_memories(LoweredKernel& kernel, const llvm::DISubprogram& source);

}  // namespace systole::compiler

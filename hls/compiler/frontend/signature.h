#pragma once

#include <string>
#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace systole::compiler {

/// The leaves of a parameter or a result that the source calls `name`: "scale"; of a struct
/// "pixel_red", "pixel_green". `position` is the function's.
///
/// Errors   as layout_of; Refusal for a submodule, which is no value
std::vector<Leaf> leaves_of_value(const llvm::DIType* type, const std::string& name,
                                  const std::string& position);

/// The place of a leaf's element among all of them, as a pipeline's clock lists its arguments.
unsigned element_index(const std::vector<Leaf>& leaves, std::int64_t leaf, std::int64_t element);

/// A function's parameter as the source calls it, from 0; "argument_0" where it has no name.
std::string parameter_name(const llvm::DISubprogram& function, unsigned index);

/// The function that is an argument of "Pipeline<&f, 5>", as its user wrote it.
const llvm::DISubprogram& pipelined_function(const llvm::DICompositeType& type);

}  // namespace systole::compiler

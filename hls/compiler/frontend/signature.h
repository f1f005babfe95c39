#pragma once

#include <string>
#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace systole::compiler {

/// The leaves of a parameter or result called `name` in the source: "scale"; for a struct
/// "pixel_red", "pixel_green". `position` is the function's.
///
/// Errors   as layout_of; Refusal for a submodule, which is not a value
std::vector<Leaf> leaves_of_value(const llvm::DIType* type, const std::string& name,
                                  const std::string& position);

/// The number of a leaf's element among all, in the order of a pipeline's clock() arguments.
unsigned element_index(const std::vector<Leaf>& leaves, std::int64_t leaf, std::int64_t element);

/// The source's name of a function's parameter, from 0, as its ports have it: without underscores
/// at its end; "argument_0" without a name.
std::string parameter_name(const llvm::DISubprogram& function, unsigned index);

/// The names of all parameters of a function whose ports are found by them.
///
/// Errors   Refusal for two of one name, as x and x_ have, and for those of the handshake
std::vector<std::string> parameter_names(const llvm::DISubprogram& function);

/// The function in "Pipeline<&f, 5>", as the user wrote it.
const llvm::DISubprogram& pipelined_function(const llvm::DICompositeType& type);

}  // namespace systole::compiler

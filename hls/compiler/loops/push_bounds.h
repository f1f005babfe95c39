#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "hls/compiler/ir/lowered_kernel.h"

namespace systole::compiler {

/// The most elements that a run pushes into each stream, by its name; a stream that a loop without
/// a constant bound pushes into is missing.
///
///   for (int i = 0; i < 8; ++i) {
///     if (in[i] != 0) out.push(in[i]);   // out: 8
///   }
std::map<std::string, std::int64_t> most_pushes(const LoweredKernel& kernel);

}  // namespace systole::compiler

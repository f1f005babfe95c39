#pragma once

#include <functional>

#include "hls/compiler/verilog/expression.h"

namespace llvm {
class Instruction;
}

namespace systole::compiler {

/// Whether a value gets its own signal: a source variable, a value used twice, or one whose bits
/// are picked.
bool deserves_signal(llvm::Instruction& instruction);

/// Whether a value that no source variable holds reads better inline, although it is used more than
/// once: its text is short and clearer than any signal name.
bool is_brief(llvm::Instruction& instruction, const std::function<sv::Expression()>& text);

/// Whether wires, which print as `bits`, are a range of bits that the source names and reads at
/// many places: the exponent of a float.
bool is_named_range(llvm::Instruction& instruction, const std::function<sv::Expression()>& bits);

}  // namespace systole::compiler

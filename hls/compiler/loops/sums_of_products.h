#pragma once

namespace llvm {
class Instruction;
class PHINode;
class Value;
}  // namespace llvm

// FPGAs' multipliers have an adder and a register behind them: a product is added to that register,
// or to the sum of the multiplier before, without other logic. Nothing between the adder and its
// register may be read.
namespace systole::compiler {

/// Whether the operation adds a product of two variables, which nobody else reads.
bool adds_product(const llvm::Instruction& operation);

/// Whether `next` is `sum`, or what it begins with, and one or more products.
bool adds_products(const llvm::Value& next, const llvm::PHINode& sum);

}  // namespace systole::compiler

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hls/compiler/emit/expression.h"
#include "hls/compiler/verilog/statement.h"

namespace systole::compiler {

/// A value chosen by which constant one other value equals: a chain of selects, the first that
/// holds.
struct Cases {
  struct Arm {
    std::vector<const llvm::ConstantInt*> labels;  ///< any of them
    const llvm::Value* value = nullptr;
  };
  const llvm::Value* selector = nullptr;
  std::vector<Arm> arms;
  const llvm::Value* otherwise = nullptr;
};

/// The value as cases of three labels and more; none for a value with a name of its own.
std::optional<Cases> cases_of(const llvm::Value& value, const ExpressionBuilder& printer);

/// Assigns the value to a signal: an always_comb with a `case` for each such chain in it, or an
/// `assign` if it has none or reads parts of vectors.
void assign_combinational(const std::string& target, const llvm::Value& value, const Leaf* leaf,
                          const ExpressionBuilder& printer, sv::Statements& out);

}  // namespace systole::compiler

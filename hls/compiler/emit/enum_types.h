#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hls/compiler/emit/names.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/verilog/statement.h"

namespace llvm {
class APInt;
class DICompositeType;
class Function;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// A module's C++ enums as SystemVerilog enums, and the values of those types - of registers, ports
/// and variables -, so that constants print as enumerators.
///
/// Registers and ports stay `logic`: like their C++ they hold any bits.
class EnumTypes {
 public:
  EnumTypes() = default;
  EnumTypes(const LoweredModule& module, Names& names);

  void declare(sv::Statements& out) const;
  /// The enumerator with these bits if the value is of an enum; else "".
  std::string enumerator(const llvm::Value& like, const llvm::APInt& bits) const;
  /// The same for a value written to a register or port.
  std::string enumerator(const Leaf& leaf, const llvm::APInt& bits) const;

 private:
  struct Type {
    std::string name;
    unsigned width = 0;
    std::vector<std::pair<std::string, std::uint64_t>> enumerators;
  };
  void add(const std::vector<Leaf>& leaves, Names& names);
  void add(const llvm::DICompositeType* type, unsigned width, Names& names);
  void add_variables(llvm::Function& function, Names& names);
  void follow(const LoweredModule& module, llvm::Function& function);
  std::string enumerator(const llvm::DICompositeType* type, const llvm::APInt& bits) const;

  std::vector<const llvm::DICompositeType*> order_;
  std::map<const llvm::DICompositeType*, Type> types_;
  std::map<const llvm::Value*, const llvm::DICompositeType*> values_;
};

}  // namespace systole::compiler

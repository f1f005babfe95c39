#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hls/compiler/emit/enum_types.h"
#include "hls/compiler/emit/reference.h"
#include "hls/compiler/emit/tables.h"

namespace llvm {
class CallInst;
class Constant;
class Instruction;
class Value;
}  // namespace llvm

namespace systole::compiler {

class FloatFields;
class StructViews;

/// Makes SystemVerilog expressions of values. Every expression has exactly the value's width by
/// itself, so it may stand in any context: narrowing is a slice or a cast, widening a
/// concatenation, and signed operations are wrapped.
class ExpressionBuilder {
 public:
  /// Finds a value that is not in `names`: a port or a register.
  using Lookup = std::function<bool(const llvm::Value&, Reference&)>;
  explicit ExpressionBuilder(Lookup lookup) : lookup_(std::move(lookup)) {}

  /// The value has this name from now on.
  void name(const llvm::Value& value, Reference reference) { names_[&value] = reference; }
  void forget(const llvm::Value& value) { names_.erase(&value); }
  bool find(const llvm::Value& value, Reference& reference) const;

  /// Constants next to values of an enum are enumerators from now on.
  void use(const EnumTypes& enums) { enums_ = &enums; }

  /// Bits of words are members of structs from now on.
  void use(const StructViews& views) { views_ = &views; }

  /// Bits of floats are their fields from now on.
  void use(const FloatFields& floats) { floats_ = &floats; }

  /// Values are printed for this instruction while the result lives.
  class Use {
   public:
    Use(std::vector<const llvm::Instruction*>& uses, const llvm::Instruction* one) : uses_(uses) {
      if (one) uses.push_back(one);
      is_one_ = one != nullptr;
    }
    ~Use() {
      if (is_one_) uses_.pop_back();
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::vector<const llvm::Instruction*>& uses_;
    bool is_one_;
  };
  [[nodiscard]] Use at(const llvm::Instruction* use) const { return {uses_, use}; }

  /// Sets the constant tables; required before a look-up.
  void use(Tables& tables) { tables_ = &tables; }

  /// The value: a name, a literal, or the expression that computes it.
  sv::Expression operand(const llvm::Value& value) const;
  /// The same with `like` on the other side: a constant may be an enumerator.
  sv::Expression operand(const llvm::Value& value, const llvm::Value& like) const;
  /// The same for the target register or port; null if unknown.
  sv::Expression operand(const llvm::Value& value, const Leaf* leaf) const;
  /// The expression that computes the value, never its own name.
  sv::Expression expression(const llvm::Instruction& instruction) const;
  /// Bits [high:low] of the value.
  sv::Expression slice(const llvm::Value& value, unsigned high, unsigned low) const;
  /// An index into an array of so many elements: constants and loop variables without widths, any
  /// other with exactly the bits that the array needs.
  sv::Expression index(const llvm::Value& value, std::int64_t elements) const;
  /// A loop counter, or one step from it, is this expression from now on.
  void name_counter(const llvm::Value& value, const sv::Expression& counter);

 private:
  sv::Expression logic(const llvm::Instruction& instruction) const;
  sv::Expression select(const llvm::Instruction& instruction) const;
  sv::Expression compare(const llvm::Instruction& instruction) const;
  sv::Expression call(const llvm::Instruction& instruction) const;
  sv::Expression concatenation(const llvm::Instruction& instruction) const;
  /// Bits [high:low] of an `or` whose sides never have a one at the same place, each bit from the
  /// side that may be one there; none for any other.
  sv::Expression interleaved(const llvm::Instruction& instruction, unsigned high,
                             unsigned low) const;
  /// The value without zero extensions, but for one that has a name: a stage may have no more.
  const llvm::Value& narrowest_here(const llvm::Value& value) const;
  sv::Expression shift_amount(const llvm::Value& value) const;
  /// Whether a loop's counter is part of the value, and whether nothing else but constants is.
  bool counts(const llvm::Value& value) const;
  bool counts_alone(const llvm::Value& value) const;
  sv::Expression counted_index(const llvm::Value& value) const;
  sv::Expression pick(const llvm::CallInst& pick) const;
  sv::Expression whole_signal(const llvm::CallInst& pick) const;
  sv::Expression bit_index(const llvm::CallInst& pick) const;

  Lookup lookup_;
  const EnumTypes* enums_ = nullptr;
  const StructViews* views_ = nullptr;
  const FloatFields* floats_ = nullptr;
  mutable std::vector<const llvm::Instruction*> uses_;  ///< what is printed, the statement first
  Tables* tables_ = nullptr;
  std::map<const llvm::Value*, Reference> names_;
  std::set<const llvm::Value*> counters_;
};

/// Whether the value must have a name before `user` can be printed: bits of it are picked, or it is
/// printed more than once.
bool needs_name(const llvm::Value& value, const llvm::Instruction& user);

}  // namespace systole::compiler

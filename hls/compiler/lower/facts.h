#pragma once

#include <initializer_list>
#include <string>

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// What a pass can establish for later passes.
enum class Fact {
  kNoMemory,         ///< no local variable, load, store or address
  kNoCalls,          ///< no call but operations, picks and LLVM's integer functions
  kNoLoops,          ///< no block is reached twice
  kNoSwitches,       ///< branches have at most two targets
  kOneBlock,         ///< no branches
  kPlainOperations,  ///< SystemVerilog has an operator for every instruction
};

/// A set of facts.
class Facts {
 public:
  constexpr Facts() = default;
  constexpr Facts(std::initializer_list<Fact> facts) {
    for (const Fact fact : facts) bits_ |= 1U << static_cast<unsigned>(fact);
  }
  constexpr bool has(Fact fact) const { return (bits_ >> static_cast<unsigned>(fact)) & 1U; }
  constexpr Facts with(Facts more) const { return Facts(bits_ | more.bits_); }
  constexpr Facts without(Facts less) const { return Facts(bits_ & ~less.bits_); }
  constexpr Facts both(Facts other) const { return Facts(bits_ & other.bits_); }

 private:
  constexpr explicit Facts(unsigned bits) : bits_(bits) {}
  unsigned bits_ = 0;
};

/// The first of these facts that does not hold, in words; "" if all hold.
std::string broken_fact(const llvm::Function& function, Facts facts);

}  // namespace systole::compiler

#pragma once

#include <cstdint>
#include <string>

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Bounds a pass that repeats until nothing changes: count each round.
///
///   Rounds rounds("select_joins", function);
///   while (changes(function)) rounds.next();
///
/// Errors   Refusal in the round after the last, with the pass, the function and its line
class Rounds {
 public:
  /// More than any kernel that was seen needs: a design of a million instructions takes some.
  static constexpr std::int64_t kMost = 1'000'000;

  Rounds(std::string pass, const llvm::Function& function, std::int64_t most = kMost)
      : pass_(std::move(pass)), function_(function), most_(most), left_(most) {}

  void next();

 private:
  std::string pass_;
  const llvm::Function& function_;
  std::int64_t most_;
  std::int64_t left_;
};

}  // namespace systole::compiler

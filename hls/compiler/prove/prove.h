#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hls/compiler/frontend/compile.h"
#include "hls/compiler/prove/solve.h"

namespace systole::compiler {

/// A pure function and the module that should compute it.
struct Claim {
  Source source;  ///< the function
  int stages = 0;
  std::string verilog = {};  ///< the module's text
  std::string module = {};   ///< its name
};

struct Proof {
  enum class Verdict { kProved, kRefuted, kUndefined, kUndecided };
  Verdict verdict = Verdict::kUndecided;

  std::string function;
  int argument_bits = 0;
  int register_bits = 0;
  std::size_t gates = 0;  ///< of both sides, shared ones once
  int result_bits = 0;
  int open_bits = 0;                ///< result bits that are not one signal on both sides
  std::size_t side_conditions = 0;  ///< operations that could be undefined for some bits
  std::string solver;
  double seconds = 0;  ///< of the solvers
  int simulated = 0;  ///< random inputs on which the translated function agreed with the native one

  // Of a refutation, or of an undefined run.
  std::vector<std::pair<std::string, std::string>> inputs;  ///< names and hexadecimal values
  std::string expected;                                     ///< what the function returns natively
  std::string found;                                        ///< what the module shows
  std::string undefined;
  std::string note;
};

/// Proves for every input and register state that the module's output after `stages` clocks is the
/// function of the inputs at the first, and that the function has no undefined behaviour; or finds
/// inputs that refute it.
///
/// Errors   Refusal for constructs that no proof covers
Proof prove(const Claim& claim, const SolveOptions& options);

}  // namespace systole::compiler

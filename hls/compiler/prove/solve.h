#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hls/compiler/prove/circuit.h"

namespace systole::compiler {

enum class Answer { kNever, kSometimes, kUnknown };

/// Whether a signal of a circuit can be true.
struct Solution {
  Answer answer = Answer::kUnknown;
  std::vector<bool> inputs = {};  ///< one for each input of the circuit, if it can be true
  std::string solver;             ///< "structure", "simulation", "abc", "cadical"
  double seconds = 0;
};

struct SolveOptions {
  std::string solver = "auto";  ///< or one of abc, cadical: that one alone
  unsigned seconds = 600;       ///< for each solver
};

/// Tries cheap answers first: whether the circuit is the constant false, whether simulated inputs
/// make it true, then the solvers. A solver's assignment is simulated before it is believed.
Solution solve(const Circuit& circuit, Signal signal, const SolveOptions& options);

}  // namespace systole::compiler

#include "hls/compiler/prove/solve.h"

#include <chrono>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

#include "hls/compiler/support/tools.h"

namespace systole::compiler {
namespace {

constexpr int kSimulatedWords = 64;  // of 64 assignments each

bool is_true(const Circuit& circuit, Signal signal, const std::vector<bool>& inputs) {
  std::vector<std::uint64_t> words(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) words[i] = inputs[i] ? ~0ull : 0;
  return (Circuit::value(signal, circuit.simulate(words)) & 1) != 0;
}

/// Random inputs: half of the words are uniform, the others mostly zeros or mostly ones, which meet
/// special cases more often.
Solution simulate(const Circuit& circuit, Signal signal) {
  std::mt19937_64 random(1);
  for (int word = 0; word < kSimulatedWords; ++word) {
    std::vector<std::uint64_t> inputs(circuit.input_count());
    for (std::uint64_t& input : inputs) {
      input = random();
      if (word % 4 == 2) input &= random() & random();
      if (word % 4 == 3) input |= random() | random();
    }
    const std::uint64_t hits = Circuit::value(signal, circuit.simulate(inputs));
    if (hits == 0) continue;
    const int lane = __builtin_ctzll(hits);
    Solution solution{.answer = Answer::kSometimes, .inputs = {}, .solver = "simulation"};
    for (const std::uint64_t input : inputs) solution.inputs.push_back((input >> lane) & 1);
    return solution;
  }
  return {};
}

Solution ask_abc(const Circuit& circuit, Signal signal, unsigned seconds) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("claim.aig");
  std::ofstream(file, std::ios::binary) << circuit.aiger({signal});
  const ToolRun run = run_tool({"berkeley-abc", "-c", "read_aiger " + file + "; iprove"}, seconds);
  Solution solution{.solver = "abc"};
  if (run.status == 0 && run.output.find("UNSATISFIABLE") != std::string::npos) {
    solution.answer = Answer::kNever;
  }
  return solution;
}

Solution ask_cadical(const Circuit& circuit, Signal signal, unsigned seconds) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("claim.cnf");
  std::ofstream(file) << circuit.dimacs(signal);
  const ToolRun run = run_tool({"cadical", "-q", file}, seconds);
  Solution solution{.solver = "cadical"};
  if (run.status == 20) solution.answer = Answer::kNever;
  if (run.status != 10) return solution;
  solution.answer = Answer::kSometimes;
  solution.inputs.resize(circuit.input_count());
  const std::vector<int> used = circuit.inputs_of({signal});
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("v ")) continue;
    std::istringstream literals(line.substr(2));
    for (long literal = 0; literals >> literal;) {
      if (literal > 0 && literal <= static_cast<long>(used.size())) {
        solution.inputs[static_cast<std::size_t>(used[static_cast<std::size_t>(literal) - 1])] =
            true;
      }
    }
  }
  return solution;
}

Solution ask(const Circuit& circuit, Signal signal, const SolveOptions& options) {
  if (signal == kFalse) return {.answer = Answer::kNever, .inputs = {}, .solver = "structure"};
  Solution solution = simulate(circuit, signal);
  if (solution.answer != Answer::kUnknown) return solution;
  if (options.solver != "cadical") solution = ask_abc(circuit, signal, options.seconds);
  if (solution.answer == Answer::kUnknown && options.solver != "abc") {
    solution = ask_cadical(circuit, signal, options.seconds);
  }
  return solution;
}

}  // namespace

Solution solve(const Circuit& circuit, Signal signal, const SolveOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Solution solution = ask(circuit, signal, options);
  solution.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (solution.answer == Answer::kSometimes && !is_true(circuit, signal, solution.inputs)) {
    throw std::logic_error(solution.solver + " gave a counterexample that is none");
  }
  return solution;
}

}  // namespace systole::compiler

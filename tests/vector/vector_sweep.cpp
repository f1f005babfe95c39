// vector_sweep: compares the special functions' micro-programs with the true values.
//
//   vector_sweep                            all functions on all 2^32 arguments
//   vector_sweep --functions exponential,log --stride 1009
//
// A step is the distance to the next fp32; a zero and 2^-126 are neighbours. Exit codes: 0 none is
// more than 2 steps from the correctly rounded result, 1 one is, 2 wrong usage.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "tests/vector/errors.h"

int main(int argc, char** argv) {
  using namespace systole;
  CLI::App app{"Compares the vector engine's special functions with the true values."};
  std::vector<std::string> names;
  std::uint64_t stride = 1;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  app.add_option("--functions", names, "names, separated by commas")->delimiter(',');
  app.add_option("--stride", stride, "takes every STRIDE-th argument")->check(CLI::PositiveNumber);
  app.add_option("--threads", threads, "threads")->check(CLI::Range(1, 1024));
  try {
    app.parse(argc, argv);
    for (const std::string& name : names) {
      bool known = false;
      for (const auto& function : tests::kSpecialFunctions) known = known || name == function.name;
      if (!known) throw CLI::ValidationError("--functions", "unknown function " + name);
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  bool failed = false;
  fmt::print("{:<12} {:>5} {:>11} {:>11} {:>11} {:>11} {:>6} {:>9}\n", "function", "code",
             "rounded", "1 step", "2 steps", "more", "most", "at");
  for (const auto& function : tests::kSpecialFunctions) {
    if (!names.empty() && std::ranges::count(names, function.name) == 0) continue;
    const auto errors = tests::function_errors(function, 0, stride, threads);
    fmt::print("{:<12} {:>5} {:>11} {:>11} {:>11} {:>11} {:>6}  {:08x}{}\n", function.name,
               function.program().code.size(), errors.count[0], errors.count[1], errors.count[2],
               errors.count[3], errors.most_steps, errors.worst_argument,
               errors.wrong_nans == 0 ? "" : fmt::format("  {} wrong NaNs", errors.wrong_nans));
    std::fflush(stdout);
    failed = failed || errors.count[3] != 0 || errors.wrong_nans != 0;
  }
  return failed ? 1 : 0;
}

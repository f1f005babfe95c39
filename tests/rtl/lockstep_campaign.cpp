// lockstep_campaign: drives kernels and their RTL in lock-step for any number of edges.
//
//   lockstep_campaign --edges 10000000                              every kernel
//   lockstep_campaign --edges 1000000 --seed 7 --kernel matrix_unit_4
//
// Exit codes: 0 all agree, 1 some differ (each kernel's first difference is printed), 2 wrong
// usage.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

#include "tests/rtl/lockstep_kernel.h"

int main(int argc, char** argv) {
  using namespace systole::tests;
  const std::vector<LockstepKernel> kernels = lockstep_kernels();
  std::vector<std::string> names;
  names.reserve(kernels.size());
  for (const LockstepKernel& kernel : kernels) names.push_back(kernel.name);
  CLI::App app("Compares each kernel's Verilated RTL with its C++: every port, every edge.");
  std::uint64_t edges = 1'000'000;
  std::uint64_t seed = 1;
  std::vector<std::string> wanted;
  app.add_option("--edges", edges, "edges to compare for each kernel")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--seed", seed, "seed of the inputs and the initial register values")
      ->capture_default_str();
  app.add_option("--kernel", wanted, "only these kernels")->check(CLI::IsMember(names));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  bool all_agree = true;
  for (const LockstepKernel& kernel : kernels) {
    if (!wanted.empty() && std::ranges::find(wanted, kernel.name) == wanted.end()) continue;
    const auto start = std::chrono::steady_clock::now();
    const LockstepReport report = kernel.run(seed, edges);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print("{:20} {:>10} edges, {:>6} in reset, {} mismatches, {:.1f} s\n", kernel.name,
               report.compared_edges, report.resets, report.mismatches, seconds.count());
    if (report.mismatches == 0) continue;
    fmt::print("  first: {} (seed {})\n", report.first_mismatch, seed);
    all_agree = false;
  }
  return all_agree ? 0 : 1;
}

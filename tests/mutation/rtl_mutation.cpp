// rtl_mutation: which faults in the accelerator's generated RTL the lock-step stimuli find.
//
//   rtl_mutation --json mutation.json --survivors survivors.txt
//   rtl_mutation --kernel processing_element --mutant 17        one mutant, and how it is found
//
// Every mutant is in one Verilated model, chosen by its input mutant_i (mutate_rtl.py); mutant 0 is
// the kernel as it is and must agree. Exit codes: 0 the score is reached, 1 it is not, 2 wrong
// usage.

#include <Vmutated_accumulators.h>
#include <Vmutated_matrix_unit.h>
#include <Vmutated_processing_element.h>
#include <Vmutated_systolic_array.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/rtl/kernels/accumulators.h"
#include "tests/rtl/kernels/matrix_unit.h"
#include "tests/rtl/kernels/processing_element.h"
#include "tests/rtl/kernels/systolic_array.h"
#include "tests/rtl/lockstep_kernel.h"

namespace {

using namespace systole::tests;

constexpr int kWrongUsage = 2;

struct MutatedKernel {
  std::string name;
  LockstepReport (*run)(std::uint64_t seed, std::uint64_t edges, int mutant);
};

template <typename Top>
MutatedKernel mutated_kernel(std::string name) {
  return {std::move(name), [](std::uint64_t seed, std::uint64_t edges, int mutant) {
            return run_lockstep<Top>(
                seed, edges, [&](auto& model) { model.mutant_i = static_cast<short>(mutant); },
                /*to_first_mismatch=*/true);
          }};
}

std::vector<MutatedKernel> mutated_kernels() {
  constexpr int kStages = systole::kernels::kMacStages;
  return {
      mutated_kernel<ProcessingElementTop<kStages, Vmutated_processing_element>>(
          "processing_element"),
      mutated_kernel<BasicAccumulatorsTop<Vmutated_accumulators>>("accumulators"),
      mutated_kernel<SystolicArrayTop<Vmutated_systolic_array, 4>>("systolic_array"),
      mutated_kernel<MatrixUnitTop<Vmutated_matrix_unit, 4>>("matrix_unit"),
  };
}

/// One line of the list that mutate_rtl.py writes.
struct Fault {
  int mutant = 0;
  std::string module;
  std::string statement;
  std::string what;
};

std::vector<Fault> read_faults(const std::string& kernel) {
  std::ifstream list(fmt::format("{}/{}.txt", SYSTOLE_MUTANT_LISTS, kernel));
  std::vector<Fault> faults;
  for (std::string line; std::getline(list, line);) {
    std::istringstream fields(line);
    Fault fault;
    std::string number;
    std::getline(fields, number, '\t');
    std::getline(fields, fault.module, '\t');
    std::getline(fields, fault.statement, '\t');
    std::getline(fields, fault.what, '\t');
    fault.mutant = std::stoi(number);
    faults.push_back(fault);
  }
  return faults;
}

struct Options {
  std::uint64_t seed = 0x5eed'0021;
  std::uint64_t edges = 100'000;
  int every = 1;
  int mutant = -1;
  double least = 0;
  std::vector<std::string> kernels;
  std::string json;
  std::string survivors;
};

/// A mutant is killed when its RTL and the C++ differ; most do within a few edges, so the first try
/// is short.
bool is_killed(const MutatedKernel& kernel, const Options& options, int mutant) {
  constexpr std::uint64_t kFirstTry = 2000;
  if (kernel.run(options.seed, std::min(kFirstTry, options.edges), mutant).mismatches > 0) {
    return true;
  }
  return options.edges > kFirstTry &&
         kernel.run(options.seed, options.edges, mutant).mismatches > 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Counts the faults in generated RTL that the lock-step stimuli find.");
  Options options;
  std::vector<std::string> names;
  const std::vector<MutatedKernel> kernels = mutated_kernels();
  for (const MutatedKernel& kernel : kernels) names.push_back(kernel.name);
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--edges", options.edges, "after which a mutant has survived")
      ->capture_default_str();
  app.add_option("--every", options.every, "tries each n-th mutant only")
      ->check(CLI::PositiveNumber);
  app.add_option("--kernel", options.kernels)->check(CLI::IsMember(names));
  app.add_option("--mutant", options.mutant, "this one only, and how it shows");
  app.add_option("--least", options.least, "percent to be killed of each kernel's");
  app.add_option("--json", options.json, "writes the counts there");
  app.add_option("--survivors", options.survivors, "writes the faults that were not found there");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  bool reached = true;
  nlohmann::ordered_json record;
  std::string survivors;
  for (const MutatedKernel& kernel : kernels) {
    if (!options.kernels.empty() &&
        std::ranges::find(options.kernels, kernel.name) == options.kernels.end()) {
      continue;
    }
    if (options.mutant >= 0) {
      const LockstepReport report = kernel.run(options.seed, options.edges, options.mutant);
      fmt::print("{} mutant {}: {}\n", kernel.name, options.mutant,
                 report.mismatches > 0 ? report.first_mismatch : "survives");
      continue;
    }
    if (const LockstepReport sound = kernel.run(options.seed, options.edges, 0);
        sound.mismatches > 0) {
      fmt::print("{}: without a fault it differs: {}\n", kernel.name, sound.first_mismatch);
      return 1;
    }
    int tried = 0;
    int killed = 0;
    for (const Fault& fault : read_faults(kernel.name)) {
      if (fault.mutant % options.every != 0) continue;
      ++tried;
      if (is_killed(kernel, options, fault.mutant)) {
        ++killed;
      } else {
        survivors += fmt::format("{}\t{}\t{}\t{}\t{}\n", kernel.name, fault.mutant, fault.module,
                                 fault.what, fault.statement);
      }
    }
    const double score = tried == 0 ? 0 : 100.0 * killed / tried;
    fmt::print("{:20} {:5} mutants, {:5} killed, {:4} survive: {:.2f} %\n", kernel.name, tried,
               killed, tried - killed, score);
    std::fflush(stdout);
    record.push_back({{"kernel", kernel.name},
                      {"mutants", tried},
                      {"killed", killed},
                      {"survived", tried - killed}});
    reached = reached && tried > 0 && score >= options.least;
  }
  if (!options.json.empty()) {
    std::ofstream(options.json) << nlohmann::ordered_json{{"seed", options.seed},
                                                          {"edges", options.edges},
                                                          {"every", options.every},
                                                          {"kernels", record}}
                                       .dump(2)
                                << "\n";
  }
  if (!options.survivors.empty()) std::ofstream(options.survivors) << survivors;
  return reached ? 0 : 1;
}

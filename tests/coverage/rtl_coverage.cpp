// Which lines and branches of the accelerator's generated RTL the programs of `systole verify`
// reach, and that they still end as the interpreter says.

#include <Vcovered_accelerator_4.h>
#include <fmt/format.h>
#include <unistd.h>
#include <verilated_cov.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "sim/device/device_harness.h"
#include "sim/verify/line_verification.h"
#include "sim/verify/verification.h"
#include "sim/verilator/owned_model.h"
#include "sim/verilator/verilated_accelerator.h"
#include "tests/coverage/line_counts.h"

namespace {

using namespace systole;
using tests::LineCounts;

constexpr int kArray = 4;

/// Counts into LineCounts when it goes: Verilator keeps the counters in the model.
class CountedModel : public OwnedModel<Vcovered_accelerator_4> {
 public:
  CountedModel(LineCounts& counts, std::string scratch)
      : counts_(counts), scratch_(std::move(scratch)) {}
  ~CountedModel() override {
    contextp()->coveragep()->write(scratch_.c_str());
    counts_.add(scratch_);
  }

 private:
  LineCounts& counts_;
  std::string scratch_;
};

struct Options {
  std::uint64_t programs = 1000;
  std::uint64_t lines = 12;
  std::uint64_t seed = 1;
  double least = 0;
  std::string json;
};

/// Runs the cases; throws where one does not end as it must.
void run_cases(const Options& options, LineCounts& counts) {
  const auto scratch =
      std::filesystem::temp_directory_path() / fmt::format("rtl_coverage.{}", ::getpid());
  const auto make_device = [&](const verify::Case& which,
                               DeviceMemory& memory) -> std::unique_ptr<sim::DevicePort> {
    using Device = sim::VerilatedAccelerator<CountedModel, kArray>;
    return std::make_unique<sim::DeviceHarness<Device>>(
        std::make_unique<Device>(std::make_unique<CountedModel>(counts, scratch.string())), memory,
        which.behaviour, which.harness);
  };
  for (std::uint64_t i = 0; i < options.programs; ++i) {
    const auto which = verify::make_case(options.seed + i, kArray);
    if (const auto difference = verify::check(which, make_device)) {
      throw std::runtime_error(fmt::format("seed {}: {}", which.seed, difference->words));
    }
  }
  // Lines of two cores, for the links: a few clocks take long, since their threads meet.
  for (std::uint64_t i = 0; i < options.lines; ++i) {
    const auto which = verify::make_line_case(options.seed + i, kArray, 2);
    if (const auto difference = verify::check(which, make_device)) {
      throw std::runtime_error(fmt::format("seed {}: {}", which.seed, difference->words));
    }
  }
  std::filesystem::remove(scratch);
}

struct Share {
  int reached = 0, points = 0;
  double percent() const { return points == 0 ? 100.0 : 100.0 * reached / points; }
};

nlohmann::ordered_json record_of(const Options& options, const LineCounts& counts) {
  Share whole;
  std::map<std::string, Share> modules;
  auto missed = nlohmann::ordered_json::array();
  for (const auto& [point, count] : counts.points()) {
    for (Share* share : {&whole, &modules[point.module]}) {
      ++share->points;
      share->reached += count != 0;
    }
    if (count == 0) {
      missed.push_back({{"module", point.module}, {"line", point.line}, {"kind", point.kind}});
    }
  }
  nlohmann::ordered_json record = {{"array", kArray},        {"programs", options.programs},
                                   {"lines", options.lines}, {"seed", options.seed},
                                   {"points", whole.points}, {"reached", whole.reached}};
  for (const auto& [module, share] : modules) {
    record["modules"].push_back(
        {{"module", module}, {"points", share.points}, {"reached", share.reached}});
  }
  record["missed"] = std::move(missed);
  return record;
}

int report(const Options& options, const LineCounts& counts) {
  const auto record = record_of(options, counts);
  fmt::print("{:<28}{:>8}{:>9}\n", "module", "points", "reached");
  for (const auto& one : record["modules"]) {
    fmt::print("{:<28}{:>8}{:>9}\n", one["module"].get<std::string>(), one["points"].get<int>(),
               one["reached"].get<int>());
  }
  for (const auto& one : record["missed"]) {
    fmt::print("never ran: {}.sv:{} ({})\n", one["module"].get<std::string>(),
               one["line"].get<int>(), one["kind"].get<std::string>());
  }
  const Share whole{record["reached"].get<int>(), record["points"].get<int>()};
  fmt::print("{} of {} lines and branches reached: {:.2f}%\n", whole.reached, whole.points,
             whole.percent());
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << record.dump(2) << '\n';
    if (!file.flush()) throw std::runtime_error(options.json + ": cannot be written");
  }
  return whole.percent() >= options.least ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Line and branch coverage of the accelerator's RTL by random programs, N = 4."};
  app.add_option("--programs", options.programs, "cases to run, one seed each")
      ->capture_default_str();
  app.add_option("--lines", options.lines, "cases of two cores in a line, likewise")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the first case; the next has one more")
      ->capture_default_str();
  app.add_option("--least", options.least, "fails where less is reached, in percent")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  app.add_option("--json", options.json, "writes the counts there");
  CLI11_PARSE(app, argc, argv);
  try {
    LineCounts counts;
    run_cases(options, counts);
    return report(options, counts);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rtl_coverage: {}\n", error.what());
    return 1;
  }
}

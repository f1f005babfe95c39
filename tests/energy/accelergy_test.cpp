// What Accelergy reads: its counts times its energies are the step's energy.
#include "host/energy/accelergy.h"

#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "host/energy/program_energy.h"

namespace systole::energy {
namespace {

/// "component action" -> number, of the lines below a top key.
std::map<std::string, double> numbers(const std::string& text, const std::string& top,
                                      const std::string& key) {
  std::map<std::string, double> all;
  std::istringstream lines(text);
  std::string section, component, action;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    const std::string word = line.substr(indent);
    const std::string value = word.substr(word.rfind(' ') + 1);
    if (indent == 0) section = word;
    if (section != top + ":") continue;
    const bool counts = top == "action_counts";
    if (word.starts_with("- name: ") && indent == (counts ? 8 : 4)) {
      component = counts ? "systole." + value : value;
    }
    if (word.starts_with("- name: ") && indent == (counts ? 12 : 8)) action = value;
    if (word.starts_with(key + ": ")) all[component + " " + action] = std::stod(value);
  }
  return all;
}

ActionCounts many() {
  ActionCounts actions;
  for (std::size_t i = 0; i < kActions; ++i) actions.counts[i] = 1'000'000 + 37 * i * i;
  return actions;
}

}  // namespace

TEST_CASE("Accelergy's counts hold every action, and clocks without a row", "[accelergy]") {
  const std::string text = accelergy_input(many(), 20'000, 200, {}, std::nullopt);
  CHECK(text.starts_with("action_counts:\n  version: 0.4\n  subtree:\n    - name: systole\n"));
  CHECK(text.find("ERT") == std::string::npos);
  const auto counts = numbers(text, "action_counts", "counts");
  CHECK(counts.size() == kActions + 2);
  CHECK(counts.at("systole.array multiply_add_bf16") == 1'000'000);
  CHECK(counts.at("systole.vector_lanes seed") == many().counts.back());
  CHECK(counts.at("systole.array idle_clock") == 20'000 - 2'000'037 / 256);
  CHECK(counts.at("systole.chip clock") == 20'000);
}

TEST_CASE("Accelergy's counts times its energies are the step's energy", "[accelergy]") {
  const Table table = make_table({.process = "16 nm", .memory = "HBM2"}, 16);
  const std::string text = accelergy_input(many(), 20'000, 200, {}, table);
  const auto counts = numbers(text, "action_counts", "counts");
  const auto energies = numbers(text, "ERT", "energy");
  double picojoules = 0;
  for (const auto& [name, count] : counts) picojoules += count * energies.at(name);
  CHECK(energies.size() == counts.size());
  CHECK(1e-12 * picojoules == Approx(energy_of(many(), 20'000 / 200e6, {}, table).total()));
}

}  // namespace systole::energy

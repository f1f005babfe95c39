#include "host/report/energy.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "host/energy/energy_table.h"
#include "host/report/comparison_table.h"
#include "host/report/figures.h"
#include "host/report/multiply_adds.h"
#include "host/report/page.h"
#include "host/report/verdict.h"
#include "tests/report/some_runs.h"

namespace systole::tests {
namespace {

/// A record whose energy has causes; memory's share falls with the batch size.
nlohmann::ordered_json with_energy(nlohmann::ordered_json record) {
  const bool is_cpu = record["config"]["device"] == "cpu";
  const double batch_size = record["config"]["batch_size"];
  auto& energy = record["energy"];
  energy["label"] = is_cpu ? "published power x processor time" : "estimated";
  energy["source"] = "a source";
  if (is_cpu) {
    energy["joules_a_step"] = 0.002 * batch_size;
    return record;
  }
  energy["process"] = "45 nm";
  energy["by_cause"] = {{"array", 0.0001 * batch_size}, {"memory", 0.03}};
  energy["joules_a_step"] = 0.0001 * batch_size + 0.03;
  energy["other_processes"] = {{"7 nm", 0.02}};
  return record;
}

Comparison with_energies() {
  Comparison comparison;
  for (const std::int64_t batch_size : {8, 128}) {
    for (const char* device : {"cpu", "model"}) {
      comparison.runs.push_back(read_run(with_energy(some_record(device, batch_size)), "a record"));
    }
  }
  return comparison;
}

}  // namespace

TEST_CASE("a record's energy is read with its causes, and may be absent", "[report]") {
  const RecordedRun run = read_run(with_energy(some_record("model", 8)), "a record");
  REQUIRE(run.energy.has_value());
  CHECK(run.energy->label == "estimated");
  CHECK(run.energy->by_cause.size() == 2);
  CHECK(run.energy->by_cause[1] == std::pair<std::string, double>("memory", 0.03));
  CHECK(run.energy->other_processes.size() == 1);
  CHECK(run.joules_a_sample() == Approx(0.0308 / 8));
  CHECK_FALSE(some_run("model", 8).energy.has_value());
}

TEST_CASE("a record whose energy lacks a label or is below zero is refused", "[report]") {
  auto record = with_energy(some_record("model", 8));
  record["energy"].erase("label");
  CHECK_THROWS_WITH(read_run(record, "a record"), "a record.energy: no key 'label'");
  record = with_energy(some_record("model", 8));
  record["energy"]["by_cause"]["memory"] = -1;
  CHECK_THROWS_WITH(read_run(record, "a record"), "a record.energy.by_cause: 'memory' is below 0");
}

TEST_CASE("the verdict says who takes less energy, and what moved it", "[report]") {
  const Comparison comparison = with_energies();
  const auto reasons = energy_reasons(comparison.duels().at(0));
  REQUIRE(reasons.size() == 3);
  CHECK(reasons[0] ==
        "Energy at batch size 8: the CPU wins: its step takes 16.0 mJ (published power x processor "
        "time), the device's 30.8 mJ (estimated, 45 nm), 1.92 times as much.");
  CHECK(reasons[1] ==
        "Energy at batch size 128: the device wins: its step takes 42.8 mJ (estimated, 45 nm), the "
        "CPU's 256 mJ (published power x processor time), 5.98 times as much.");
  CHECK(reasons[2] ==
        "At batch size 128, 70% of the device's energy goes to memory. From batch size 8 to 128 a "
        "sample's energy falls from 3.85 mJ to 334 uJ; that of memory changes most, by -3.52 mJ.");
  CHECK(energy_reasons(some_comparison().duels().at(0)).empty());
  const auto all = verdicts(comparison).at(0).reasons;
  CHECK(std::ranges::count(all, reasons[1]) == 1);
}

TEST_CASE("text, figures and page have the energies with their labels", "[report]") {
  const Comparison comparison = with_energies();
  const auto rows = energy_rows(comparison);
  REQUIRE(rows.size() == 4);
  CHECK(rows[3][0].starts_with("model, 16 x 16 array at 100 MHz, bf16"));
  CHECK(rows[3] == std::vector<std::string>{rows[3][0], "128", "42.8 mJ", "334 uJ", "128 mJ",
                                            "5.98", "estimated, 45 nm", "20.0 mJ in 7 nm"});
  std::string table = comparison_table(comparison);  // in lines of 80, indented
  std::ranges::replace(table, '\n', ' ');
  const auto spaces = [](char left, char right) { return left == ' ' && right == ' '; };
  table.erase(std::unique(table.begin(), table.end(), spaces), table.end());
  CHECK_THAT(table, Catch::Contains("42.8 mJ a step, 334 uJ a sample"));
  const std::string page = report_page(comparison);
  CHECK_THAT(page, Catch::Contains("<h2>Energy</h2>") && Catch::Contains("estimated, 45 nm") &&
                       Catch::Contains("figure id=\"energy\""));
  const auto drawn = energy_figure(comparison);
  REQUIRE(drawn);
  const std::string figure = drawn->svg.in_page("");
  CHECK_THAT(figure, Catch::Contains("millijoules a sample") && Catch::Contains(">memory<") &&
                         !Catch::Contains(">links<"));
  CHECK_THAT(page,
             Catch::Contains("Source of &quot;published power x processor time&quot;: a source."));
  CHECK_FALSE(energy_figure(some_comparison()));
  CHECK_THAT(report_page(some_comparison()), !Catch::Contains("<h2>Energy</h2>"));
}

TEST_CASE("the page has a multiply-add's energy from toggles beside the table's, at each process",
          "[report]") {
  const auto all = multiply_adds();
  REQUIRE(all.size() == 2);
  const std::string page = report_page(with_energies());
  for (const MultiplyAdd& one : all) {
    INFO(one.process);
    const energy::Table table = energy::make_table({.process = one.process}, 16);
    CHECK(one.published == Approx(table[energy::Cost::kMultiplyBf16].picojoules +
                                  table[energy::Cost::kAddFp32].picojoules));
    CHECK(one.gates > 0);
    CHECK(one.registers > 0);
    CHECK(one.clock_pins > 0);
    CHECK_THAT(page,
               Catch::Contains("<td>" + one.process + "</td>") && Catch::Contains(one.library));
  }
}

}  // namespace systole::tests

#include "host/cli/comparison.h"

#include <catch2/catch.hpp>

#include "host/cli/comparison_table.h"

namespace systole::tests {
namespace {

std::uint64_t& cycles_of(ComparedRun& run) {
  return run.result.counters.counts[static_cast<std::size_t>(device::Count::kCycles)];
}

ComparedRun run_on(const std::string& name, std::vector<double> losses, const std::string& mark) {
  ComparedRun run;
  const bool clocked = name != "cpu";
  run.info.name = name;
  run.info.array_size = clocked ? 16 : 0;
  run.info.clock_mhz = clocked ? 100.0 : 0.0;
  run.info.clock_source = clocked ? "assumed" : "";
  run.info.cycle_exact = run.info.bit_exact = clocked;
  run.plan.mark_step = 2;
  run.result.history.step_seconds.assign(losses.size(), 0.002);
  run.result.wall_seconds = 0.002 * static_cast<double>(losses.size());
  run.result.host_seconds = 0.0005 * static_cast<double>(losses.size());
  cycles_of(run) = clocked ? 100'000 * losses.size() : 0;
  run.result.history.losses = std::move(losses);
  run.result.mark_checksum = mark;
  run.result.parameter_count = 7;
  return run;
}

}  // namespace

TEST_CASE("a device's step is its products at the clock and the host's part", "[comparison]") {
  const ComparedRun cpu = run_on("cpu", {3, 2, 1}, ""), model = run_on("model", {3, 2, 1}, "");
  CHECK(cpu.step_seconds() == Approx(0.002));
  CHECK(model.device_step_seconds() == Approx(0.001));
  CHECK(model.step_seconds() == Approx(0.0015));
}

TEST_CASE("the table says who wins at each batch size", "[comparison]") {
  Comparison comparison{.samples = 60'000,
                        .runs = {run_on("cpu", {3, 2, 1}, ""), run_on("model", {3, 2, 1}, "a")}};
  CHECK_THAT(comparison_table(comparison), Catch::Contains("the device wins, 1.33 times as fast"));
  cycles_of(comparison.runs[1]) *= 4;
  CHECK_THAT(comparison_table(comparison), Catch::Contains("the CPU wins, 2.25 times as fast"));
}

TEST_CASE("the table warns of a busy machine, and of no quiet one", "[comparison]") {
  Comparison comparison{.samples = 1, .runs = {run_on("cpu", {3, 2, 1}, "")}};
  CHECK_THAT(comparison_table(comparison), !Catch::Contains("busy"));
  comparison.runs[0].result.wall_seconds *= 2;
  CHECK_THAT(comparison_table(comparison), Catch::Contains("busy") && Catch::Contains("2.0 times"));
}

TEST_CASE("bit-exact devices agree over the steps that both have done", "[comparison]") {
  const Comparison comparison{
      .samples = 1,
      .runs = {run_on("cpu", {3, 2.1, 1}, "c"), run_on("model", {3, 2, 1}, "a"),
               run_on("rtl", {3, 2}, "a")}};
  REQUIRE(comparison.agreements().size() == 1);
  const Agreement agreement = comparison.agreements()[0];
  CHECK(agreement.first == "model");
  CHECK(agreement.second == "rtl");
  CHECK(agreement.steps == 2);
  CHECK(agreement.losses_equal);
  CHECK(agreement.weights_equal);
  CHECK_THAT(comparison_table(comparison), Catch::Contains("model and rtl agree to the last bit"));
}

TEST_CASE("one bit of difference between bit-exact devices is reported", "[comparison]") {
  const auto differing = GENERATE(std::pair(2.0000000000000004, "a"), std::pair(2.0, "b"));
  const Comparison comparison{.samples = 1,
                              .runs = {run_on("model", {3, 2}, "a"),
                                       run_on("rtl", {3, differing.first}, differing.second)}};
  const Agreement agreement = comparison.agreements().at(0);
  CHECK_FALSE((agreement.losses_equal && agreement.weights_equal));
  CHECK_THAT(comparison_table(comparison), Catch::Contains("model and rtl DIFFER"));
}

TEST_CASE("a list of devices is read with limits, rtl having one by itself", "[comparison]") {
  const auto devices = parse_devices("cpu,model:7,rtl");
  REQUIRE(devices.size() == 3);
  CHECK_FALSE(devices[0].steps.has_value());
  CHECK(devices[1].steps == 7);
  CHECK(devices[2].steps == kRtlSteps);
  CHECK(parse_devices("rtl:3")[0].steps == 3);
}

}  // namespace systole::tests

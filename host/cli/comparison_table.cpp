#include "host/cli/comparison_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace systole {
namespace {

constexpr std::string_view kRow =
    "{:<7} {:<5} {:>6} {:>6} {:>10} {:>9} {:>9} {:>9} {:>12} {:>7} {:>10} {:>9} {:>9}\n";

std::string head() {
  return fmt::format(fmt::runtime(kRow), "", "", "", "", "wall", "first", "other", "of it",
                     "cycles", "array", "device ms", "test", "last") +
         fmt::format(fmt::runtime(kRow), "device", "type", "batch", "steps", "s", "step ms",
                     "steps ms", "host ms", "a step", "used", "a step", "accuracy", "loss") +
         fmt::format(fmt::runtime(kRow), "", "", "", "", "measured", "measured", "measured",
                     "measured", "simulated", "simul.", "at clock", "", "") +
         fmt::format("{:-<121}\n", "");
}

std::string row(const ComparedRun& run) {
  const bool clocked = run.info.cycle_exact;
  const auto steps = static_cast<std::uint64_t>(run.steps());
  const auto if_clocked = [&](const std::string& text) { return clocked ? text : "-"; };
  return fmt::format(
      fmt::runtime(kRow), run.info.name, to_string(run.plan.precision), run.plan.batch_size, steps,
      fmt::format("{:.3f}", run.result.wall_seconds),
      fmt::format("{:.3f}", 1e3 * run.result.history.step_seconds.front()),
      steps > 1 ? fmt::format("{:.3f}", 1e3 * later_step_seconds(run.result.history)) : "-",
      fmt::format("{:.3f}", 1e3 * run.host_step_seconds()),
      if_clocked(fmt::format("{}", run.result.counters.cycles() / steps)),
      if_clocked(fmt::format(
          "{:.1f}%", 100 * utilization(run.result.counters, std::max(1, run.info.array_size)))),
      if_clocked(fmt::format("{:.3f}", 1e3 * run.device_step_seconds())),
      run.result.test ? fmt::format("{:.2f}%", 100 * run.result.test->accuracy) : "-",
      fmt::format("{:.4f}", run.result.history.losses.back()));
}

std::string threads(const DeviceInfo& info) {
  return fmt::format("{} thread{}", info.threads, info.threads == 1 ? "" : "s");
}

std::string verdict_head(const ComparedRun& cpu, const ComparedRun& device) {
  return fmt::format(
      "Who wins, by the mean step: {} as measured; a {} x {} array at {:g} MHz ({}) with the\n"
      "simulated cycles of its products, and the host's part as measured, one after the other.\n",
      describe(cpu), device.info.array_size, device.info.array_size, device.info.clock_mhz,
      device.info.clock_source);
}

std::string verdict(const ComparedRun& cpu, const ComparedRun& device) {
  const double ratio = device.step_seconds() / cpu.step_seconds();
  const bool cpu_wins = ratio >= 1;
  return fmt::format(
      "  batch {:>5}: the {} wins, {:.2f} times as fast: {:.3f} ms on the CPU, {:.3f} + {:.3f} "
      "ms\n",
      cpu.plan.batch_size, cpu_wins ? "CPU" : "device", cpu_wins ? ratio : 1 / ratio,
      1e3 * cpu.step_seconds(), 1e3 * device.device_step_seconds(),
      1e3 * device.host_step_seconds());
}

std::string verdicts(const Comparison& comparison) {
  std::string text;
  for (const std::int64_t batch_size : comparison.batch_sizes()) {
    const auto runs = comparison.of_batch_size(batch_size);
    const auto cpu = std::ranges::find_if(runs, [](auto* run) { return run->info.name == "cpu"; });
    const auto device = std::ranges::find_if(runs, [](auto* run) { return run->info.cycle_exact; });
    if (cpu == runs.end() || device == runs.end()) continue;
    if (text.empty()) text = verdict_head(**cpu, **device);
    text += verdict(**cpu, **device);
  }
  return text;
}

// Measured times are worth as much as the machine was quiet.
std::string busy_machine(const Comparison& comparison) {
  constexpr double kBusy = 1.4;
  std::string text;
  for (const ComparedRun& run : comparison.runs) {
    const double fastest = fastest_tenth_step_seconds(run.result.history);
    if (run.info.cycle_exact || run.wall_step_seconds() < kBusy * fastest) continue;
    text += fmt::format(
        "The machine was busy: at batch {} the mean step on {} took {:.1f} times as long as its "
        "fastest\n  tenth, {:.3f} ms. Compare again when nothing else runs.\n",
        run.plan.batch_size, run.info.name, run.wall_step_seconds() / fastest, 1e3 * fastest);
  }
  return text;
}

std::string simulation_speed(const Comparison& comparison) {
  struct Speed {
    const DeviceInfo* info;
    double cycles, seconds;
  };
  std::vector<Speed> speeds;
  for (const ComparedRun& run : comparison.runs) {
    if (!run.info.cycle_exact) continue;
    auto speed = std::ranges::find_if(
        speeds, [&](const Speed& other) { return other.info->name == run.info.name; });
    if (speed == speeds.end()) speed = speeds.insert(speed, {&run.info, 0, 0});
    speed->cycles += static_cast<double>(run.result.counters.cycles());
    speed->seconds += run.result.wall_seconds - run.result.host_seconds;
  }
  std::string text;
  for (const Speed& speed : speeds) {
    text += fmt::format(
        "The wall time of {} is that of a simulation on {}: {:.2f} million device clocks a "
        "second.\n",
        speed.info->name, threads(*speed.info), 1e-6 * speed.cycles / speed.seconds);
  }
  return text;
}

std::string epochs(const Comparison& comparison) {
  std::string text;
  for (const ComparedRun& run : comparison.runs) {
    if (run.result.history.epochs.size() < 2) continue;
    text += fmt::format("Epochs on {} at batch {}, measured:", run.info.name, run.plan.batch_size);
    for (const auto& epoch : run.result.history.epochs)
      text += fmt::format(" {:.3f}", epoch.seconds);
    text += " s\n";
  }
  return text;
}

std::string agreement_lines(const Comparison& comparison) {
  std::string text;
  const std::int64_t parameters = comparison.runs.front().result.parameter_count;
  for (const Agreement& agreement : comparison.agreements()) {
    const bool equal = agreement.losses_equal && agreement.weights_equal;
    text += equal ? fmt::format(
                        "{} and {} agree to the last bit at batch {}: {} losses, and {} "
                        "weights after step {} (checksum {}).\n",
                        agreement.first, agreement.second, agreement.batch_size, agreement.steps,
                        parameters, agreement.steps, agreement.checksum)
                  : fmt::format(
                        "{} and {} DIFFER at batch {} within {} steps: losses {}, weights {}.\n",
                        agreement.first, agreement.second, agreement.batch_size, agreement.steps,
                        agreement.losses_equal ? "equal" : "differ",
                        agreement.weights_equal ? "equal" : "differ");
  }
  return text;
}

}  // namespace

std::string comparison_table(const Comparison& comparison) {
  std::string text = head();
  for (const ComparedRun& run : comparison.runs) text += row(run);
  return text + "\n" + verdicts(comparison) + busy_machine(comparison) + epochs(comparison) +
         simulation_speed(comparison) + agreement_lines(comparison);
}

}  // namespace systole

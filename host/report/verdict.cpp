#include "host/report/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "host/report/chart.h"
#include "host/report/energy.h"

namespace systole {
namespace {

std::string peak_reason(const Duel& duel) {
  const RecordedRun& array = *duel.rounds.front().device;
  double cpu_rate = 0, array_rate = 0;
  std::int64_t cpu_batch = 0, array_batch = 0;
  for (const Duel::Round& round : duel.rounds) {
    if (measured_gflops(*round.cpu) > cpu_rate) {
      cpu_rate = measured_gflops(*round.cpu);
      cpu_batch = round.cpu->batch_size;
    }
    if (simulated_gflops(*round.device) > array_rate) {
      array_rate = simulated_gflops(*round.device);
      array_batch = round.device->batch_size;
    }
  }
  std::string text = fmt::format(
      "The {} can do {} GFLOP/s at most (2 x {}{} x {} x {:g} MHz, {}) and does {} of them at "
      "batch size {} (simulated)",
      array.cores == 1 ? "array" : "arrays", three_digits(peak_gflops(array)),
      array.cores == 1 ? "" : fmt::format("{} x ", array.cores), array.array_size, array.array_size,
      array.clock_mhz, array.clock_source, three_digits(array_rate), array_batch);
  if (cpu_rate == 0) return text + ".";  // a framework's CPU does not count its products
  text += fmt::format("; the CPU's products did {} GFLOP/s at batch size {} (measured, {}).",
                      three_digits(cpu_rate), cpu_batch, subject_of(*duel.rounds.front().cpu));
  if (cpu_rate > peak_gflops(array)) {
    text += " Even an array that never waits would multiply more slowly than this CPU.";
  }
  return text;
}

std::string host_reason(const Duel& duel) {
  const RecordedRun& first = *duel.rounds.front().device;
  const RecordedRun& last = *duel.rounds.back().device;
  const auto part = [](const RecordedRun& run) {
    return 100 * run.host_step_seconds() / run.step_seconds();
  };
  if (&first == &last) {
    return fmt::format(
        "The host's part is {:.0f}% of the device's step, and it is this machine's, "
        "measured.",
        part(first));
  }
  return fmt::format(
      "The host's part is {:.0f}% of the device's step at batch size {} and {:.0f}% at {}; it is "
      "this machine's, measured.",
      part(first), first.batch_size, part(last), last.batch_size);
}

// What is busy longest in a whole step.
std::vector<std::string> binding_reason(const Duel& duel) {
  const RecordedRun& run = *duel.rounds.back().device;
  if (!run.runs_compiled_steps() || !run.busy || run.cycles == 0) return {};
  const auto share = [&](std::uint64_t clocks) {
    return static_cast<double>(clocks) / static_cast<double>(run.cycles);
  };
  struct Part {
    const char *binds, *words;
    double share;
  };
  const std::array parts = {
      Part{"the array binds", "the array takes rows in", share(run.busy->array)},
      Part{"the vector engine binds", "the vector engine runs in", share(run.busy->vector)},
      Part{"reading memory binds", "memory is read in", share(run.busy->reads)},
      Part{"writing memory binds", "memory is written in", share(run.busy->writes)},
      Part{"the link to the host binds", "the next batch is on the link for",
           run.infeed_step_seconds() / run.device_step_seconds()},
      Part{"gathering batches binds", "a thread of the host gathers it for",
           run.fastest_tenth_input_seconds / run.device_step_seconds()}};
  const Part& longest = *std::ranges::max_element(parts, {}, &Part::share);
  std::vector<std::string> all;
  for (const Part& part : parts) {
    all.push_back(fmt::format("{} {:.0f}%", part.words, 100 * part.share));
  }
  return {
      fmt::format("At batch size {} {}: of the device's step, {} (simulated; the link modelled, "
                  "the host measured).",
                  run.batch_size, longest.binds, fmt::join(all, ", "))};
}

// An epoch's first steps are slower than the rest on real devices as well.
std::string first_execution(const RecordedRun& run) {
  if (!run.runs_compiled_steps() || run.executions < 2) return {};
  const std::int64_t steps = std::min(run.steps_per_execution, run.steps_per_epoch);
  return fmt::format(
      " Its first execution, of {} step{}, is not counted: the host took {} ms a step more, to "
      "prepare the first batches.",
      steps, steps == 1 ? "" : "s",
      three_digits(1e3 * std::max(0.0, run.first_host_seconds - run.host_step_seconds())));
}

double mean_step_seconds(const RecordedRun& run) {
  return run.wall_seconds / static_cast<double>(run.steps());
}

bool was_disturbed(const RecordedRun& run) {
  constexpr double kBusy = 1.4;
  const double fastest = run.fastest_tenth_step_seconds;
  return fastest > 0 && mean_step_seconds(run) >= kBusy * fastest;
}

}  // namespace

std::vector<Verdict> verdicts(const Comparison& comparison) {
  std::vector<Verdict> all;
  for (const Duel& duel : comparison.duels()) {
    Verdict& verdict = all.emplace_back();
    verdict.subject = subject_of(*duel.rounds.front().device);
    verdict.headline = duel.crossover();
    const auto disturbed = [](const Duel::Round& round) { return was_disturbed(*round.cpu); };
    if (std::ranges::any_of(duel.rounds, disturbed)) {
      verdict.headline += " But the machine was busy: compare again when nothing else runs.";
    }
    for (const Duel::Round& round : duel.rounds) {
      verdict.reasons.push_back(
          fmt::format("Batch size {}: the {} wins, {:.2f} times as fast: a step takes {} ms on the "
                      "CPU, {} ms "
                      "{} + {} ms on the host{} with the device.",
                      round.cpu->batch_size, round.device_wins() ? "device" : "CPU", round.ratio(),
                      three_digits(1e3 * round.cpu->step_seconds()),
                      three_digits(1e3 * round.device->device_step_seconds()),
                      round.device->runs_compiled_steps() ? "on the device" : "of products",
                      three_digits(1e3 * round.device->host_step_seconds()),
                      round.device->batch_wait_seconds() > 0
                          ? fmt::format(" + {} ms of waiting for the next batch",
                                        three_digits(1e3 * round.device->batch_wait_seconds()))
                          : "") +
          first_execution(*round.device));
    }
    verdict.reasons.push_back(peak_reason(duel));
    verdict.reasons.push_back(host_reason(duel));
    std::ranges::move(binding_reason(duel), std::back_inserter(verdict.reasons));
    std::ranges::move(energy_reasons(duel), std::back_inserter(verdict.reasons));
  }
  return all;
}

std::vector<std::string> cautions(const Comparison& comparison) {
  std::vector<std::string> all;
  for (const RecordedRun& run : comparison.runs) {
    if (run.clocked || !was_disturbed(run)) continue;
    const double mean = mean_step_seconds(run), fastest = run.fastest_tenth_step_seconds;
    all.push_back(
        fmt::format("The machine was busy: at batch size {} the mean step on {} took {:.1f} times "
                    "as long as its "
                    "fastest tenth, {} ms, which counts here.",
                    run.batch_size, run.device, mean / fastest, three_digits(1e3 * fastest)));
  }
  for (const Duel& duel : comparison.duels()) {
    for (const auto& [cpu, device] : duel.rounds) {
      if (device->is_steady()) continue;
      all.push_back(fmt::format(
          "At batch size {} on {} all steps ran in one execution, for whose batches the "
          "host waited: run at least twice as many steps.",
          device->batch_size, device->device));
    }
  }
  for (const FailedRun& run : comparison.failed) {
    all.push_back(
        fmt::format("Failed: {} at batch size {}: {}", run.device, run.batch_size, run.reason));
  }
  return all;
}

std::vector<std::string> agreement_lines(const Comparison& comparison) {
  std::vector<std::string> all;
  for (const Agreement& agreement : comparison.agreements()) {
    if (agreement.losses_equal && agreement.weights_equal) {
      all.push_back(fmt::format(
          "{} and {} agree to the last bit at batch size {}: {} losses, and {} weights after step "
          "{} (checksum {}).",
          agreement.first, agreement.second, agreement.batch_size, agreement.steps,
          comparison.runs.front().parameter_count, agreement.steps, agreement.checksum));
    } else {
      all.push_back(
          fmt::format("{} and {} DIFFER at batch size {} within {} steps: losses {}, "
                      "weights {}. This is a defect; please report it with the record.",
                      agreement.first, agreement.second, agreement.batch_size, agreement.steps,
                      agreement.losses_equal ? "equal" : "differ",
                      agreement.weights_equal ? "equal" : "differ"));
    }
  }
  return all;
}

}  // namespace systole

#include "host/cli/training_words.h"

#include <fmt/format.h>

#include "host/cli/run_record.h"

namespace systole {

std::string device_words(const DeviceInfo& info) {
  if (info.array_size > 0) {
    return fmt::format("{}, {} x {} array", info.name, info.array_size, info.array_size);
  }
  if (!info.platform.empty()) {
    return fmt::format("{}, {} ({}), {}", info.name, info.chip, info.platform, info.plugin);
  }
  return fmt::format("{}, {} thread{}", info.name, info.threads, info.threads == 1 ? "" : "s");
}

void print_line(std::string_view what, const std::string& value) {
  fmt::print("{:<16} {}\n", what, value);
}

void print_use(const Counters& counters, const DeviceInfo& info) {
  print_line("utilization", fmt::format("{:.2f}% of {} multiply-adds a cycle",
                                        100 * utilization(counters, info.array_size),
                                        info.array_size * info.array_size));
  print_line("stalls", describe(stalls(counters)));
}

void print_result(const TrainingResult& result, const DeviceInfo& info) {
  const auto& step_seconds = result.history.step_seconds;
  if (step_seconds.empty()) {
    print_line("steps", "none: " + result.history.stopped);
    return;
  }
  const auto steps = static_cast<std::int64_t>(step_seconds.size());
  print_line("wall time",
             fmt::format("{:.3f} s measured for {} steps, {:.3f} s of it outside the device",
                         result.wall_seconds, steps, result.host_seconds));
  print_line(
      "steps",
      fmt::format("the first{} {:.3f} ms, the others {:.3f} ms each",
                  result.first_steps == 1 ? "" : fmt::format(" {}, together,", result.first_steps),
                  1e3 * step_seconds.front(), 1e3 * later_step_seconds(result)));
  if (result.host_share) {
    print_line("programs", fmt::format("{:g} a step; host work is {:.2f}% of the device's time",
                                       result.programs_per_step, 100 * *result.host_share));
  }
  if (result.infeed_bytes > 0) {
    print_line("infeed",
               fmt::format("{} bytes a step, {:.3f} ms of the link to the host while the step "
                           "before runs ({:g} Gbit/s, {})",
                           result.infeed_bytes / steps,
                           1e3 * result.infeed_seconds / static_cast<double>(steps),
                           info.host_link.gbit_per_second, info.host_link.source));
  }
  if (info.cycle_exact) {
    const Counters& counters = result.counters;
    print_line("cycles", fmt::format("{} simulated, {} a step", counters.cycles(),
                                     counters.cycles() / static_cast<std::uint64_t>(steps)));
    print_use(counters, info);
    print_line("device time",
               fmt::format("{:.6f} s for the steps at {:g} MHz ({})",
                           result.device_seconds.value_or(device_seconds(counters, info)),
                           info.clock_mhz, info.clock_source));
  }
  for (const auto& [what, text] : result.core_lines) print_line(what, text);
  print_line("memory", fmt::format("{:.1f} MiB peak, measured",
                                   static_cast<double>(peak_memory_bytes()) / (1 << 20)));
  if (result.check) print_line("checked", describe(*result.check));
  print_line("loss", fmt::format("{} after the last step", result.history.losses.back()));
  if (result.test) {
    print_line("accuracy", fmt::format("{:.2f}% on the test set, loss {:.4f}",
                                       100 * result.test->accuracy, result.test->loss));
  }
  print_line("weights",
             fmt::format("{} trained, checksum {}", result.parameter_count, result.checksum));
}

}  // namespace systole

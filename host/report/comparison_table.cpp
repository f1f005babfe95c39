#include "host/report/comparison_table.h"

#include <fmt/format.h>

#include "host/report/energy.h"
#include "host/report/verdict.h"

namespace systole {
namespace {

constexpr std::string_view kRow =
    "{:<7} {:>5} {:<5} {:>6} {:>6} {:>10} {:>9} {:>9} {:>9} {:>12} {:>7} {:>10} {:>9} {:>9}\n";

std::string head() {
  return fmt::format(fmt::runtime(kRow), "", "", "", "", "", "wall", "first", "other", "of it",
                     "cycles", "array", "device ms", "test", "last") +
         fmt::format(fmt::runtime(kRow), "device", "array", "type", "batch", "steps", "s",
                     "step ms", "steps ms", "host ms", "a step", "used", "a step", "accuracy",
                     "loss") +
         fmt::format(fmt::runtime(kRow), "", "", "", "", "", "measured", "measured", "measured",
                     "measured", "simulated", "simul.", "at clock", "", "") +
         fmt::format("{:-<127}\n", "");
}

std::string row(const RecordedRun& run) {
  const auto steps = static_cast<std::uint64_t>(run.steps());
  const auto if_clocked = [&](const std::string& text) { return run.clocked ? text : "-"; };
  const std::string device =
      run.cores == 1 ? run.device : fmt::format("{}*{}", run.device, run.cores);
  return fmt::format(fmt::runtime(kRow), device, if_clocked(std::to_string(run.array_size)),
                     run.type, run.batch_size, steps, fmt::format("{:.3f}", run.wall_seconds),
                     fmt::format("{:.3f}", 1e3 * run.first_step_seconds),
                     steps > 1 ? fmt::format("{:.3f}", 1e3 * run.later_step_seconds) : "-",
                     fmt::format("{:.3f}", 1e3 * run.host_step_seconds()),
                     if_clocked(fmt::format("{}", run.cycles / steps)),
                     if_clocked(fmt::format("{:.1f}%", 100 * run.utilization)),
                     if_clocked(fmt::format("{:.3f}", 1e3 * run.device_step_seconds())),
                     run.test_accuracy ? fmt::format("{:.2f}%", 100 * *run.test_accuracy) : "-",
                     fmt::format("{:.4f}", run.losses.back()));
}

// Breaks a sentence into lines that fit a terminal.
std::string wrapped(const std::string& sentence, const std::string& indent) {
  constexpr std::size_t kLine = 110;
  std::string text, line = indent;
  std::size_t start = 0;
  while (start < sentence.size()) {
    const std::size_t end = std::min(sentence.find(' ', start), sentence.size());
    const std::string word = sentence.substr(start, end - start);
    if (line.size() + word.size() > kLine) {
      text += line + "\n";
      line = indent + "  ";
    }
    line += word + " ";
    start = end + 1;
  }
  line.pop_back();
  return text + line + "\n";
}

std::string simulation_speed(const Comparison& comparison) {
  std::string text;
  for (const std::string& subject : comparison.subjects()) {
    double cycles = 0, seconds = 0;
    for (const RecordedRun* run : comparison.of_subject(subject)) {
      cycles += static_cast<double>(run->cycles);
      seconds += run->wall_seconds - run->host_seconds;
    }
    if (cycles == 0 || seconds <= 0) continue;
    text += fmt::format(
        "The wall time of {} is that of a simulation here: {:.2f} million device clocks a "
        "second.\n",
        subject, 1e-6 * cycles / seconds);
  }
  return text;
}

}  // namespace

std::string comparison_table(const Comparison& comparison) {
  std::string text = head();
  for (const RecordedRun& run : comparison.runs) text += row(run);
  text += "\n";
  for (const Verdict& verdict : verdicts(comparison)) {
    text += wrapped(fmt::format("CPU or {}? {}", verdict.subject, verdict.headline), "");
    for (const std::string& reason : verdict.reasons) text += wrapped(reason, "  ");
  }
  for (const auto& cells : energy_rows(comparison)) {
    text +=
        wrapped(fmt::format("Energy of {} at batch size {}: {} a step, {} a sample, {} an epoch "
                            "({}){}.",
                            cells[0], cells[1], cells[2], cells[3], cells[4], cells[6],
                            cells[7].empty() ? "" : "; a step " + cells[7]),
                "");
  }
  for (const std::string& caution : cautions(comparison)) text += wrapped(caution, "");
  text += simulation_speed(comparison);
  for (const std::string& line : agreement_lines(comparison)) text += line + "\n";
  return text;
}

}  // namespace systole

#include "host/report/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace systole {
namespace {

bool same_hardware(const RecordedRun& a, const RecordedRun& b) {
  return a.clocked && b.clocked && a.cores == b.cores && a.array_size == b.array_size &&
         a.clock_mhz == b.clock_mhz && a.memory == b.memory && a.type == b.type &&
         a.configuration == b.configuration && a.runs_compiled_steps() == b.runs_compiled_steps();
}

std::string sizes(const std::vector<std::int64_t>& batch_sizes) {
  if (batch_sizes.size() == 1) return fmt::format("batch size {}", batch_sizes[0]);
  return fmt::format("batch sizes {}", fmt::join(batch_sizes, ", "));
}

}  // namespace

std::string subject_of(const RecordedRun& run) {
  const std::string cores = run.cores == 1 ? "" : fmt::format("{} cores, ", run.cores);
  if (run.is_plugin()) {
    return fmt::format("{}, {} ({}), {}", run.device, run.chip, run.platform, run.type);
  }
  if (!run.clocked) {
    return fmt::format("{}, {}{} thread{}, {}", run.device, cores, run.threads,
                       run.threads == 1 ? "" : "s", run.type);
  }
  const std::string name = run.configuration.empty() || run.configuration == "default"
                               ? ""
                               : fmt::format("{}, ", run.configuration);
  return fmt::format("{}, {}{}{} x {} array at {:g} MHz, {}{}", run.device, cores, name,
                     run.array_size, run.array_size, run.clock_mhz, run.type,
                     run.runs_compiled_steps() ? "" : ", products alone");
}

std::vector<std::string> Comparison::subjects() const {
  std::vector<std::string> found;
  for (const RecordedRun& run : runs) {
    const std::string subject = subject_of(run);
    if (std::ranges::find(found, subject) == found.end()) found.push_back(subject);
  }
  return found;
}

std::vector<std::int64_t> Comparison::batch_sizes() const {
  std::vector<std::int64_t> sizes;
  for (const RecordedRun& run : runs) sizes.push_back(run.batch_size);
  std::ranges::sort(sizes);
  const auto repeated = std::ranges::unique(sizes);
  sizes.erase(repeated.begin(), repeated.end());
  return sizes;
}

const RecordedRun* Comparison::find(const std::string& subject, std::int64_t batch_size) const {
  for (const RecordedRun& run : runs) {
    if (run.batch_size == batch_size && subject_of(run) == subject) return &run;
  }
  return nullptr;
}

std::vector<const RecordedRun*> Comparison::of_subject(const std::string& subject) const {
  std::vector<const RecordedRun*> found;
  for (const std::int64_t batch_size : batch_sizes()) {
    if (const RecordedRun* run = find(subject, batch_size)) found.push_back(run);
  }
  return found;
}

std::vector<std::string> Comparison::distinct_subjects() const {
  std::vector<std::string> distinct;
  for (const std::string& subject : subjects()) {
    const RecordedRun& run = *of_subject(subject).front();
    const auto repeats = [&](const std::string& other) {
      return same_hardware(*of_subject(other).front(), run);
    };
    if (std::ranges::none_of(distinct, repeats)) distinct.push_back(subject);
  }
  return distinct;
}

std::vector<Agreement> Comparison::agreements() const {
  std::vector<Agreement> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RecordedRun& first = runs[i];
    if (!first.clocked || first.mark_step == 0) continue;
    for (std::size_t j = i + 1; j < runs.size(); ++j) {
      const RecordedRun& second = runs[j];
      if (second.batch_size != first.batch_size || !same_hardware(first, second)) continue;
      if (second.mark_step != first.mark_step || second.seed != first.seed) continue;
      const std::int64_t steps = first.mark_step;
      all.push_back({.first = first.device,
                     .second = second.device,
                     .batch_size = first.batch_size,
                     .steps = steps,
                     .losses_equal = std::equal(first.losses.begin(), first.losses.begin() + steps,
                                                second.losses.begin()),
                     .weights_equal = first.mark_checksum == second.mark_checksum,
                     .checksum = first.mark_checksum});
      break;  // the third is compared with the second
    }
  }
  return all;
}

std::vector<Duel> Comparison::duels() const {
  std::vector<Duel> all;
  const std::vector<std::string> contenders = distinct_subjects();
  const auto cpu = std::ranges::find_if(contenders, [&](const std::string& subject) {
    const RecordedRun& run = *of_subject(subject).front();
    return !run.clocked && !run.is_plugin();
  });
  if (cpu == contenders.end()) return all;
  for (const std::string& contender : contenders) {
    Duel duel;
    for (const RecordedRun* device : of_subject(contender)) {
      const RecordedRun* other = find(*cpu, device->batch_size);
      if (device->clocked && other != nullptr) duel.rounds.push_back({other, device});
    }
    if (!duel.rounds.empty()) all.push_back(std::move(duel));
  }
  return all;
}

double Duel::Round::ratio() const {
  const double ratio = device->step_seconds() / cpu->step_seconds();
  return ratio < 1 ? 1 / ratio : ratio;
}

std::string Duel::crossover() const {
  std::vector<std::int64_t> won, lost;
  std::size_t changes = 0;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    (rounds[i].device_wins() ? won : lost).push_back(rounds[i].cpu->batch_size);
    if (i > 0 && rounds[i].device_wins() != rounds[i - 1].device_wins()) ++changes;
  }
  const std::string all =
      rounds.size() == 1
          ? fmt::format("at batch size {}, the only one tried", rounds[0].cpu->batch_size)
          : fmt::format("at every batch size from {} to {}", rounds.front().cpu->batch_size,
                        rounds.back().cpu->batch_size);
  if (won.empty()) return fmt::format("The CPU wins {}.", all);
  if (lost.empty()) return fmt::format("The device wins {}.", all);
  if (changes == 1 && rounds.back().device_wins()) {
    return fmt::format("The device wins from batch size {} on; up to {} the CPU wins.", won.front(),
                       lost.back());
  }
  if (changes == 1) {
    return fmt::format("The device wins up to batch size {}; from {} on the CPU wins.", won.back(),
                       lost.front());
  }
  return fmt::format("There is no single crossover: the device wins at {}, the CPU at {}.",
                     sizes(won), sizes(lost));
}

double peak_gflops(const RecordedRun& run) {
  return 2e-3 * run.cores * run.array_size * run.array_size * run.clock_mhz;
}

double measured_gflops(const RecordedRun& cpu) {
  const double seconds = cpu.fastest_tenth_step_seconds - cpu.fastest_tenth_host_seconds;
  const double macs = static_cast<double>(cpu.macs) / static_cast<double>(cpu.steps());
  return seconds > 0 ? 2e-9 * macs / seconds : 0;
}

double simulated_gflops(const RecordedRun& run) { return peak_gflops(run) * run.utilization; }

Comparison join(const std::vector<RecordedRuns>& records) {
  Comparison all;
  for (const RecordedRuns& record : records) {
    all.failed.insert(all.failed.end(), record.failed.begin(), record.failed.end());
    for (const RecordedRun& run : record.runs) {
      const auto same = [&](const RecordedRun& other) {
        return other.batch_size == run.batch_size && subject_of(other) == subject_of(run);
      };
      std::erase_if(all.runs, same);
      all.runs.push_back(run);
    }
  }
  if (all.runs.empty()) {
    throw std::runtime_error("no finished run in these records, so nothing to report");
  }
  for (const RecordedRun& run : all.runs) {
    const RecordedRun& first = all.runs.front();
    if (run.model == first.model && run.dataset == first.dataset) continue;
    throw std::runtime_error(
        fmt::format("runs of {} on {} and of {} on {} are no comparison: report them one by one",
                    first.model, first.dataset, run.model, run.dataset));
  }
  return all;
}

}  // namespace systole

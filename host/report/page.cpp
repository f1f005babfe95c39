#include "host/report/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "host/report/chart.h"
#include "host/report/clock_shares.h"
#include "host/report/energy.h"
#include "host/report/figures.h"
#include "host/report/multiply_adds.h"
#include "host/report/verdict.h"

namespace systole {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #d5d5d5; --soft: #f3f4f6; --quiet: #5b6168; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e6e8; --paper: #17191c; --line: #3a3e44; --soft: #22252a; --quiet: #a2a9b1; }
}
@media print {
  :root { --ink: #000; --paper: #fff; --line: #bbb; --soft: #f3f3f3; --quiet: #444; }
  figure, tr, .verdict { break-inside: avoid; }
}
body { color: var(--ink); background: var(--paper); font: 16px/1.55 "DejaVu Sans", Verdana, Arial, sans-serif;
       max-width: 920px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; line-height: 1.25; margin: 0 0 4px; }
h2 { font-size: 20px; margin: 44px 0 12px; padding-top: 12px; border-top: 1px solid var(--line); }
.quiet, figcaption { color: var(--quiet); font-size: 14px; }
.verdict { background: var(--soft); border-left: 4px solid #0072b2; padding: 12px 18px; margin: 20px 0; }
.verdict p { margin: 4px 0; }
.headline { font-size: 19px; font-weight: 600; }
.caution { border-left-color: #d55e00; }
figure { margin: 28px 0 36px; }
figure svg { width: 100%; height: auto; display: block; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13.5px; width: 100%; }
th, td { padding: 5px 9px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; white-space: normal; }
th { white-space: normal; }
td.words, th.words { text-align: left; white-space: normal; }
thead th { vertical-align: bottom; }
thead small { display: block; font-weight: 400; color: var(--quiet); }
pre { background: var(--soft); padding: 12px 16px; overflow-x: auto; font-size: 13.5px; white-space: pre-wrap; }
.swatch { display: inline-block; width: 12px; height: 12px; margin-right: 8px; }
)";

// The last `prose` cells hold words that may be broken into lines.
std::string cells(const std::vector<std::string>& words, const char* kind = "td",
                  std::size_t prose = 0) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += fmt::format("<{0}{2}>{1}</{0}>", kind, words[i],
                        i + prose >= words.size() ? " class=\"words\"" : "");
  }
  return text + "</tr>\n";
}

std::string verdict_part(const Comparison& comparison) {
  std::string text;
  for (const Verdict& verdict : verdicts(comparison)) {
    text += fmt::format(
        "<div class=\"verdict\"><p class=\"quiet\">CPU or {}?</p>\n"
        "<p class=\"headline\">{}</p>\n<ul>\n",
        escaped(verdict.subject), escaped(verdict.headline));
    for (const std::string& reason : verdict.reasons) {
      text += fmt::format("<li>{}</li>\n", escaped(reason));
    }
    text += "</ul></div>\n";
  }
  const auto doubts = cautions(comparison);
  if (!doubts.empty()) text += "<div class=\"verdict caution\">\n";
  for (const std::string& doubt : doubts) text += fmt::format("<p>{}</p>\n", escaped(doubt));
  if (!doubts.empty()) text += "</div>\n";
  return text;
}

std::string figure_part(const Comparison& comparison) {
  std::string text = "<h2>Figures</h2>\n";
  for (const Figure& figure : draw_figures(comparison)) {
    text += fmt::format("<figure id=\"{}\">\n{}<figcaption>{}</figcaption>\n</figure>\n",
                        figure.name, figure.svg.in_page(figure.title), escaped(figure.caption));
  }
  return text;
}

std::string run_table(const Comparison& comparison) {
  std::string text =
      "<h2>Runs</h2>\n<div class=\"scroll\"><table>\n<thead>" +
      cells({"runs on", "batch size", "steps", "wall s<small>measured</small>",
             "host ms a step<small>measured</small>", "cycles a step<small>simulated</small>",
             "array used<small>simulated</small>", "device ms a step<small>assumed clock</small>",
             "epoch s<small>see below</small>", "test accuracy"},
            "th") +
      "</thead>\n";
  for (const std::string& subject : comparison.subjects()) {
    for (const RecordedRun* run : comparison.of_subject(subject)) {
      const auto if_clocked = [&](const std::string& word) { return run->clocked ? word : "–"; };
      text += cells(
          {escaped(subject), std::to_string(run->batch_size), std::to_string(run->steps()),
           fmt::format("{:.2f}", run->wall_seconds), three_digits(1e3 * run->host_step_seconds()),
           if_clocked(std::to_string(run->cycles / static_cast<std::uint64_t>(run->steps()))),
           if_clocked(fmt::format("{:.1f}%", 100 * run->utilization)),
           if_clocked(three_digits(1e3 * run->device_step_seconds())),
           three_digits(run->epoch_seconds()),
           run->test_accuracy ? fmt::format("{:.2f}%", 100 * *run->test_accuracy) : "–"});
    }
  }
  return text +
         "</table></div>\n<p class=\"quiet\">Steps and epochs count at the pace of the fastest "
         "tenth of the steps: on the CPU, and on a plugin's device, as measured; on ours the "
         "simulated cycles at the assumed clock, and the host's part as measured, one after the "
         "other. Copies between the host's memory and the device's are not counted on a device. "
         "The wall time of a device is that of its simulation, first step and all.</p>\n";
}

std::string clock_table(const Comparison& comparison) {
  std::vector<const RecordedRun*> runs;
  for (const std::string& subject : comparison.distinct_subjects()) {
    for (const RecordedRun* run : comparison.of_subject(subject)) {
      if (run->clocked) runs.push_back(run);
    }
  }
  if (runs.empty()) return {};
  std::string text = "<h2>Why the array waits</h2>\n<table>\n<thead>" +
                     cells({"in these clocks", "meaning"}, "th") + "</thead>\n";
  for (const ClockShare& share : clock_shares(*runs.front())) {
    text += fmt::format(
        "<tr><td><span class=\"swatch\" style=\"background:{}\"></span>{}</td>"
        "<td class=\"words\">{}</td></tr>\n",
        share.color, share.cause, share.meaning);
  }
  std::vector<std::string> head = {"part of all clocks, simulated", "batch size"};
  for (const ClockShare& share : clock_shares(*runs.front())) head.push_back(share.cause);
  text +=
      "</table>\n<p></p><div class=\"scroll\"><table>\n<thead>" + cells(head, "th") + "</thead>\n";
  for (const RecordedRun* run : runs) {
    std::vector<std::string> row = {escaped(subject_of(*run)), std::to_string(run->batch_size)};
    for (const ClockShare& share : clock_shares(*run)) {
      row.push_back(fmt::format("{:.2f}%", 100 * share.share));
    }
    text += cells(row);
  }
  return text + "</table></div>\n";
}

// What arithmetic takes by the table and in open libraries.
std::string multiply_add_table() {
  std::string text =
      "<h3>A multiply-add</h3>\n<div class=\"scroll\"><table>\n<thead>" +
      cells({"pJ at", "by the table<small>published or scaled</small>",
             "gates and registers<small>from toggles, a row</small>",
             "clock pins<small>from toggles, a clock</small>", "library of the toggles"},
            "th", 1) +
      "</thead>\n";
  for (const MultiplyAdd& one : multiply_adds()) {
    text += cells({one.process, fmt::format("{:.2f}", one.published),
                   fmt::format("{:.3g}", one.gates + one.registers),
                   fmt::format("{:.3g}", one.clock_pins), escaped(one.library)},
                  "td", 1);
  }
  return text +
         "</table></div>\n<p class=\"quiet\">The table has the arithmetic alone. Toggles of a "
         "training "
         "step also have the registers of five stages, and the clock pins of all flip-flops, with "
         "a "
         "row or without, since nothing gates their clock. docs/energy.md explains the rest.</p>\n";
}

std::string energy_table(const Comparison& comparison) {
  const auto rows = energy_rows(comparison);
  if (rows.empty()) return {};
  std::string text =
      "<h2>Energy</h2>\n<div class=\"scroll\"><table>\n<thead>" +
      cells({"runs on", "batch size", "a step", "a sample", "an epoch",
             "CPU's energy<small>over this</small>", "label", "a step in other processes"},
            "th", 2) +
      "</thead>\n";
  for (std::vector<std::string> row : rows) {
    row.front() = escaped(row.front());
    text += cells(row, "td", 2);
  }
  std::set<std::string> sources;
  for (const RecordedRun& run : comparison.runs) {
    if (run.energy && run.energy->by_cause.empty()) {
      sources.insert(fmt::format("Source of \"{}\": {}.", run.energy->label, run.energy->source));
    }
  }
  return text +
         fmt::format(
             "</table></div>\n<p class=\"quiet\">Estimated: exact counts of the device's actions, "
             "by "
             "published energies of each; without the host, and what docs/energy.md lists as left "
             "out. A TPU v2 takes two to three times what the same table gives it. {}</p>\n",
             escaped(fmt::format("{}", fmt::join(sources, " ")))) +
         multiply_add_table();
}

std::string configuration_part(const Comparison& comparison) {
  const RecordedRun& first = comparison.runs.front();
  std::set<std::string> processors;
  for (const RecordedRun& run : comparison.runs) processors.insert(run.processor);
  std::string text = "<h2>Configuration</h2>\n<table>\n";
  const auto row = [&](const std::string& what, const std::string& value) {
    text += fmt::format("<tr><td>{}</td><td class=\"words\">{}</td></tr>\n", what, escaped(value));
  };
  row("network", fmt::format("{}, {} weights", first.model, first.parameter_count));
  row("data", fmt::format("{}, {} training samples", first.dataset, first.samples));
  row("optimizer", fmt::format("{}, learning rate {:g}", first.optimizer, first.learning_rate));
  row("seed", std::to_string(first.seed));
  row("measured on", fmt::format("{}", fmt::join(processors, "; ")));
  for (const std::string& subject : comparison.subjects()) {
    const RecordedRun& run = *comparison.of_subject(subject).front();
    const std::string more = run.clocked       ? fmt::format("; memory: {}; clock {:g} MHz, {}",
                                                             run.memory, run.clock_mhz, run.clock_source)
                             : run.is_plugin() ? fmt::format("; measured on {} ({}), {}", run.chip,
                                                             run.platform, run.plugin)
                                               : "";
    row(escaped(run.device), subject + more);
  }
  return text + "</table>\n";
}

// Options that only `train` has; empty if none was used.
std::string options_of_train(const RecordedRun& run) {
  std::string options;
  if (run.cores > 1) options += fmt::format(" --cores {}", run.cores);
  if (run.normalization != "scale") options += " --normalize " + run.normalization;
  const bool flip = run.augmentation.find("flip") != std::string::npos;
  const bool crop = run.augmentation.find("crop") != std::string::npos;
  if (flip || crop) {
    options += fmt::format(" --augment {}{}{}", flip ? "flip" : "", flip && crop ? "," : "",
                           crop ? "crop" : "");
  }
  return options;
}

std::string options_of_both(const RecordedRun& run) {
  std::string options =
      fmt::format(" --epochs {} --precision {} --optimizer {} --learning-rate {:g} --seed {}",
                  run.epochs, run.type, run.optimizer, run.learning_rate, run.seed);
  if (!run.is_plugin()) options += fmt::format(" --threads {}", run.threads);
  if (run.clocked && !run.configuration.empty()) options += " --config " + run.configuration;
  if (run.clocked && run.configuration.empty()) {
    options += fmt::format(" --array {} --clock-mhz {:g}", run.array_size, run.clock_mhz);
  }
  if (!run.whole_epochs()) options += fmt::format(" --steps-per-epoch {}", run.steps_per_epoch);
  return options;
}

// Where a plugin lies is the machine's own.
std::string device_word(const RecordedRun& run) {
  return run.is_plugin() ? run.device + ":PATH" : run.device;
}

// One command for each combination of device, machine and length; those that a framework trained
// are its program's.
std::string commands(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const std::string& subject : comparison.subjects()) {
    const auto runs = comparison.of_subject(subject);
    const RecordedRun& run = *runs.front();
    if (!run.framework.empty()) {
      lines.push_back(fmt::format("# {}.json: {}: run its program in {}", lines.size() + 1, subject,
                                  run.framework));
      continue;
    }
    const auto add = [&](const std::string& line) {
      lines.push_back(
          fmt::format("{}{} --json {}.json", line, options_of_both(run), lines.size() + 1));
    };
    const std::string more = options_of_train(run);
    if (more.empty()) {
      std::vector<std::int64_t> batch_sizes;
      for (const RecordedRun* one : runs) batch_sizes.push_back(one->batch_size);
      add(fmt::format("systole compare {} --dataset {} --devices {} --batch-sizes {}", run.model,
                      run.dataset, device_word(run), fmt::join(batch_sizes, ",")));
      continue;
    }
    for (const RecordedRun* one : runs) {
      add(fmt::format("systole train {} --dataset {} --device {} --batch-size {}{}", run.model,
                      run.dataset, device_word(run), one->batch_size, more));
    }
  }
  std::string files;
  for (std::size_t i = 1; i <= lines.size(); ++i) files += fmt::format(" {}.json", i);
  lines.push_back(fmt::format("systole report{} --output page.html", files));
  return fmt::format("<h2>Make it again</h2>\n<pre>{}</pre>\n",
                     escaped(fmt::format("{}", fmt::join(lines, "\n"))));
}

}  // namespace

std::string report_page(const Comparison& comparison) {
  const RecordedRun& first = comparison.runs.front();
  const std::string title =
      fmt::format("{} on {}: the CPU and the systolic array", first.model, first.dataset);
  std::string agreements;
  for (const std::string& line : agreement_lines(comparison)) {
    agreements += fmt::format("<li>{}</li>\n", escaped(line));
  }
  if (!agreements.empty()) agreements = "<h2>To the last bit</h2>\n<ul>\n" + agreements + "</ul>\n";
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n"
             "<p class=\"quiet\"><b>Measured</b> is wall time on this machine. <b>Simulated</b> is "
             "device clocks, exact. <b>Assumed</b> is the device's clock, which turns them into "
             "seconds.</p>\n",
             escaped(title), kStyle) +
         verdict_part(comparison) + figure_part(comparison) + run_table(comparison) +
         clock_table(comparison) + energy_table(comparison) + agreements +
         configuration_part(comparison) + commands(comparison) + "</body>\n</html>\n";
}

}  // namespace systole

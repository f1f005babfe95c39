#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hls/compiler/report/report.h"

namespace systole::compiler {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kBarWidth = 32;
constexpr std::size_t kPathsInJson = 20;

const char* channel_kind(ChannelKind kind) {
  if (kind == ChannelKind::kScalar) return "value";
  return kind == ChannelKind::kStream ? "queue" : "memory";
}

/// Nanoseconds with their significant digits.
double rounded(double ns) { return static_cast<double>(static_cast<long>(ns * 1000 + 0.5)) / 1000; }

const StageReport& slowest(const PipelineReport& pipeline) {
  return *std::max_element(pipeline.stage_reports.begin(), pipeline.stage_reports.end(),
                           [](const StageReport& a, const StageReport& b) { return a.ns < b.ns; });
}

std::string parts(const StageReport& stage) {
  std::vector<std::string> words;
  const auto add = [&](int count, const char* one, const char* many) {
    if (count > 0) words.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  add(stage.multipliers, "multiplier", "multipliers");
  add(stage.tables, "table", "tables");
  add(stage.chains, "carry chain", "carry chains");
  if (stage.carry_bits > 0) words.back() += fmt::format(" ({} bits)", stage.carry_bits);
  return words.empty() ? "wires" : fmt::format("{}", fmt::join(words, ", "));
}

Json area_json(const AreaReport& area) {
  return {{"luts", area.tables},
          {"carry_bits", area.carry_bits},
          {"multipliers", area.multipliers},
          {"flip_flops", area.flip_flops}};
}

Json stage_json(const StageReport& stage) {
  return {{"ns", rounded(stage.ns)},
          {"register_bits", stage.register_bits},
          {"luts_on_path", stage.tables},
          {"extra_lut_inputs_on_path", stage.extra_inputs},
          {"carry_chains_on_path", stage.chains},
          {"carry_bits_on_path", stage.carry_bits},
          {"multipliers_on_path", stage.multipliers},
          {"path", stage.positions}};
}

Json pipeline_json(const PipelineReport& pipeline) {
  Json stage_ns = Json::array();
  Json stages = Json::array();
  for (const StageReport& stage : pipeline.stage_reports) {
    stage_ns.push_back(rounded(stage.ns));
    stages.push_back(stage_json(stage));
  }
  return {{"function", pipeline.function},
          {"stages", pipeline.stages},
          {"initiation_interval", 1},
          {"latency_clocks", pipeline.stages},
          {"lanes", pipeline.lanes},
          {"register_bits_per_lane", pipeline.register_bits},
          {"slowest_ns_estimated", rounded(pipeline.slowest_ns)},
          {"clock_mhz_estimated", rounded(1000 / pipeline.slowest_ns)},
          {"stage_ns_estimated", stage_ns},
          {"area_per_lane_estimated", area_json(pipeline.area)},
          {"stage_reports", stages}};
}

Json kernel_json(const KernelReport& kernel) {
  Json loops = Json::array();
  for (const LoopReport& loop : kernel.loops) {
    Json one = {{"position", loop.position}, {"depth", loop.depth}};
    if (loop.trips > 0) one["iterations"] = loop.trips;
    if (loop.asked) one["interval_asked"] = *loop.asked;
    if (loop.least_by_resources > 0) {
      one["interval_least_by_resources"] = loop.least_by_resources;
    }
    if (loop.least > 0) one["interval_least"] = loop.least;
    if (loop.interval > 0) one["interval"] = loop.interval;
    if (!loop.units.empty()) one["units"] = loop.units;
    if (loop.latency > 0) one["latency_clocks"] = loop.latency;
    if (!loop.flattened.empty()) one["flattened"] = loop.flattened;
    if (!loop.binding.empty()) one["bound_by"] = loop.binding;
    if (!loop.passed.empty()) one["passed_beside_memory"] = loop.passed;
    loops.push_back(one);
  }
  Json whole = {{"function", kernel.kernel},
                {"parameters", kernel.parameters},
                {"clocks_least", kernel.least_clocks}};
  if (kernel.most_clocks && !kernel.has_axi) whole["clocks_most"] = *kernel.most_clocks;
  if (kernel.has_axi) whole["memory"] = kernel.axi_accesses;
  whole["loops"] = loops;
  for (const ProcessReport& one : kernel.processes) {
    Json process = {{"function", one.name},
                    {"position", one.position},
                    {"runs", one.runs},
                    {"clocks_least", one.least_clocks}};
    if (one.most_clocks) process["clocks_most"] = *one.most_clocks;
    whole["processes"].push_back(process);
  }
  for (const ChannelReport& one : kernel.channels) {
    whole["channels"].push_back({{"name", one.name},
                                 {"from", one.writer},
                                 {"to", one.reader},
                                 {"kind", channel_kind(one.kind)},
                                 {"words", one.words},
                                 {"bits", one.width},
                                 {"banks", one.banks}});
    if (one.is_emptied) whole["channels"].back()["emptied"] = true;
    if (one.may_be_short) whole["channels"].back()["may_be_short"] = true;
  }
  return whole;
}

AreaReport all_pipelines(const ModuleReport& module) {
  AreaReport sum;
  sum.flip_flops = module.register_bits;
  for (const PipelineReport& pipeline : module.pipelines) {
    sum.tables += pipeline.lanes * pipeline.area.tables;
    sum.carry_bits += pipeline.lanes * pipeline.area.carry_bits;
    sum.multipliers += pipeline.lanes * pipeline.area.multipliers;
    sum.flip_flops += pipeline.lanes * pipeline.area.flip_flops;
  }
  return sum;
}

}  // namespace

std::string as_json(const Report& report) {
  Json modules = Json::array();
  for (const ModuleReport& module : report.modules) {
    Json pipelines = Json::array();
    for (const PipelineReport& pipeline : module.pipelines) {
      pipelines.push_back(pipeline_json(pipeline));
    }
    modules.push_back({{"module", module.module},
                       {"instances", module.instances},
                       {"register_bits", module.register_bits},
                       {"pipeline_area_estimated", area_json(all_pipelines(module))},
                       {"pipelines", pipelines}});
    for (const KernelReport& kernel : module.kernels) {
      modules.back()["kernel"] = kernel_json(kernel);
    }
    for (std::size_t i = 0; i < std::min(kPathsInJson, module.paths.size()); ++i) {
      const TimedPath& path = module.paths[i];
      modules.back()["paths_estimated"].push_back({{"ns", rounded(path.ns)},
                                                   {"from", path.from},
                                                   {"to", path.to},
                                                   {"positions", path.positions}});
    }
  }
  const Json whole = {{"hlsc", report.version},
                      {"target", report.target},
                      {"delays", report.origin},
                      {"modules", modules}};
  return whole.dump(2) + "\n";
}

std::string as_table(const Report& report) {
  std::string text = fmt::format("Target {}, delays {}; all figures are estimates.\n",
                                 report.target, report.origin);
  for (const ModuleReport& module : report.modules) {
    const AreaReport area = all_pipelines(module);
    text += fmt::format("\n{}: {} register bits of its own", module.module, module.register_bits);
    if (module.pipelines.empty()) {
      text += "\n";
      continue;
    }
    text +=
        fmt::format("; with pipelines {} flip-flops, {} tables, {} carry bits, {} multipliers\n",
                    area.flip_flops, area.tables, area.carry_bits, area.multipliers);
    for (const PipelineReport& pipeline : module.pipelines) {
      text += fmt::format("\n  {}: {} stages, II = 1, latency {} clocks, {} lane{}\n",
                          pipeline.function, pipeline.stages, pipeline.stages, pipeline.lanes,
                          pipeline.lanes == 1 ? "" : "s");
      text += fmt::format("  {:>5}  {:>6}  {:>13}  {}\n", "stage", "ns", "register bits",
                          "slowest path");
      for (std::size_t stage = 0; stage < pipeline.stage_reports.size(); ++stage) {
        const StageReport& one = pipeline.stage_reports[stage];
        text += fmt::format("  {:>5}  {:>6.2f}  {:>13}  {}\n", stage, one.ns, one.register_bits,
                            parts(one));
      }
      text +=
          fmt::format("  {:>5}  {:>6.2f}  {:>13}  {:.1f} MHz; {} tables, {} multipliers a lane\n",
                      "all", pipeline.slowest_ns, pipeline.area.flip_flops,
                      1000 / pipeline.slowest_ns, pipeline.area.tables, pipeline.area.multipliers);
      text += fmt::format("  slowest path: {}\n", fmt::join(slowest(pipeline).positions, " -> "));
    }
  }
  return text;
}

std::string as_schedule(const Report& report) {
  std::string text;
  for (const ModuleReport& module : report.modules) {
    for (const PipelineReport& pipeline : module.pipelines) {
      const double scale = kBarWidth / std::max(0.001, pipeline.slowest_ns - pipeline.register_ns);
      text += fmt::format(
          "{}{} in {}: {} stages of at most {:.2f} ns on {} ({}),"
          " {:.2f} ns of it for registers\n",
          text.empty() ? "" : "\n", pipeline.function, module.module, pipeline.stages,
          pipeline.slowest_ns, report.target, report.origin, pipeline.register_ns);
      for (int stage = 0; stage < pipeline.stages; ++stage) {
        const StageReport& one = pipeline.stage_reports[stage];
        text += fmt::format("stage {:<3} {:.2f} ns, then {} register bits\n", stage, one.ns,
                            one.register_bits);
        for (const OperationReport& operation : pipeline.operations) {
          if (operation.stage != stage) continue;
          const int from = std::min(kBarWidth - 1, static_cast<int>(operation.start_ns * scale));
          const int to =
              std::clamp(static_cast<int>(operation.done_ns * scale + 0.5), from + 1, kBarWidth);
          text += fmt::format("  {:5.2f} {:5.2f} |{:{}}{:=<{}}{:{}}| {:<12} {:>3}  {:<22} {}\n",
                              operation.start_ns, operation.done_ns, "", from, "", to - from, "",
                              kBarWidth - to, operation.kind, operation.width, operation.name,
                              operation.position);
        }
      }
    }
  }
  return text.empty() ? "no pipelines\n" : text;
}

}  // namespace systole::compiler

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hls/compiler/report/report.h"

namespace systole::compiler {
namespace {

constexpr std::size_t kShownPaths = 5;

double period_ns(const Report& report) {
  return report.clock_mhz > 0 ? 1000 / report.clock_mhz : 0;
}

std::string way(const TimedPath& path) {
  return fmt::format("{} -> {}: {}", path.from, path.to, fmt::join(path.positions, " -> "));
}

}  // namespace

std::string as_timing(const Report& report) {
  const double period = period_ns(report);
  std::string text = fmt::format("Target {}, delays {}; all figures are estimates.\n",
                                 report.target, report.origin);
  if (period > 0) text += fmt::format("Required: {} MHz, {:.2f} ns.\n", report.clock_mhz, period);
  text +=
      fmt::format("\n{:<32} {:>6} {:>6}{}\n", "module", "ns", "MHz", period > 0 ? "  slack" : "");
  for (const ModuleReport& module : report.modules) {
    if (module.paths.empty()) continue;
    const double ns = module.paths.front().ns;
    text += fmt::format("{:<32} {:>6.2f} {:>6.1f}", module.module, ns, 1000 / ns);
    if (period > 0) text += fmt::format(" {:>+6.2f}", period - ns);
    text += "\n";
  }
  for (const ModuleReport& module : report.modules) {
    if (module.paths.empty()) continue;
    text += fmt::format("\n{}, slowest paths\n", module.module);
    for (std::size_t i = 0; i < std::min(kShownPaths, module.paths.size()); ++i) {
      text += fmt::format("  {:>6.2f}  {}\n", module.paths[i].ns, way(module.paths[i]));
    }
  }
  return text;
}

std::string missed_clock(const Report& report) {
  const double period = period_ns(report);
  const TimedPath* slowest = nullptr;
  const ModuleReport* in = nullptr;
  for (const ModuleReport& module : report.modules) {
    if (module.paths.empty() || (slowest && module.paths.front().ns <= slowest->ns)) continue;
    slowest = &module.paths.front();
    in = &module;
  }
  if (!slowest || period == 0 || slowest->ns <= period) return "";
  return fmt::format(
      "{} needs {:.2f} ns on {} (estimated), and {} MHz leave {:.2f}: {}; put a register on this "
      "path, or pass --timing-allow-fail",
      in->module, slowest->ns, report.target, report.clock_mhz, period, way(*slowest));
}

}  // namespace systole::compiler

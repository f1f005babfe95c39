#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hls/compiler/report/report.h"

namespace systole::compiler {
namespace {

std::string clocks_of(const KernelReport& kernel) {
  if (kernel.has_axi) return fmt::format("{} or more, as memory answers,", kernel.least_clocks);
  if (!kernel.most_clocks) {
    return fmt::format("{} or more, as its data says,", kernel.least_clocks);
  }
  return kernel.least_clocks == *kernel.most_clocks
             ? fmt::format("{}", kernel.least_clocks)
             : fmt::format("{} to {}, as its data says,", kernel.least_clocks, *kernel.most_clocks);
}

}  // namespace

std::string loop_line(const LoopReport& loop) {
  std::string line = loop.position;
  if (!loop.flattened.empty()) line += fmt::format(" with {}", fmt::join(loop.flattened, ", "));
  if (loop.trips > 0) line += fmt::format(", {} iterations", loop.trips);
  if (loop.interval > 0) {
    line += fmt::format(", one every {} clock{}, {} clock{} each", loop.interval,
                        loop.interval == 1 ? "" : "s", loop.latency, loop.latency == 1 ? "" : "s");
  } else if (loop.latency > 0) {
    line += fmt::format(", {} clock{} each, one after the other", loop.latency,
                        loop.latency == 1 ? "" : "s");
  }
  if (!loop.binding.empty()) line += ": " + loop.binding;
  return line;
}

std::string summary(const KernelReport& kernel) {
  std::string text = fmt::format("//   Of      {}\n//   Clocks  {} from start_i to done_o{}\n",
                                 fmt::join(kernel.parameters, ", "), clocks_of(kernel),
                                 kernel.has_streams ? " while no stream stalls" : "");
  for (const std::string& access : kernel.axi_accesses) {
    text += fmt::format("//   Memory  {}\n", access);
  }
  for (const LoopReport& loop : kernel.loops) {
    text += fmt::format("//   Loop    {}\n", loop_line(loop));
  }
  return text;
}

}  // namespace systole::compiler

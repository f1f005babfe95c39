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
  for (const std::string& word : loop.passed) {
    line += "; passed from a write to the next read beside the memory: " + word;
  }
  return line;
}

std::string process_line(const ProcessReport& process) {
  std::string line = fmt::format("{} ({}), ", process.name, process.position);
  line += process.runs == 1 ? "1 run of " : fmt::format("{} runs of ", process.runs);
  if (process.most_clocks == process.least_clocks) {
    return line + fmt::format("{} clocks", process.least_clocks);
  }
  return line + (process.most_clocks
                     ? fmt::format("{} to {} clocks", process.least_clocks, *process.most_clocks)
                     : fmt::format("{} clocks or more", process.least_clocks));
}

std::string channel_line(const ChannelReport& channel) {
  const std::string ends =
      fmt::format("{} -> {}: {}, ", channel.writer, channel.reader, channel.name);
  const std::string bits = fmt::format("{} bit{}", channel.width, channel.width == 1 ? "" : "s");
  if (channel.kind == ChannelKind::kScalar) return ends + "a value of " + bits;
  if (channel.kind == ChannelKind::kStream) {
    return ends + fmt::format("a queue of {} x {}{}{}", channel.words, bits,
                              channel.is_emptied ? ", emptied after each run" : "",
                              channel.may_be_short ? ", not proved to be long enough" : "");
  }
  return ends + fmt::format("{} bank{} of {} x {}", channel.banks, channel.banks == 1 ? "" : "s",
                            channel.words, bits);
}

std::string summary(const KernelReport& kernel) {
  std::string text = fmt::format("//   Of      {}\n//   Clocks  {} from start_i to done_o{}\n",
                                 fmt::join(kernel.parameters, ", "), clocks_of(kernel),
                                 kernel.has_streams ? " while no stream stalls" : "");
  for (const std::string& access : kernel.axi_accesses) {
    text += fmt::format("//   Memory  {}\n", access);
  }
  for (const ProcessReport& process : kernel.processes) {
    text += fmt::format("//   Process {}\n", process_line(process));
  }
  for (const ChannelReport& channel : kernel.channels) {
    text += fmt::format("//   Channel {}\n", channel_line(channel));
  }
  for (const LoopReport& loop : kernel.loops) {
    text += fmt::format("//   Loop    {}\n", loop_line(loop));
  }
  return text;
}

}  // namespace systole::compiler

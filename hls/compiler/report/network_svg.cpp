#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "hls/compiler/report/report.h"
#include "hls/compiler/report/svg.h"

namespace systole::compiler {
namespace {

constexpr int kMargin = 20;
constexpr int kLeft = 200;
constexpr int kWidth = 900;  ///< of all clocks
constexpr int kRow = 26;
constexpr int kTop = 76;
constexpr int kLine = 18;

}  // namespace

std::string network_svg(const KernelReport& network) {
  Svg svg;
  svg.text(kMargin, 30, "title", network.kernel);
  const bool is_known = network.most_clocks == network.least_clocks;
  svg.text(kMargin, 52, "note",
           is_known ? fmt::format("{} clocks from start_i to done_o; a bar is a run",
                                  network.least_clocks)
                    : "when processes run depends on data");
  const auto clocks = static_cast<double>(std::max<std::int64_t>(1, network.least_clocks));
  const auto x_of = [&](std::int64_t clock) {
    return kLeft + static_cast<int>(kWidth * static_cast<double>(clock) / clocks);
  };
  int y = kTop;
  for (const ProcessReport& process : network.processes) {
    svg.text(kMargin, y + 15, "name", process.name);
    svg.rect(kLeft, y, kWidth, kRow - 4, "#f3f4f6", 1);
    for (std::size_t run = 0; run < process.spans.size(); ++run) {
      const auto [start, end] = process.spans[run];
      svg.rect(x_of(start), y + 2, std::max(1, x_of(end) - x_of(start) - 1), kRow - 8,
               run % 2 == 0 ? "#3b82b8" : "#5f9e6e", 1);
    }
    y += kRow;
  }
  y += kLine;
  for (const ProcessReport& process : network.processes) {
    svg.text(kMargin, y += kLine, "name", "process " + process_line(process));
  }
  for (const ChannelReport& channel : network.channels) {
    svg.text(kMargin, y += kLine, "name", "channel " + channel_line(channel));
  }
  return svg.whole(kLeft + kWidth + kMargin, y + kMargin);
}

}  // namespace systole::compiler

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "hls/compiler/report/report.h"
#include "hls/compiler/report/svg.h"

namespace systole::compiler {
namespace {

constexpr int kLeft = 260;  ///< room for names
constexpr int kRow = 18;    ///< of one operation
constexpr int kHead = 58;   ///< a panel's title and clocks
constexpr int kGap = 26;    ///< between panels
constexpr int kMargin = 20;
constexpr int kLegend = 60;
constexpr std::size_t kMostRows = 80;
constexpr int kFollowing = 2;  ///< iterations that are shown after the first

/// As much of a name as fits.
std::string cut(const std::string& name) {
  constexpr std::size_t kMost = 27;
  return name.size() <= kMost ? name : name.substr(0, kMost - 3) + "...";
}

const char* color_of(TimedOperation::Kind kind) {
  switch (kind) {
    case TimedOperation::Kind::kRead:
      return "#3b82b8";
    case TimedOperation::Kind::kWrite:
      return "#c8553d";
    case TimedOperation::Kind::kUnit:
      return "#7a5ea8";
    case TimedOperation::Kind::kLogic:
      return "#5f9e6e";
  }
  return "";
}

const char* word_of(TimedOperation::Kind kind) {
  switch (kind) {
    case TimedOperation::Kind::kRead:
      return "read";
    case TimedOperation::Kind::kWrite:
      return "write";
    case TimedOperation::Kind::kUnit:
      return "unit of several clocks";
    case TimedOperation::Kind::kLogic:
      return "logic";
  }
  return "";
}

class Picture {
 public:
  explicit Picture(const KernelReport& kernel) : kernel_(kernel) {
    int longest = 1;
    for (const BlockReport& block : kernel.blocks) longest = std::max(longest, shown(block));
    clock_ = std::clamp(900 / longest, 14, 56);
    width_ = std::max(2 * kMargin + kLeft + longest * clock_, 860);
  }

  std::string draw() {
    svg_.text(kMargin, 30, "title", kernel_.kernel);
    int x = kMargin;
    using enum TimedOperation::Kind;
    for (const auto kind : {kRead, kWrite, kUnit, kLogic}) {
      svg_.rect(x, 42, 12, 12, color_of(kind), 1);
      svg_.text(x + 17, 52, "note", word_of(kind));
      x += 45 + 6 * static_cast<int>(std::string(word_of(kind)).size());
    }
    svg_.text(x, 52, "note", "faint: iterations that follow");
    y_ = kMargin + kLegend;
    for (const BlockReport& block : kernel_.blocks) panel(block);
    return svg_.whole(width_, y_);
  }

 private:
  /// Clocks that a panel shows: of an iteration, and of those that follow.
  static int shown(const BlockReport& block) {
    return block.length + (block.interval > 0 ? kFollowing * block.interval : 0);
  }

  void panel(const BlockReport& block) {
    const std::size_t rows = std::min(block.operations.size(), kMostRows);
    const int clocks = shown(block);
    const int top = y_ + kHead;
    const int height = static_cast<int>(rows) * kRow;
    // A title may be long: what binds a loop stands on a line of its own.
    const std::size_t colon = block.title.find(": ");
    svg_.text(kMargin, y_ + 14, "head", block.title.substr(0, colon));
    if (colon != std::string::npos) {
      svg_.text(kMargin, y_ + 30, "note", "bound by: " + block.title.substr(colon + 2));
    }
    for (int clock = 0; clock < clocks; ++clock) {
      const int x = kMargin + kLeft + clock * clock_;
      if (clock % 2 == 0) svg_.rect(x, top, clock_, height, "#f3f4f6", 1);
      if (clock_ >= 22 || clock % 5 == 0) svg_.text(x + 3, top - 4, "note", std::to_string(clock));
    }
    if (block.interval > 0) {
      for (int i = 1; i <= kFollowing; ++i) {
        svg_.dashed_line(kMargin + kLeft + i * block.interval * clock_, top, height);
      }
    }
    for (std::size_t row = 0; row < rows; ++row) {
      const TimedOperation& one = block.operations[row];
      const int y = top + static_cast<int>(row) * kRow;
      svg_.text(kMargin, y + 13, "name", cut(one.name));
      svg_.end_text(kMargin + kLeft - 8, y + 13, one.position);
      const int repeats = block.interval > 0 ? kFollowing : 0;
      for (int i = repeats; i >= 0; --i) bar(one, one.start + i * block.interval, y, i);
    }
    y_ = top + height + kGap;
    if (rows < block.operations.size()) {
      svg_.text(kMargin, y_ - 10, "note",
                fmt::format("and {} more operations", block.operations.size() - rows));
    }
  }

  void bar(const TimedOperation& one, int start, int y, int iteration) {
    const bool passes_on = one.kind == TimedOperation::Kind::kLogic;
    const int width = passes_on ? clock_ : one.clocks * clock_;
    const double opacity = iteration == 0 ? 1 : 0.34 / iteration;
    svg_.rect(kMargin + kLeft + start * clock_ + 1, y + 2, width - 2, kRow - 4, color_of(one.kind),
              opacity);
  }
  const KernelReport& kernel_;
  int clock_ = 20;
  int width_ = 800;
  int y_ = 0;
  Svg svg_;
};

}  // namespace

std::string as_svg(const KernelReport& kernel) {
  return kernel.processes.empty() ? Picture(kernel).draw() : network_svg(kernel);
}

}  // namespace systole::compiler

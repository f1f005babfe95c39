// The drawing of `systole compare --plot`, as gnuplot commands with their data inside.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "host/cli/comparison_figure.h"

namespace systole {
namespace {

constexpr const char* kCpuColor = "#d55e00";
constexpr const char* kDeviceColor = "#0072b2";
constexpr const char* kOtherColor = "#222222";
constexpr const char* kHostColor = "#b0b0b0";
constexpr double kBarWidth = 0.8;
constexpr std::size_t kFewSteps = 50;     // drawn as points
constexpr std::size_t kWindowShare = 20;  // a window is this part of the steps before it
constexpr const char* kEmptyPanel = "set multiplot next\n";

const char* color_of(const ComparedRun& run, std::size_t index) {
  if (run.info.name == "cpu") return kCpuColor;
  return index <= 1 ? kDeviceColor : kOtherColor;
}

std::string counted(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Bars are drawn as boxes with explicit corners, so that groups and stacks need no guessing. A
// group is a batch size; the key says whose bar is whose.
class Bars {
 public:
  void box(double low, double high, const char* color) {
    data_ += fmt::format("{} {} {} {} {} {} 0x{}\n", x_, high, x_ - kBarWidth / 2,
                         x_ + kBarWidth / 2, low, high, color + 1);
  }
  void label(double y, const std::string& text) {
    labels_ += fmt::format("set label \"{}\" at {}, {} center front offset 0,0.6\n", text, x_, y);
  }
  void end_bar() { x_ += 1; }
  void end_group(std::int64_t batch_size) {
    tics_ += fmt::format("{}\"{}\" {}", tics_.empty() ? "" : ", ", batch_size,
                         (group_start_ + x_ - 1) / 2);
    x_ += 0.6;
    group_start_ = x_;
  }
  void key(const char* color, const std::string& text) {
    if (keys_.find("'" + text + "'") != std::string::npos) return;
    keys_ +=
        fmt::format(", NaN with boxes fs solid 0.9 noborder lc rgb '{}' title '{}'", color, text);
  }
  bool empty() const { return data_.empty(); }

  std::string plot(const char* block) const {
    // A few bars alone would be as wide as walls.
    const double last = x_ - 1.6;
    const double margin = std::max(0.8, (kFewestBars - last) / 2);
    return fmt::format(
               "set xrange [{}:{}]\nset xtics ({}) nomirror scale 0\n"
               "set xlabel 'batch size'\nset key top left Left reverse\n{}",
               -margin, last + margin, tics_, labels_) +
           fmt::format(
               "${0} << EOD\n{1}EOD\nplot ${0} using 1:2:3:4:5:6:7 with boxxyerror "
               "lc rgb variable fs solid 0.9 noborder notitle{2}",
               block, data_, keys_);
  }

 private:
  static constexpr double kFewestBars = 4;
  std::string data_, tics_, labels_, keys_;
  double x_ = 0;
  double group_start_ = 0;
};

constexpr const char* kEndPanel =
    "\nunset label\nunset title\nunset xlabel\nunset ylabel\nunset logscale\nset xtics auto\n"
    "set ytics auto\nset xrange [*:*]\nset yrange [*:*]\nset key default samplen 2\n";

// Means over windows that grow with the step, so that a curve on a logarithmic axis stays readable.
std::string loss_points(const std::vector<double>& losses, bool all) {
  std::string points;
  for (std::size_t first = 0; first < losses.size();) {
    const std::size_t count = all ? 1 : std::min(losses.size() - first, 1 + first / kWindowShare);
    double sum = 0;
    for (std::size_t i = first; i < first + count; ++i) sum += losses[i];
    points +=
        fmt::format("{} {}\n", static_cast<double>(first) + 0.5 * static_cast<double>(count + 1),
                    sum / static_cast<double>(count));
    first += count;
  }
  return points;
}

std::string loss_panel(const Comparison& comparison) {
  const std::int64_t batch_size = comparison.batch_sizes().front();
  const auto runs = comparison.of_batch_size(batch_size);
  std::string blocks, plots;
  double highest = 0;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& losses = runs[i]->result.history.losses;
    highest = std::max(highest, std::ranges::max(losses));
    longest = std::max(longest, losses.size());
    const bool few = losses.size() <= kFewSteps;
    blocks += fmt::format("$loss{} << EOD\n{}EOD\n", i, loss_points(losses, few));
    // The first is drawn broad and the next ones narrow on top, for they often coincide.
    const char* style = few ? "points pt 6 ps 1.4 lw 2" : i == 0 ? "lines lw 6" : "lines lw 2";
    plots +=
        fmt::format("{}$loss{} using 1:2 with {} lc rgb '{}' title '{}{}'", i == 0 ? "plot " : ", ",
                    i, style, color_of(*runs[i], i), describe(*runs[i]),
                    runs[i]->result.test ? "" : ", first " + counted(runs[i]->steps(), "step"));
  }
  return fmt::format(
             "set title 'Training loss at batch {} (mean of the last {}% of the steps so far)'\n"
             "set xlabel 'step'\nset ylabel 'loss'\nset logscale xy\n"
             "set xrange [0.9:{}]\nset yrange [*:{}]\nset autoscale yfixmin\n"
             "set ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3, 5)\nset key "
             "top right\n",
             batch_size, 100 / kWindowShare, 1.2 * static_cast<double>(longest), 1.6 * highest) +
         blocks + plots + kEndPanel;
}

std::string time_panel(const Comparison& comparison) {
  Bars bars;
  double highest = 0;
  for (const std::int64_t batch_size : comparison.batch_sizes()) {
    const std::int64_t batches = (comparison.samples + batch_size - 1) / batch_size;
    const auto steps = static_cast<double>(batches);
    bool has_device = false;
    for (const ComparedRun* run : comparison.of_batch_size(batch_size)) {
      if (run->info.cycle_exact && has_device) continue;  // the same cycles again
      has_device |= run->info.cycle_exact;
      const double host = steps * run->host_step_seconds();
      const double total = steps * run->step_seconds();
      const bool on_cpu = run->info.name == "cpu";
      bars.box(0, host, kHostColor);
      bars.box(host, total, on_cpu ? kCpuColor : kDeviceColor);
      bars.label(total, fmt::format("{:.2f}", total));
      bars.key(
          on_cpu ? kCpuColor : kDeviceColor,
          on_cpu ? fmt::format("products on the CPU, {}: measured",
                               counted(run->info.threads, "thread"))
                 : fmt::format("products on a {0} x {0} array: simulated, {1:g} MHz ({2})",
                               run->info.array_size, run->info.clock_mhz, run->info.clock_source));
      highest = std::max(highest, total);
      bars.end_bar();
    }
    bars.end_group(batch_size);
  }
  bars.key(kHostColor, "the rest, on the host: measured");
  return fmt::format(
             "set title 'Seconds for an epoch of {} samples'\nset ylabel 'seconds'\n"
             "set yrange [0:{}]\n",
             comparison.samples, 1.45 * highest) +
         bars.plot("time") + kEndPanel;
}

std::string clocks_panel(const Comparison& comparison) {
  struct Cause {
    const char* name;
    const char* color;
    double share;
  };
  Bars bars;
  int array_size = 0;
  for (const std::int64_t batch_size : comparison.batch_sizes()) {
    const auto runs = comparison.of_batch_size(batch_size);
    const auto found = std::ranges::find_if(runs, [](auto* run) { return run->info.cycle_exact; });
    if (found == runs.end()) continue;
    const Counters& c = (*found)->result.counters;
    array_size = (*found)->info.array_size;
    const auto cycles = static_cast<double>(c.cycles());
    const double useful = utilization(c, array_size);
    const auto share = [&](std::uint64_t clocks) { return static_cast<double>(clocks) / cycles; };
    const Stalls waits = stalls(c);
    const double busy = share(c[device::Count::kRows]);
    const Cause causes[] = {
        {"multiply-adds of the network", kDeviceColor, useful},
        {"padding of ragged tiles", "#56b4e9", busy - useful},
        {"waiting for operands", "#e69f00", share(waits.load + waits.weights)},
        {"waiting for accumulators", "#cc79a7", share(waits.store + waits.sums)},
        {"starting and ending", kHostColor, share(waits.idle)}};
    double low = 0;
    for (const Cause& cause : causes) {
      bars.box(100 * low, 100 * (low + cause.share), cause.color);
      bars.key(cause.color, cause.name);
      low += cause.share;
    }
    bars.label(100, fmt::format("{:.1f}%", 100 * useful));
    bars.end_bar();
    bars.end_group(batch_size);
  }
  if (bars.empty()) return kEmptyPanel;
  return fmt::format(
             "set title 'Where the clocks of the {0} x {0} array go (simulated)'\n"
             "set ylabel 'percent of clocks'\nset yrange [0:165]\nset ytics 0,20,100\n",
             array_size) +
         bars.plot("clocks") + kEndPanel;
}

std::string accuracy_panel(const Comparison& comparison) {
  Bars bars;
  double lowest = 100;
  for (const ComparedRun& run : comparison.runs) {
    if (run.result.test) lowest = std::min(lowest, 100 * run.result.test->accuracy);
  }
  constexpr std::size_t kRoomForTwoDecimals = 6;
  const int decimals = comparison.runs.size() <= kRoomForTwoDecimals ? 2 : 1;
  // A floor of round tens below the lowest: differences stay visible, and the axis says where it
  // is.
  const double floor = std::max(0.0, 10 * std::floor(lowest / 10) - 10);
  for (const std::int64_t batch_size : comparison.batch_sizes()) {
    const auto runs = comparison.of_batch_size(batch_size);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto& test = runs[i]->result.test;
      if (!test) continue;
      const double accuracy = 100 * test->accuracy;
      bars.box(floor, accuracy, color_of(*runs[i], i));
      bars.label(accuracy, fmt::format("{:.{}f}", accuracy, decimals));
      bars.key(color_of(*runs[i], i), describe(*runs[i]));
      bars.end_bar();
    }
    bars.end_group(batch_size);
  }
  if (bars.empty()) return kEmptyPanel;
  return fmt::format(
             "set title 'Test accuracy after {}'\nset ylabel 'percent (the axis starts at {:g})'\n"
             "set yrange [{}:{}]\nset ytics {},5,100\n",
             counted(comparison.runs.front().plan.epochs, "epoch"), floor, floor,
             100 + (100 - floor) / 4, floor) +
         bars.plot("accuracy") + kEndPanel;
}

}  // namespace

std::string figure_commands(const Comparison& comparison) {
  const TrainingPlan& plan = comparison.runs.front().plan;
  return fmt::format(
             "set multiplot layout 2,2 title \"{} on {}: the CPU and the systolic array\" "
             "font ',18' margins 0.07,0.98,0.08,0.90 spacing 0.08,0.13\n"
             "set border 3\nset tics nomirror\nset grid ytics lc rgb '#dddddd'\nset key "
             "samplen 2\n",
             plan.choice.model.name, plan.choice.dataset) +
         loss_panel(comparison) + time_panel(comparison) + clocks_panel(comparison) +
         accuracy_panel(comparison) + "unset multiplot\nunset output\n";
}

}  // namespace systole

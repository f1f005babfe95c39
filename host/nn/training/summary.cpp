// Sequential's summary.

#include <fmt/format.h>

#include "host/nn/training/sequential.h"

namespace systole::nn {
namespace {

constexpr int kLayerWidth = 30, kShapeWidth = 24, kCountWidth = 12;
constexpr int kWidth = kLayerWidth + kShapeWidth + kCountWidth;

std::string thousands(std::int64_t value) {
  std::string digits = fmt::format("{}", value);
  for (auto i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) {
    digits.insert(static_cast<std::size_t>(i), ",");
  }
  return digits;
}

std::string count_line(const char* what, std::int64_t count) {
  const double bytes = static_cast<double>(count) * sizeof(float);
  const std::string size = bytes < 1 << 20 ? fmt::format("{:.2f} KiB", bytes / (1 << 10))
                                           : fmt::format("{:.2f} MiB", bytes / (1 << 20));
  return fmt::format("{}: {} ({} in fp32)\n", what, thousands(count), size);
}

}  // namespace

std::string Sequential::summary() const {
  const std::string rule(kWidth, '-');
  std::string table = rule + "\n";
  table += fmt::format("{:<{}}{:<{}}{:>{}}\n", "Layer", kLayerWidth, "Output shape", kShapeWidth,
                       "Parameters", kCountWidth);
  table += rule + "\n";
  const bool known = !input_shape_.empty();
  std::int64_t trained = 0, others = 0;
  for (std::size_t i = 0; i < stages().size(); ++i) {
    std::int64_t count = 0;
    for (const Parameter* parameter : stages()[i].parameters) {
      const auto size = static_cast<std::int64_t>(parameter->value.size());
      count += size;
      (parameter->trained ? trained : others) += size;
    }
    table += fmt::format("{:<{}}{:<{}}{:>{}}\n", fmt::format("{} ({})", i, stages()[i].kind),
                         kLayerWidth, known ? to_string(stages()[i].output_shape) : "not known yet",
                         kShapeWidth, known ? thousands(count) : "?", kCountWidth);
  }
  table += rule + "\n";
  if (!known) return table;
  return table + count_line("Total parameters", trained + others) + count_line("Trained", trained) +
         count_line("Not trained", others);
}

}  // namespace systole::nn

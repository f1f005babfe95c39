#include "tests/coverage/line_counts.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace systole::tests {
namespace {

constexpr char kKey = '\x01';
constexpr char kValue = '\x02';

/// The value of a key in "\1key\2value\1key\2value".
std::string_view value_of(std::string_view words, std::string_view key) {
  const std::string begin = fmt::format("{}{}{}", kKey, key, kValue);
  const auto at = words.find(begin);
  if (at == std::string_view::npos) return {};
  words.remove_prefix(at + begin.size());
  return words.substr(0, words.find(kKey));
}

template <typename Number>
Number number_of(std::string_view digits, std::string_view line) {
  Number value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw std::runtime_error(fmt::format("'{}' is not a line of Verilator's coverage", line));
  }
  return value;
}

}  // namespace

void LineCounts::add(const std::string& coverage_file) {
  std::ifstream file(coverage_file);
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be read", coverage_file));
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("C '")) add_line(line);
  }
}

// C '<words>' <count>
void LineCounts::add_line(std::string_view line) {
  const auto end = line.rfind("' ");
  const std::string_view words = line.substr(3, end - 3);
  LinePoint point;
  point.module = std::filesystem::path(value_of(words, "f")).stem().string();
  point.line = number_of<int>(value_of(words, "l"), line);
  point.column = number_of<int>(value_of(words, "n"), line);
  point.kind = value_of(words, "o");
  points_[point] += number_of<std::uint64_t>(line.substr(end + 2), line);
}

}  // namespace systole::tests

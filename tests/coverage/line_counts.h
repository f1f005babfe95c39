#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace systole::tests {

/// A place of the generated RTL that runs or not: the beginning of a block, or a side of a branch.
struct LinePoint {
  std::string module;  ///< the file's, as all of its instances count together
  int line = 0;
  int column = 0;
  std::string kind;  ///< "block", "if", "else", "elsif", "case"

  auto operator<=>(const LinePoint&) const = default;
};

/// How often each place ran, over any number of models.
class LineCounts {
 public:
  /// Adds what Verilator wrote: one line for each place of each instance.
  /// Errors   std::runtime_error for a file that is not there or not in Verilator's format
  void add(const std::string& coverage_file);

  const std::map<LinePoint, std::uint64_t>& points() const { return points_; }

 private:
  void add_line(std::string_view line);

  std::map<LinePoint, std::uint64_t> points_;
};

}  // namespace systole::tests

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace systole::tests {

/// An FST file of the accelerator's signals, read back.
///
/// Units    times of the file: clock c is 2 c and, with its inputs in place, 2 c + 1
/// Errors   std::runtime_error for a file that is not FST, and for signals that it lacks
class FstFile {
 public:
  explicit FstFile(const std::string& path);

  std::uint64_t first_clock() const { return first_time_ / 2; }
  std::uint64_t last_clock() const { return last_time_ / 2; }
  std::size_t signals() const { return changes_of_.size(); }
  std::size_t changes() const { return changes_; }
  bool has(const std::string& signal) const { return changes_of_.count(signal) != 0; }

  /// The binary digits of the first signal of this name, without its modules.
  std::string digits(const std::string& signal, std::uint64_t time) const;
  std::uint64_t value(const std::string& signal, std::uint64_t time) const;

 private:
  using Changes = std::map<std::uint64_t, std::string>;  // time, digits
  std::uint64_t first_time_ = 0, last_time_ = 0;
  std::size_t changes_ = 0;
  std::map<std::string, std::uint32_t> changes_of_;
  std::map<std::uint32_t, Changes> by_handle_;
};

}  // namespace systole::tests

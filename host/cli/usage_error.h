#pragma once

#include <stdexcept>
#include <string>

namespace systole {

/// An invalid command line: one line on standard error, exit code 2. Every other exception that
/// leaves a command is a failure: one line, exit code 1.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Does `work`, whose std::invalid_argument is an invalid command line; `what` comes before its
/// text.
template <typename Work>
auto as_usage(const Work& work, const std::string& what = "") {
  try {
    return work();
  } catch (const std::invalid_argument& error) {
    throw UsageError(what + error.what());
  }
}

}  // namespace systole

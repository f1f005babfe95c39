#pragma once

#include <stdexcept>

namespace systole {

/// An invalid command line: one line on standard error, exit code 2. Every other exception that
/// leaves a command is a failure: one line, exit code 1.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace systole

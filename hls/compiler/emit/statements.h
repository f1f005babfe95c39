#pragma once

#include <map>
#include <string>
#include <utility>

namespace llvm {
class DILocalVariable;
class DILocation;
}  // namespace llvm

namespace systole::compiler {

/// Lines of the user's files, read once.
class SourceText {
 public:
  /// The source line at `at`; "" if there is none.
  const std::string& line(const llvm::DILocation& at, unsigned number);

 private:
  std::map<std::pair<std::string, unsigned>, std::string> lines_;
};

/// The user's variable to whose value this instruction contributes: the one assigned on its line,
/// else the last declared at or above it in the same function. Optimised code keeps no better trace
/// of a local value.
const llvm::DILocalVariable* statement_of(const llvm::DILocation& location, SourceText& source);

}  // namespace systole::compiler

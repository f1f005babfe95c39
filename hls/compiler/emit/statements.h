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
  /// The line of a file that `at` is in; "" where there is none.
  const std::string& line(const llvm::DILocation& at, unsigned number);

 private:
  std::map<std::pair<std::string, unsigned>, std::string> lines_;
};

/// The user's variable whose value this instruction is part of: the one that its line assigns, else
/// the last one declared at or above its line in the same function. Optimised code keeps no better
/// trace of a local value.
const llvm::DILocalVariable* statement_of(const llvm::DILocation& location, SourceText& source);

}  // namespace systole::compiler

#pragma once

#include <string>
#include <vector>

namespace systole::compiler {

/// A folder of its own for one run's files, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// The outcome of a program that was run.
struct ToolRun {
  int status = -1;  ///< its exit code; -2 where it ran out of time
  std::string output;
  std::string errors;
};

/// Runs a program of the search path, without a shell, for at most so many seconds (0: any time).
///
/// Errors   Refusal where it is not installed
ToolRun run_tool(const std::vector<std::string>& words, unsigned seconds = 0);

/// The text of a file, "" where there is none.
std::string read_text(const std::string& path);

}  // namespace systole::compiler

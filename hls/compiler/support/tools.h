#pragma once

#include <string>
#include <vector>

namespace systole::compiler {

/// A temporary folder for one run's files, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  /// For a process that ends at once.
  static void remove_all();

 private:
  std::string path_;
};

/// The outcome of running a program.
struct ToolRun {
  int status = -1;  ///< its exit code; -2 if it ran out of time
  std::string output;
  std::string errors;
};

/// Runs a program from the search path, without a shell, for at most this many seconds (0: no
/// limit).
///
/// Errors   Refusal if it is not installed
ToolRun run_tool(const std::vector<std::string>& words, unsigned seconds = 0);

/// The text of a file, or "".
std::string read_text(const std::string& path);

}  // namespace systole::compiler

#pragma once

#include <string>
#include <vector>

namespace systole::tests {

/// The result of running a command line.
struct ProgramRun {
  int exit_code = -1;
  std::string output, errors;
};

/// Runs a command, given as words, like a user's shell.
ProgramRun run_words(const std::vector<std::string>& words);

#ifdef SYSTOLE_PROGRAM
/// Runs build/bin/systole with these arguments.
inline ProgramRun run_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), SYSTOLE_PROGRAM);
  return run_words(arguments);
}
#endif

/// A temporary folder, removed with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  std::vector<std::string> names() const;  ///< its entries, sorted

 private:
  std::string path_;
};

std::string read_file(const std::string& path);

}  // namespace systole::tests

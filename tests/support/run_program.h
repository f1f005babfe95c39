#pragma once

#include <string>
#include <vector>

namespace systole::tests {

/// What a run of the command line left behind.
struct ProgramRun {
  int exit_code = -1;
  std::string output, errors;
};

/// Runs a command, given as its words, as a user's shell would.
ProgramRun run_words(const std::vector<std::string>& words);

#ifdef SYSTOLE_PROGRAM
/// Runs build/bin/systole with these arguments.
inline ProgramRun run_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), SYSTOLE_PROGRAM);
  return run_words(arguments);
}
#endif

/// A fresh folder, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  std::vector<std::string> names() const;  ///< what lies in it, sorted

 private:
  std::string path_;
};

std::string read_file(const std::string& path);

}  // namespace systole::tests

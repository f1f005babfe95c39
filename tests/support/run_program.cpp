#include "tests/support/run_program.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace systole::tests {
namespace {

std::string quoted(const std::string& word) { return "'" + word + "'"; }

}  // namespace

ProgramRun run_words(const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  std::string command;
  for (const std::string& word : words) command += quoted(word) + " ";
  command += ">" + quoted(folder.file("output")) + " 2>" + quoted(folder.file("errors"));
  const int status = std::system(command.c_str());
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .output = read_file(folder.file("output")),
          .errors = read_file(folder.file("errors"))};
}

TemporaryFolder::TemporaryFolder() {
  path_ = (std::filesystem::temp_directory_path() / "systole_test_XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
}

TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(path_); }

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace systole::tests

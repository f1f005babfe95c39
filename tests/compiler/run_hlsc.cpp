#include "tests/compiler/run_hlsc.h"

namespace systole::tests {

std::string source_file(const std::string& path) {
  return std::string(SYSTOLE_SOURCE_DIR) + "/" + path;
}

ProgramRun run_hlsc(const std::string& kernel, const std::string& top,
                    const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {
      kernel, "--top", top, "-I", source_file(""), "-I", source_file("hls/include")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

}  // namespace systole::tests

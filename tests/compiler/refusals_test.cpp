// What is outside the language: each file in refusals/ says at the offending line, in a comment
// `// refused: text`, what hlsc must answer there.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/compiler/run_hlsc.h"

namespace systole::tests {
namespace {

struct Expected {
  int line = 0;
  std::string text;
};

Expected expected_of(const std::string& file) {
  const std::string mark = "// refused: ";
  std::ifstream stream(file);
  Expected expected;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    expected = {number, line.substr(at + mark.size())};
  }
  return expected;
}

std::vector<std::string> refused_files() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_file("tests/compiler/refusals"))) {
    if (entry.path().extension() == ".h") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_CASE("hlsc refuses what is outside the language, with its line and what to write instead") {
  for (const std::string& file : refused_files()) {
    const Expected expected = expected_of(file);
    const TemporaryFolder folder;
    const ProgramRun run = run_hlsc(file, "Top", {"-o", folder.file("out.sv")});
    INFO(file << "\n" << run.errors);
    REQUIRE(expected.line > 0);
    CHECK(run.exit_code == 1);
    CHECK(run.output.empty());
    CHECK(folder.names().empty());
    const std::string position =
        std::filesystem::path(file).filename().string() + ":" + std::to_string(expected.line) + ":";
    const std::size_t at = run.errors.find(position);
    CHECK(run.errors.starts_with("hlsc: error: "));
    REQUIRE(at != std::string::npos);
    CHECK(run.errors.find(expected.text, at + position.size()) != std::string::npos);
  }
}

}  // namespace
}  // namespace systole::tests

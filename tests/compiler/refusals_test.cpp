// What is outside the language: each file in refusals/ says at the offending line, in a comment
// `// refused at COLUMN: text`, what hlsc must answer there.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/compiler/run_hlsc.h"

namespace systole::tests {
namespace {

struct Expected {
  int line = 0;
  int column = 0;
  std::string text;
  std::string source;  ///< the line itself, which hlsc shows with a caret
};

Expected expected_of(const std::string& file) {
  const std::string mark = "// refused";
  std::ifstream stream(file);
  Expected expected;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    const std::size_t colon = line.find(": ", at);
    REQUIRE(colon != std::string::npos);
    REQUIRE(expected.line == 0);  // one in a file: hlsc stops at the first
    const std::string column = line.substr(at + mark.size(), colon - at - mark.size());
    expected = {number, column.empty() ? 0 : std::stoi(column.substr(4)), line.substr(colon + 2),
                line};
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
    CHECK(run.errors.starts_with("hlsc: error: "));
    const std::string place =
        fmt::format("{}:{}:", std::filesystem::path(file).filename().string(), expected.line);
    if (expected.column == 0) {
      CHECK(run.errors.find(place) < run.errors.find(expected.text));
      continue;
    }
    const std::string position = fmt::format("{}{}: ", place, expected.column);
    const std::size_t end = run.errors.find('\n');
    const std::string first = run.errors.substr(0, end);
    const std::size_t at = first.find(position);
    REQUIRE(at != std::string::npos);
    CHECK(first.find(expected.text, at + position.size()) != std::string::npos);
    const std::string shown =
        fmt::format("\n  {}\n  {:>{}}\n", expected.source, "^", expected.column);
    CHECK(run.errors.compare(end, shown.size(), shown) == 0);
  }
}

}  // namespace
}  // namespace systole::tests

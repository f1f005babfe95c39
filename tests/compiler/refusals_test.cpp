// What is outside the language. A file in refusals/ says at the offending line, in a comment
// `// refused at COLUMN: text`, how hlsc must answer. Where many cases open alike, the file holds
// them all: what stands above its first `// ---- name` opens each kernel below.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/compiler/run_hlsc.h"

namespace systole::tests {
namespace {

struct Expected {
  int line = 0;
  int column = 0;
  std::string text;
  std::string source;  ///< the line itself, which hlsc shows with a caret
};

Expected expected_of(const std::string& kernel) {
  const std::string mark = "// refused";
  std::istringstream stream(kernel);
  Expected expected;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    const std::size_t colon = line.find(": ", at);
    REQUIRE(colon != std::string::npos);
    REQUIRE(expected.line == 0);  // one in a kernel: hlsc stops at the first
    const std::string column = line.substr(at + mark.size(), colon - at - mark.size());
    expected = {number, column.empty() ? 0 : std::stoi(column.substr(4)), line.substr(colon + 2),
                line};
  }
  return expected;
}

/// The first line of a refusal that is neither a message about the user's file nor shows a line of
/// it: a place in hlsc's own headers, or in a unit that hlsc wrote; "" for none.
std::string foreign_place(const std::string& errors, const std::string& file) {
  const std::string mark = "hlsc: error: ";
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(mark)) line.erase(0, mark.size());
    if (!line.starts_with(file + ":") && !line.starts_with("  ")) return line;
  }
  return "";
}

/// Every kernel in refusals/, by name.
std::map<std::string, std::string> refused_kernels() {
  const std::string mark = "// ---- ";
  std::map<std::string, std::string> kernels;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_file("tests/compiler/refusals"))) {
    if (entry.path().extension() != ".h") continue;
    std::ifstream stream(entry.path());
    std::string opening;
    std::string* text = &opening;
    for (std::string line; std::getline(stream, line);) {
      if (line.starts_with(mark)) {
        text = &kernels[line.substr(mark.size())];
        REQUIRE(text->empty());  // a name is used once
        *text = opening;
      } else {
        *text += line + "\n";
      }
    }
    if (text == &opening) kernels[entry.path().stem()] = opening;
  }
  return kernels;
}

TEST_CASE("hlsc refuses what is outside the language, with its line and what to write instead") {
  for (const auto& [name, kernel] : refused_kernels()) {
    const Expected expected = expected_of(kernel);
    const TemporaryFolder sources, folder;
    const std::string file = sources.file(name + ".h");
    std::ofstream(file) << kernel;
    const ProgramRun run = run_hlsc(file, "Top", {"-o", folder.file("out.sv")});
    INFO(name << "\n" << run.errors);
    REQUIRE(expected.line > 0);
    CHECK(run.exit_code == 1);
    CHECK(run.output.empty());
    CHECK(folder.names().empty());
    CHECK(run.errors.starts_with("hlsc: error: "));
    CHECK(foreign_place(run.errors, file) == "");
    const std::string place = fmt::format("{}.h:{}:", name, expected.line);
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

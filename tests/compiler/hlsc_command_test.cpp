// The command itself: its options, its exit codes and what it leaves behind.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

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

TEST_CASE("hlsc writes through a link, such as /dev/stdout, and leaves it in place") {
  const TemporaryFolder folder;
  const std::string link = folder.file("link.sv");
  std::ofstream(folder.file("one.sv")) << "old";
  std::filesystem::create_symlink("one.sv", link);
  REQUIRE(run_hlsc(kKernel, kTop, {"-o", link}).exit_code == 0);
  CHECK(std::filesystem::is_symlink(link));
  CHECK(read_file(folder.file("one.sv")) == run_hlsc(kKernel, kTop).output);
  CHECK(folder.names() == std::vector<std::string>{"link.sv", "one.sv"});
  CHECK(run_hlsc(kKernel, kTop, {"-o", "/dev/stdout"}).output == run_hlsc(kKernel, kTop).output);
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

TEST_CASE("--output-dir makes its folder") {
  const TemporaryFolder folder;
  REQUIRE(run_hlsc(kKernel, kTop, {"--output-dir", folder.file("new/deep")}).exit_code == 0);
  CHECK(!std::filesystem::is_empty(folder.file("new/deep")));
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

TEST_CASE("hlsc says what to write for a top whose name several functions have") {
  const TemporaryFolder folder;
  const std::string kernel = folder.file("overloads.h");
  std::ofstream(kernel) << "#include \"systole/hls/int.h\"\n"
                           "using namespace systole::hls;\n"
                           "inline UInt8 f(UInt8 a) { return a; }\n"
                           "inline UInt8 f(UInt8 a, UInt8 b) { return a ^ b; }\n";
  const ProgramRun run = run_hlsc(kernel, "f", {"--stages", "1"});
  INFO(run.errors);
  CHECK(run.exit_code == 1);
  CHECK(run.errors.find("several functions are called 'f'") != std::string::npos);
  CHECK(run.errors.find("give it a function of its own") != std::string::npos);
}

TEST_CASE("hlsc says in one line what is wrong with a top, without a place of its own") {
  const TemporaryFolder folder;
  const std::string kernel = folder.file("tops.h");
  std::ofstream(kernel) << "#include \"systole/hls/kernel.h\"\n"
                           "using namespace systole::hls;\n"
                           "template <int kBits> void any(UInt<kBits>& out) { out = 1; }\n"
                           "inline void twice(UInt<8>& out) { out = 1; }\n"
                           "inline void twice(UInt<9>& out) { out = 1; }\n"
                           "template <int kBits> struct Sized {};\n"
                           "inline constexpr int kNumber = 3;\n";
  for (const char* top : {"nothing", "ns::nothing", "any", "twice", "Sized", "Sized<", "Sized<3>",
                          "kNumber", "3", "int", "", "systole::hls::Vec<int, 0>"}) {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{}, {"--stages", "2"}, {"--clock-mhz", "100"}}) {
      const ProgramRun run = run_hlsc(kernel, top, words);
      INFO(top << ": " << run.errors);
      CHECK(run.exit_code == 1);
      CHECK(run.errors.starts_with("hlsc: error: " + kernel + ":"));
      CHECK(std::count(run.errors.begin(), run.errors.end(), '\n') == 1);
      for (const char* own : {"--top:", "entry.cpp", "hlsc_entry", "include/systole"}) {
        CHECK(run.errors.find(own) == std::string::npos);
      }
    }
  }
}

TEST_CASE("hlsc says where its headers are when it is not told") {
  const TemporaryFolder folder;
  const std::string kernel = folder.file("bare.h");
  std::ofstream(kernel) << "void f(int x) {}\n";
  std::ofstream(folder.file("with.h")) << "#include \"systole/hls/kernel.h\"\n";
  for (const char* name : {"bare.h", "with.h"}) {
    const ProgramRun run = run_program({folder.file(name), "--top", "f", "--stages", "1"});
    INFO(run.errors);
    CHECK(run.exit_code == 1);
    CHECK(run.errors.find("file not found; pass -I") != std::string::npos);
    CHECK(run.errors.find("--top:") == std::string::npos);
  }
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

TEST_CASE("hlsc refuses any compiler but clang 19") {
  for (const char* other : {"/bin/true", "/bin/false", "g++"}) {
    const ProgramRun run = run_hlsc(kKernel, kTop, {"--clang", other});
    INFO(run.errors);
    CHECK(run.exit_code == 1);
    CHECK(run.errors.find("is not clang 19") != std::string::npos);
  }
}

TEST_CASE("errors of one run of clang are not taken for those of the next") {
  const TemporaryFolder folder;
  const std::string kernel = folder.file("top.h");
  std::ofstream(kernel) << "struct Top {};\n";
  // hlsc asks clang of what kind a top is, and then for its messages: a long list and one error.
  const std::string twice = folder.file("twice_clang");
  std::ofstream(twice) << "#!/bin/sh\ncase \"$*\" in *--version*) exec clang++-19 \"$@\" ;; esac\n"
                       << "if [ -e " << folder.file("asked") << " ]; then\n"
                       << "  echo " << kernel << ":1:8: error: the second >&2\n  exit 1\nfi\n"
                       << "touch " << folder.file("asked") << "\nfor turn in 1 2 3 4 5; do\n"
                       << "  echo " << kernel
                       << ":1:1: error: the first, $turn >&2\ndone\nexit 1\n";
  std::filesystem::permissions(twice, std::filesystem::perms::owner_all);
  const ProgramRun run = run_hlsc(kernel, "Top", {"--clang", twice});
  INFO(run.errors);
  CHECK(run.exit_code == 1);
  CHECK(run.errors.starts_with("hlsc: error: " + kernel + ":1:8: the second\n"));
  CHECK(run.errors.find("the first") == std::string::npos);
}

TEST_CASE("hlsc says on a terminal, after two seconds, what it is doing") {
  const TemporaryFolder folder;
  const std::string slow = folder.file("slow_clang");
  std::ofstream(slow) << "#!/bin/sh\ncase \"$*\" in *--version*) ;; *) sleep 3 ;; esac\n"
                         "exec clang++-19 \"$@\"\n";
  std::filesystem::permissions(slow, std::filesystem::perms::owner_all);
  const std::string command = std::string(SYSTOLE_PROGRAM) + " " + kKernel + " --top " + kTop +
                              " -I " + source_file("hls/include") + " -I " + source_file("") +
                              " --clang " + slow + " -o " + folder.file("one.sv");
  const ProgramRun shown = run_words({"script", "-qec", command, "/dev/null"});
  INFO(shown.output << shown.errors);
  CHECK(shown.exit_code == 0);
  CHECK(shown.output.starts_with("hlsc: clang, " + kKernel));
  const ProgramRun piped = run_hlsc(kKernel, kTop, {"--clang", slow, "-o", folder.file("one.sv")});
  CHECK(piped.exit_code == 0);
  CHECK(piped.errors.empty());
}

TEST_CASE("hlsc ends at its limit of time, says what took it, and leaves nothing behind") {
  const TemporaryFolder folder;
  const std::string deep = folder.file("deep.h");
  // A round that no scheduler cuts in a second: 30,000 operations.
  std::ofstream(deep)
      << "#pragma once\n#include \"systole/hls/int.h\"\nusing namespace "
         "systole::hls;\ninline UInt<16> deep(UInt<16> x, UInt<16> y) {\n  for (int "
         "i = 0; i < 10000; ++i) {\n    x = truncate<UInt<16>>((x ^ y) * x + "
         "UInt<16>::from(unsigned(i)));\n  }\n  return x;\n}\n";
  const ProgramRun slow = run_hlsc(
      deep, "deep", {"--stages", "20", "--time-limit", "1", "--output-dir", folder.file("out")});
  INFO(slow.errors);
  CHECK(slow.exit_code == 4);
  CHECK(slow.output.empty());
  CHECK(slow.errors.starts_with("hlsc: error: "));
  CHECK(slow.errors.find("the time limit of 1 s is over: ") != std::string::npos);
  CHECK(slow.errors.find(" has worked on ") != std::string::npos);
  CHECK(slow.errors.find("raise --time-limit\n") != std::string::npos);
  CHECK(folder.names() == std::vector<std::string>{"deep.h"});
}

TEST_CASE("the limit of time is one of processor time, whatever else the machine does") {
  const TemporaryFolder folder;
  const std::string slow = folder.file("slow_clang");
  std::ofstream(slow) << "#!/bin/sh\ncase \"$*\" in *--version*) exec clang++-19 \"$@\" ;; esac\n"
                         "for turn in 1 2 3 4 5 6; do\n  i=0\n"
                         "  while [ $i -lt 30000 ]; do i=$((i + 1)); done\n  sleep 1\ndone\n"
                         "exec clang++-19 \"$@\"\n";
  std::filesystem::permissions(slow, std::filesystem::perms::owner_all);
  const ProgramRun run =
      run_hlsc(kKernel, kTop, {"--clang", slow, "--time-limit", "5", "-o", folder.file("one.sv")});
  INFO(run.errors);
  CHECK(run.exit_code == 0);
  const std::string busy = folder.file("busy_clang");
  std::ofstream(busy) << "#!/bin/sh\ncase \"$*\" in *--version*) exec clang++-19 \"$@\" ;; esac\n"
                         "while true; do :; done\n";
  std::filesystem::permissions(busy, std::filesystem::perms::owner_all);
  const ProgramRun ended = run_hlsc(kKernel, kTop, {"--clang", busy, "--time-limit", "1"});
  INFO(ended.errors);
  CHECK(ended.exit_code == 4);
  CHECK(ended.errors.find("clang has worked on " + kKernel + " for 1 s") != std::string::npos);
}

TEST_CASE("a program that hlsc runs ends with it at the limit of time") {
  const TemporaryFolder folder;
  const std::string stuck = folder.file("stuck_clang");
  std::ofstream(stuck) << "#!/bin/sh\ncase \"$*\" in *--version*) exec clang++-19 \"$@\" ;; esac\n"
                          "echo $$ > "
                       << folder.file("process") << "\nexec sleep 1000\n";
  std::filesystem::permissions(stuck, std::filesystem::perms::owner_all);
  const ProgramRun ended = run_hlsc(kKernel, kTop, {"--clang", stuck, "--time-limit", "2"});
  INFO(ended.errors);
  CHECK(ended.exit_code == 4);
  CHECK(ended.errors.find("clang has used no processor time on " + kKernel) != std::string::npos);
  int process = 0;
  REQUIRE(std::ifstream(folder.file("process")) >> process);
  const std::filesystem::path image = "/proc/" + std::to_string(process) + "/exe";
  // It has been killed; the kernel may need a moment to take it away.
  for (int wait = 0; wait < 500 && std::filesystem::exists(image); ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(!std::filesystem::exists(image));
}

TEST_CASE("hlsc answers an unreadable kernel with one error") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("empty.h")) << "";
  std::ofstream(folder.file("bytes.h")) << std::string(
      "\x7f"
      "ELF\0\xff\xfe\0{{{",
      12);
  std::ofstream(folder.file("half.h")) << "struct Top { struct Inputs {";
  std::ofstream(folder.file("missing.h")) << "#include \"no_such_file.h\"\n";
  for (const std::string& name : {"", "empty.h", "bytes.h", "half.h", "missing.h"}) {
    const ProgramRun run = run_hlsc(folder.file(name), "Top");
    INFO(name << "\n" << run.errors);
    CHECK(run.exit_code == 1);
    CHECK(run.errors.starts_with("hlsc: error: " + folder.path()));
    CHECK(run.errors.find("entry.cpp") == std::string::npos);
    CHECK(run.output.empty());
  }
}

TEST_CASE("hlsc shows the IR after every pass that it lists, and no other") {
  const TemporaryFolder folder;
  const ProgramRun list = run_program({"--list-passes"});
  REQUIRE(list.exit_code == 0);
  const std::string kernels = source_file("tests/compiler/kernels/");
  std::string shown;
  for (const auto& [kernel, top] :
       std::vector<std::pair<std::string, std::string>>{{"pipelines.h", "tests::Lines<4>"},
                                                        {"hierarchy.h", "tests::Lanes"},
                                                        {"threads.h", "tests::sum_pairs"}}) {
    const ProgramRun run = run_hlsc(kernels + kernel, top, {"--print-after=all"});
    REQUIRE(run.exit_code == 0);
    CHECK(run.output.find("\nendmodule") != std::string::npos);
    shown += run.errors;
  }
  std::istringstream lines(list.output);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string pass = line.substr(0, line.find(' '));
    INFO(pass);
    CHECK(shown.find(" after " + pass + "\n") != std::string::npos);
    CHECK(line.find_first_not_of(' ', pass.size()) != std::string::npos);  // and says what it does
  }
  CHECK(count > 10);
}

TEST_CASE("hlsc stops after a pass with the top's IR, positions beside it, and writes no file") {
  const TemporaryFolder folder;
  const ProgramRun run =
      run_hlsc(kKernel, kTop, {"--stop-after=narrow", "-o", folder.file("out.sv")});
  INFO(run.output);
  REQUIRE(run.exit_code == 0);
  CHECK(run.output.starts_with("; Feedback::clock after narrow\ndefine "));
  CHECK(run.output.find("call i32 @hls.read_register") != std::string::npos);
  CHECK(run.output.find("; state.h:") != std::string::npos);
  CHECK(run.output.find("dbg") == std::string::npos);
  CHECK(folder.names().empty());
}

/// A pass that reads clang's own IR, and what it turns of a kernel into what.
struct PassOnKernel {
  const char *pass, *kernel, *top, *gone, *there;
};

TEST_CASE("passes over clang's IR leave what hlsc lists of them") {
  for (const PassOnKernel& one : std::vector<PassOnKernel>{
           {"compile", "threads.h", "tests::sum_pairs", "hls.", "llvm.coro"},
           {"make_sequential", "threads.h", "tests::sum_pairs", "llvm.coro", "@hls.suspend"},
           {"split_at_suspensions", "threads.h", "tests::sum_pairs", "phi", "alloca i8"},
           {"expand_picks", "thread_arrays.h", "tests::look_ups", "5kBitsE", "@pick.kBits"},
           {"extract_states", "threads.h", "tests::sum_pairs", "@hls.suspend", "@hls.store"},
           {"join_outputs", "outputs.h", "tests::Accumulating<3>", "EE7outputs", "sret"},
           {"lower_pipelines", "pipelines.h", "tests::Single<2>", "Pipeline",
            "@hls.pipeline_clock"}}) {
    const ProgramRun run = run_hlsc(source_file("tests/compiler/kernels/") + one.kernel, one.top,
                                    {std::string("--stop-after=") + one.pass});
    INFO(one.pass << "\n" << run.output << run.errors);
    CHECK(run.exit_code == 0);
    CHECK(run.output.find(one.gone) == std::string::npos);
    CHECK(run.output.find(one.there) != std::string::npos);
  }
}

TEST_CASE("a state has the name of its statement's label, or else of its loop's") {
  const ProgramRun run =
      run_hlsc(source_file("tests/compiler/kernels/labels.h"), "tests::labelled_states", {});
  INFO(run.output << run.errors);
  REQUIRE(run.exit_code == 0);
  CHECK(run.output.find("StFetch = 2'd0,  // words.pop()") != std::string::npos);
  CHECK(run.output.find("StDecode = 2'd1,  // the next edge") != std::string::npos);
  CHECK(run.output.find("StSkip = 2'd2,  // the next edge") != std::string::npos);
  CHECK(run.output.find("StExecute = 2'd3  // results.push()") != std::string::npos);
}

TEST_CASE("hlsc lists its passes when asked for an unknown one") {
  for (const char* option : {"--stop-after=narow", "--print-after=narow"}) {
    const ProgramRun run = run_hlsc(kKernel, kTop, {option});
    CHECK(run.exit_code == 1);
    CHECK(run.errors.find("there is no pass 'narow'; the passes are compile, ") !=
          std::string::npos);
  }
}

TEST_CASE("hlsc makes the same module of a reproducer as of the kernel, without its folders") {
  const TemporaryFolder folder;
  const std::string one = folder.file("one.cpp");
  const ProgramRun whole = run_hlsc(kKernel, kTop, {"--emit-reproducer", one});
  REQUIRE(whole.exit_code == 0);
  CHECK(read_file(one).starts_with("// hlsc "));
  const ProgramRun again = run_program({one, "--top", kTop});
  INFO(again.errors);
  REQUIRE(again.exit_code == 0);
  CHECK(again.output.substr(again.output.find("\nmodule ")) ==
        whole.output.substr(whole.output.find("\nmodule ")));
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

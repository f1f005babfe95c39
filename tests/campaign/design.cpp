#include "tests/campaign/design.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "hls/compiler/support/processor_time.h"

namespace systole::tests {

namespace fs = std::filesystem;

Design::Design(const BatchTools& tools) : tools_(tools), folder_(tools.work_dir / "batch") {
  fs::remove_all(folder_);
  fs::create_directories(folder_);
}

bool Design::step(const std::string& command) const {
  const int status = std::system(
      fmt::format("cd {} && {{ {}; }} > log.txt 2>&1", folder_.string(), command).c_str());
  if (status == -1) throw std::runtime_error("cannot run a shell");
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string Design::log() const {
  std::ifstream stream(folder_ / "log.txt");
  std::stringstream text;
  text << stream.rdbuf();
  return text.str().empty() ? "ended without a word" : text.str().substr(0, 600);
}

bool Design::compile(const std::string& name, const std::string& top,
                     const std::string& what) const {
  const double start = compiler::processor_seconds(RUSAGE_CHILDREN);
  const bool done = step(fmt::format(
      "{0} {1}.h --top systole::tests::{2} -I {3} -I {3}/hls/include -I . {4} --time-limit {5} "
      "-o {1}.sv",
      tools_.hlsc, name, top, tools_.source_dir.string(), tools_.options, tools_.time_limit));
  const double taken = compiler::processor_seconds(RUSAGE_CHILDREN) - start;
  if (tools_.slowest && taken > tools_.slowest->seconds) *tools_.slowest = {taken, what};
  return done;
}

bool Design::verilate(const std::string& name) const {
  const std::string source = tools_.source_dir.string();
  return step(fmt::format("cmake -DRTL={0}.sv -DNAME={0} -DFLAT={0}_flat.sv -DPORTS={0}_ports.h "
                          "-P {1}/cmake/flat_top.cmake",
                          name, source)) &&
         // Without a step of Verilator 5.006's that may fail (docs/verification.md, Simulators).
         step(fmt::format(
             "{0} --cc -O1 -fno-dedup -Wall -Wno-DECLFILENAME -Wno-UNUSED --x-initial "
             "unique --top-module flat --prefix V{1} --Mdir . {1}_flat.sv {1}.sv -y {2}/rtl/cells",
             tools_.verilator, name, source));
}

bool Design::build_driver(const std::string& name, const std::string& common) const {
  const std::string model =
      fmt::format("{0} -std=c++20 -O0 -w -isystem {1}/include -isystem {1}/include/vltstd",
                  tools_.clang, tools_.verilator_root);
  // The C++ is the oracle, so it must do nothing undefined: where it reads past an array, both
  // sides may do the same.
  const std::string checked = fmt::format(
      "{0} -fsanitize=address,undefined -fstrict-flex-arrays=3 -fno-sanitize-recover=all -I {1} -I "
      "{1}/hls/include -I .",
      model, tools_.source_dir.string());
  const fs::path header = tools_.work_dir / (name + ".h");
  if (!fs::exists(header)) {
    std::ofstream(header) << common;
    if (!step(fmt::format("{0} -x c++-header ../{1}.h -o ../{1}.h.pch && {2} -x c++-header "
                          "{3}/include/verilated.h -o ../verilated.h.pch",
                          checked, name, model, tools_.verilator_root))) {
      fs::remove(header);
      return false;
    }
  }
  return step(
      fmt::format("for one in V*.cpp; do echo \"#include \\\"$one\\\"\"; done > all.cc && "
                  "{0} -c -include-pch ../{1}.h.pch driver.cpp -o driver.o && "
                  "{2} -c -include-pch ../verilated.h.pch all.cc -o all.o && "
                  "{0} all.o driver.o {3} -pthread -o driver",
                  checked, name, model, tools_.runtime));
}

}  // namespace systole::tests

// Each pass on small input: PASS.ll beside this file holds its cases,
//
//   ; ---- what the case shows
//   (IR; the operations of operations.h are declared)
//   ; becomes
//   ;   (the functions' bodies)            or  ; refused: what the user is told
//
// The function is @f. A first line `; module` makes it the clock() of a module with an 8-bit
// register `lone`, an array `matrix[2][3]`, an input `x` and an output `y`; `; thread` makes it the
// first state of a thread, @g the second, over registers 0 and 1, of 8 bits and one name,
// and the state's.
//
// After a change that is meant, `compiler_passes_test [update]` rewrites what the cases become;
// read the difference.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "hls/compiler/lower/pass.h"
#include "tests/compiler/passes/ir.h"

namespace systole::tests {
namespace {

using namespace systole::compiler;

struct Case {
  std::string name, ir, becomes, refused;
};

struct CaseFile {
  std::filesystem::path path;
  std::string pass, unit;
  std::vector<Case> cases;
};

std::string after(const std::string& line, const std::string& mark) {
  return line.starts_with(mark) ? line.substr(mark.size()) : "";
}

CaseFile read_cases(const std::filesystem::path& path) {
  CaseFile file{.path = path, .pass = path.stem(), .unit = "", .cases = {}};
  std::ifstream stream(path);
  bool input = true;
  for (std::string line; std::getline(stream, line);) {
    const std::string name = after(line, "; ---- "), refused = after(line, "; refused: ");
    if (!name.empty()) {
      file.cases.push_back({.name = name, .ir = "", .becomes = "", .refused = ""});
      input = true;
    } else if (file.cases.empty()) {
      file.unit = after(line, "; ");
    } else if (!refused.empty()) {
      file.cases.back().refused = refused;
    } else if (line == "; becomes") {
      input = false;
    } else if (input) {
      file.cases.back().ir += line + "\n";
    } else {
      file.cases.back().becomes += after(line, ";   ") + "\n";
    }
  }
  return file;
}

std::vector<CaseFile> all_cases() {
  std::vector<CaseFile> files;
  const std::filesystem::path folder = SYSTOLE_SOURCE_DIR "/tests/compiler/passes";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".ll") files.push_back(read_cases(entry.path()));
  }
  return files;
}

Leaf leaf(const std::string& name, std::int64_t offset_bytes, unsigned width = 8) {
  return {.name = name,
          .offset_bytes = offset_bytes,
          .size_bytes = 1,
          .width = width,
          .dimensions = {},
          .position = "kernel.h:1"};
}

/// The bodies of the functions after the pass, or what it refused the kernel with.
std::string result(const CaseFile& file, const Case& one) {
  Ir ir(one.ir);
  LoweredModule module;
  LoweredFunction pipeline;
  LoweredThread thread;
  Unit unit{.program = ir.module(), .functions = {&ir.function()}};
  if (file.unit == "module") {
    module = {.clock = &ir.function(),
              .reset = ir.module().getFunction("reset"),
              .state = {leaf("lone", 0), leaf("matrix", 1)},
              .inputs = {leaf("x", 0)},
              .outputs = {leaf("y", 0)},
              .instances = {},
              .pipelines = {}};
    module.state[1].size_bytes = 6;
    module.state[1].dimensions = {{2, 3}, {3, 1}};
    unit.module = &module;
  } else if (file.unit == "thread") {
    thread.registers = {leaf("kept", 0), leaf("kept", 1), leaf("state", 2, 1)};
    for (const char* name : {"f", "g"}) {
      llvm::Function* edge = ir.module().getFunction(name);
      if (edge) thread.states.push_back({.name = name, .position = "", .edge = edge});
    }
    thread.reset = ir.module().getFunction("reset");
    unit.functions = thread.edges();
    unit.thread = &thread;
  } else {
    pipeline.body = &ir.function();
    unit.pipeline = &pipeline;
  }
  try {
    run_passes(file.pass, unit);
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  std::string text;
  for (const llvm::Function* function : unit.functions) {
    if (unit.functions.size() > 1) text += "@" + function->getName().str() + "\n";
    text += ir.body(function->getName().str());
  }
  return text;
}

TEST_CASE("every pass turns the IR of its cases into what they say, or refuses it", "[passes]") {
  for (const CaseFile& file : all_cases()) {
    for (const Case& one : file.cases) {
      INFO(file.pass << " " << one.name);
      const std::string text = result(file, one);
      if (one.refused.empty()) {
        CHECK(text == one.becomes);
      } else {
        CHECK_THAT(text, Catch::Contains(one.refused));
      }
    }
  }
}

TEST_CASE("the cases' results are written again", "[.][update]") {
  for (const CaseFile& file : all_cases()) {
    std::ofstream stream(file.path);
    if (!file.unit.empty()) stream << "; " << file.unit << "\n";
    for (const Case& one : file.cases) {
      stream << "; ---- " << one.name << "\n" << one.ir;
      if (!one.refused.empty()) {
        stream << "; refused: " << one.refused << "\n";
        continue;
      }
      stream << "; becomes\n";
      std::istringstream lines(result(file, one));
      for (std::string line; std::getline(lines, line);) stream << ";   " << line << "\n";
    }
  }
}

TEST_CASE("every pass that hlsc lists has cases", "[passes]") {
  // These read clang's own IR and types; compiler_hlsc_command_test and lock-step tests show them
  // on kernels.
  std::set<std::string> tested = {"compile",         "make_sequential",      "join_outputs",
                                  "lower_pipelines", "split_at_suspensions", "extract_states",
                                  "cut_enum_loads"};
  for (const CaseFile& file : all_cases()) {
    CHECK(pass_named(file.pass).name == file.pass);
    if (!file.cases.empty()) tested.insert(file.pass);
  }
  for (const Pass& pass : passes()) {
    INFO(pass.name);
    CHECK(tested.count(pass.name) == 1);
  }
}

const char* const kBranches = R"(
define i8 @f(i1 %c, i8 %a) {
entry:
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %x = phi i8 [ %a, %then ], [ 0, %entry ]
  ret i8 %x
})";

TEST_CASE("run_passes refuses names that no pass has", "[passes]") {
  Ir ir(kBranches);
  Unit unit{.program = ir.module(), .functions = {&ir.function()}};
  CHECK_THROWS_WITH(run_passes("narow", unit), "no pass is called narow");
}

TEST_CASE("run_passes blames a pass after which something no longer holds", "[passes]") {
  Ir ir(kBranches);
  Unit unit{.program = ir.module(), .functions = {&ir.function()}};
  unit.facts = {Fact::kOneBlock};
  CHECK_THROWS_WITH(run_passes("fold_picks", unit),
                    "after the pass fold_picks, f breaks: one block");
}

}  // namespace
}  // namespace systole::tests

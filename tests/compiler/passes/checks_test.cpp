// Checks: what is refused, and what is close to it and is not.

#include <llvm/IR/Instructions.h>

#include <catch2/catch.hpp>
#include <functional>

#include "hls/compiler/checks/calls.h"
#include "hls/compiler/checks/check.h"
#include "hls/compiler/checks/pipeline_uses.h"
#include "hls/compiler/checks/shift_amounts.h"
#include "hls/compiler/checks/unknown_registers.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/passes/cut_indices.h"
#include "tests/compiler/passes/ir.h"

namespace systole::tests {
namespace {

using namespace systole::compiler;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("check_language refuses what has no hardware") {
  const auto refused = [](const std::string& line) {
    return refusal_of("declare void @llvm.trap()\ndefine void @f(ptr %p, i32 %n, float %x) {\n  " +
                          line + "\n  ret void\n}",
                      check_language);
  };
  CHECK(has(refused("%y = fadd float %x, %x"), "float or double"));
  CHECK(has(refused("%y = load volatile i8, ptr %p"), "volatile"));
  CHECK(has(refused("%y = atomicrmw add ptr %p, i32 1 seq_cst"), "atomic"));
  CHECK(has(refused("%y = alloca i8, i32 %n"), "constant size"));
  CHECK(has(refused("call void @llvm.trap()"), "cannot stop"));
  CHECK(has(refused("call void asm sideeffect \"nop\", \"\"()"), "assembly"));
  CHECK(refused("%y = alloca i8, i32 4").empty());
  CHECK(refused("%y = load i8, ptr %p").empty());
}

TEST_CASE("check_loops refuses an endless loop") {
  CHECK(has(
      refusal_of("define void @f() {\nentry:\n  br label %a\na:\n  br label %a\n}", check_loops),
      "never ends"));
}

TEST_CASE("check_values refuses undefined values, check_addresses leftover addresses") {
  CHECK(has(
      refusal_of("define i8 @f(i8 %x) {\n  %y = add i8 %x, undef\n  ret i8 %y\n}", check_values),
      "has no value"));
  CHECK(has(refusal_of("define i8 @f(i8 %x) {\n  ret i8 poison\n}", check_values), "has no value"));
  CHECK(has(refusal_of("define i1 @f(ptr %p, ptr %q) {\n  %y = icmp eq ptr %p, %q\n  ret i1 %y\n}",
                       check_addresses),
            "an address has no meaning"));
  CHECK(refusal_of("define i8 @f(i8 %x) {\n  ret i8 %x\n}", check_values).empty());
}

TEST_CASE("refuse_clock_in_itself refuses a call of the function it is in") {
  const auto check = [](llvm::Function& function) {
    for (llvm::Instruction& one : function.getEntryBlock()) {
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&one)) refuse_clock_in_itself(*call);
    }
  };
  CHECK(has(refusal_of("define void @f() {\n  call void @f()\n  ret void\n}", check),
            "clock() calls itself"));
  CHECK(refusal_of("declare void @g()\ndefine void @f() {\n  call void @g()\n  ret void\n}", check)
            .empty());
}

/// A shift at a user's line, or at one of the type layer's.
std::string shift(const std::string& amount, const std::string& file = "kernel.h") {
  return "define i32 @f(i32 %x, i32 %n, i4 %small) !dbg !2 {\n" + amount +
         "  %y = shl i32 %x, %by, !dbg !5\n  ret i32 %y\n}\n"
         "!llvm.module.flags = !{!6}\n!llvm.dbg.cu = !{!0}\n"
         "!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: "
         "FullDebug)\n"
         "!1 = !DIFile(filename: \"" +
         file +
         "\", directory: \"/\")\n"
         "!2 = distinct !DISubprogram(name: \"f\", file: !1, line: 1, type: !3, unit: !0, spFlags: "
         "DISPFlagDefinition)\n"
         "!3 = !DISubroutineType(types: !4)\n!4 = !{null}\n"
         "!5 = !DILocation(line: 7, column: 9, scope: !2)\n"
         "!6 = !{i32 2, !\"Debug Info Version\", i32 3}\n";
}

TEST_CASE("check_shift_amounts refuses a user's shift that may go beyond its width") {
  CHECK(refusal_of(shift("  %by = add i32 %n, 0\n"), check_shift_amounts)
            .starts_with("/kernel.h:7:9: this shifts a 32-bit host integer"));
  CHECK(has(refusal_of(shift("  %by = and i32 %n, 33\n"), check_shift_amounts), "may be 32"));
  CHECK(refusal_of(shift("  %by = and i32 %n, 31\n"), check_shift_amounts).empty());
  CHECK(refusal_of(shift("  %by = zext i4 %small to i32\n"), check_shift_amounts).empty());
  CHECK(
      refusal_of(shift("  %by = add i32 %n, 0\n", "include/systole/hls/int.h"), check_shift_amounts)
          .empty());
}

/// A module of 8-bit registers, the last one an array of four, and its clock().
std::string refusal_of_module(const std::string& clock, const std::string& reset,
                              const std::function<void(LoweredModule&)>& check) {
  Ir ir("define void @f(i1 %c, i8 %x) {\n" + clock + "}\ndefine void @reset() {\n" + reset +
        "  ret void\n}\n");
  LoweredModule module;
  module.clock = &ir.function();
  module.reset = reset.empty() ? nullptr : &ir.function("reset");
  module.state = {{.name = "a", .width = 8, .dimensions = {}, .position = "k.h:1:1"},
                  {.name = "b", .width = 8, .dimensions = {}, .position = "k.h:2:2"},
                  {.name = "array", .width = 8, .dimensions = {{4, 1}}, .position = "k.h:3:3"}};
  try {
    check(module);
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "";
}

std::string unknown(const std::string& clock, const std::string& reset = "") {
  return refusal_of_module(clock, reset, check_unknown_registers);
}

TEST_CASE("check_unknown_registers refuses a register that is read and never written") {
  const std::string read =
      "  %a = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)\n"
      "  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %a)\n  ret void\n";
  CHECK(has(unknown(read), "k.h:1:1: 'a' is read, but nothing writes it"));
  CHECK(unknown(read, "  call void @hls.write_register._32_64_8(i32 0, i64 0, i8 1)\n").empty());
}

/// A register that is read and gets the value that the lines compute of it, as %next.
std::string feedback(const std::string& lines) {
  return "  %a = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)\n" + lines +
         "  call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %next)\n  ret void\n";
}

TEST_CASE("check_unknown_registers refuses a register that cannot leave its unknown start") {
  CHECK(has(unknown(feedback("  %next = add i8 %a, %x\n")),
            "k.h:1:1: 'a' always depends on its own last value"));
  CHECK(unknown(feedback("  %next = add i8 %a, %x\n"),
                "  call void @hls.write_register._32_64_8(i32 0, i64 0, i8 0)\n")
            .empty());
  CHECK(unknown(feedback("  %sum = add i8 %a, %x\n  %next = select i1 %c, i8 %sum, i8 %x\n"))
            .empty());
  CHECK(unknown(feedback("  %next = and i8 %a, %x\n")).empty());
}

TEST_CASE("check_unknown_registers follows registers through each other") {
  const std::string ring =
      "  %a = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)\n"
      "  %b = call i8 @hls.read_register.i8_32_64(i32 1, i64 0)\n"
      "  %s = add i8 %b, %x\n"
      "  call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %s)\n"
      "  %t = xor i8 %a, %x\n"
      "  call void @hls.write_register._32_64_8(i32 1, i64 0, i8 %t)\n  ret void\n";
  CHECK(has(unknown(ring), "depends on its own last value"));
  CHECK(unknown(ring, "  call void @hls.write_register._32_64_8(i32 1, i64 0, i8 0)\n").empty());
}

std::string access(const std::string& index, const std::string& operation = "load") {
  return "  %y = zext i8 %x to i64\n" + index + "  %v = call i8 @hls." + operation +
         ".i8_32_64(i32 2, i64 %i)\n"
         "  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %v)\n  ret void\n";
}

TEST_CASE("check_index_ranges refuses an index that may leave its array of pipelines") {
  const auto check = [](const std::string& index) {
    return refusal_of_module(access(index, "pipeline_output"), "", [](LoweredModule& module) {
      check_index_ranges(*module.clock, module);
    });
  };
  CHECK(has(check("  %i = and i64 %y, 7\n"), "outside of 'array', which has 4 elements"));
  CHECK(check("  %i = and i64 %y, 3\n").empty());
}

std::string pipeline(const std::string& clock) {
  return refusal_of_module(clock, "", [](LoweredModule& module) {
    module.state[0].kind = LeafKind::kPipeline;
    check_pipeline_uses(module);
  });
}

TEST_CASE("check_pipeline_uses wants one clock, under no condition") {
  const std::string once = "  call void @hls.pipeline_clock._32_64_8(i32 0, i64 0, i8 %x)\n";
  CHECK(pipeline(once + "  ret void\n").empty());
  CHECK(has(pipeline("  ret void\n"), "k.h:1:1: pipeline 'a' is never clocked"));
  CHECK(has(pipeline(once + once + "  ret void\n"), "exactly once"));
  CHECK(has(pipeline("  br i1 %c, label %then, label %end\nthen:\n" + once +
                     "  br label %end\nend:\n  ret void\n"),
            "outside of conditions"));
}

TEST_CASE("check_pipeline_uses wants the output before the clock") {
  const std::string read =
      "  %y = call i8 @hls.pipeline_output.i8_32_64(i32 0, i64 0)\n"
      "  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %y)\n";
  const std::string clock = "  call void @hls.pipeline_clock._32_64_8(i32 0, i64 0, i8 %x)\n";
  CHECK(pipeline(read + clock + "  ret void\n").empty());
  CHECK(has(pipeline(clock + read + "  ret void\n"), "is read after it was clocked"));
}

}  // namespace
}  // namespace systole::tests

// Proofs that generated RTL is its C++, and that a proof fails where it is not.

#include "hls/compiler/prove/prove.h"

#include <catch2/catch.hpp>

#include "hls/compiler/compiler.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/kernels/accumulate.h"
#include "hls/kernels/mac.h"
#include "tests/compiler/kernels/functions.h"
#include "tests/compiler/run_hlsc.h"

namespace systole::compiler {
namespace {

using tests::source_file;
using Verdict = Proof::Verdict;

/// The function of tests/compiler/kernels/functions.h and the module that hlsc makes of it.
Claim claim_of(const std::string& function, int stages) {
  Claim claim{.source = {.file = source_file("tests/compiler/kernels/functions.h"),
                         .top = "systole::tests::" + function,
                         .include_folders = {source_file(""), source_file("hls/include")},
                         .clang = "clang++-19"},
              .stages = stages};
  const GeneratedModule made = generate_function(claim.source, {.stages = stages});
  claim.verilog = made.text;
  claim.module = made.name;
  return claim;
}

/// A function of the kernels and a module of rtl/generated.
Claim committed_claim(const std::string& kernel, const std::string& function, int stages,
                      const std::string& module) {
  return {.source = {.file = source_file("hls/kernels/" + kernel),
                     .top = function,
                     .include_folders = {source_file(""), source_file("hls/include")},
                     .clang = "clang++-19"},
          .stages = stages,
          .verilog = tests::read_file(source_file("rtl/generated/" + module + ".sv")),
          .module = module};
}

void replace_once(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  INFO(text);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
}

std::uint64_t value_of(const Proof& proof, const std::string& input) {
  for (const auto& [name, digits] : proof.inputs) {
    if (name == input) return std::stoull(digits, nullptr, 16);
  }
  FAIL("no input " << input);
  return 0;
}

TEST_CASE("each kind of operation is proved, in one stage and in several", "[prove]") {
  const auto function = GENERATE(as<std::string>(), "sums", "products", "shifts", "four_shifts",
                                 "two_shifts", "comparisons", "slices", "branches", "loops", "wide",
                                 "unread", "modes", "records", "lanes", "chosen");
  for (const int stages : {1, 4}) {
    const Proof proof = prove(claim_of(function, stages), {});
    INFO(function << " in " << stages << " stages: " << proof.note << proof.undefined);
    CHECK(proof.verdict == Verdict::kProved);
    CHECK(proof.simulated == 1024);
  }
}

TEST_CASE("the accelerator's arithmetic, as committed, is proved", "[prove]") {
  CHECK(prove(committed_claim("mac.h", "mac", kernels::kMacStages, "systole_multiply_add"), {})
            .verdict == Verdict::kProved);
  CHECK(prove(committed_claim("accumulate.h", "accumulate", kernels::kAccumulateStages,
                              "systole_accumulate_add"),
              {})
            .verdict == Verdict::kProved);
}

TEST_CASE("a changed operator is refuted by inputs on which the C++ gives something else",
          "[prove]") {
  Claim claim = claim_of("products", 2);
  replace_once(claim.verilog, " * ", " + ");
  const Proof proof = prove(claim, {});
  REQUIRE(proof.verdict == Verdict::kRefuted);
  REQUIRE(proof.inputs.size() == 3);
  using namespace systole::hls;
  const auto natively =
      tests::products(UInt<7>::from(value_of(proof, "a")), UInt<7>::from(value_of(proof, "b")),
                      truncate<Int<6>>(UInt<6>::from(value_of(proof, "c"))));
  CHECK(std::stoull(proof.expected, nullptr, 16) == natively.value());
  CHECK(proof.found != proof.expected);
}

TEST_CASE("a fault that one input in two million shows is found by the solver", "[prove]") {
  Claim claim = claim_of("slices", 1);
  const std::size_t at = claim.verilog.rfind("<=");
  REQUIRE(at != std::string::npos);
  claim.verilog.insert(at + 2, " {9'd0, a_i == 21'h15a5a5} ^");
  const Proof proof = prove(claim, {});
  REQUIRE(proof.verdict == Verdict::kRefuted);
  CHECK(proof.solver == "cadical");
  CHECK(value_of(proof, "a") == 0x15a5a5);
}

TEST_CASE("a module that is a clock early, or late, is refuted", "[prove]") {
  Claim claim = claim_of("shifts", 3);
  claim.stages = GENERATE(2, 4);
  CHECK(prove(claim, {}).verdict == Verdict::kRefuted);
}

TEST_CASE("a module that remembers an earlier result is refuted", "[prove]") {
  Claim claim = claim_of("slices", 2);
  const std::size_t end = claim.verilog.rfind("<=");
  const std::size_t start = claim.verilog.rfind('\n', end);
  const std::string target = claim.verilog.substr(start + 1, end - start - 1);
  const std::string name = target.substr(target.find_first_not_of(' '));
  claim.verilog.insert(end + 2, " (" + name + "== 10'd77) ? 10'd76 :");
  CHECK(prove(claim, {}).verdict == Verdict::kRefuted);
}

TEST_CASE("a module with other ports is refuted", "[prove]") {
  Claim claim = claim_of("slices", 1);
  replace_once(claim.verilog, "[20:0] a_i", "[21:0] a_i");
  const Proof proof = prove(claim, {});
  CHECK(proof.verdict == Verdict::kRefuted);
  CHECK(proof.note == "a_i has 22 bits, not 21");
}

TEST_CASE("a function that can do something undefined is not proved", "[prove]") {
  const Proof proof = prove(claim_of("leading_zeros", 1), {});
  CHECK(proof.verdict == Verdict::kUndefined);
  CHECK(proof.undefined.find("a count of the zeros of 0") != std::string::npos);
  CHECK(value_of(proof, "a") == 0);
  CHECK_THROWS_AS(claim_of("overshift", 1), Refusal);
}

TEST_CASE("each solver proves and refutes on its own", "[prove]") {
  const SolveOptions options{.solver = GENERATE(as<std::string>(), "abc", "cadical")};
  Claim claim = claim_of("branches", 2);
  CHECK(prove(claim, options).verdict == Verdict::kProved);
}

TEST_CASE("hlsc_prove says proved with 0, not proved with 1, and wrong usage with 2", "[prove]") {
  const std::string file = source_file("tests/compiler/kernels/functions.h");
  const auto proved = tests::run_hlsc(file, "systole::tests::sums", {"--stages", "2"});
  CHECK(proved.exit_code == 0);
  CHECK(proved.output.starts_with("proved: sums in systole_sums, 2 stages\n"));
  const auto undefined = tests::run_hlsc(file, "systole::tests::leading_zeros", {"--stages", "1"});
  CHECK(undefined.exit_code == 1);
  CHECK(undefined.output.find("the C++ is undefined: functions.h:") != std::string::npos);
  CHECK(tests::run_hlsc(file, "systole::tests::sums").exit_code == 2);
}

}  // namespace
}  // namespace systole::compiler

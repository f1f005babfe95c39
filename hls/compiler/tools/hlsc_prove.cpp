// hlsc_prove: proves generated SystemVerilog equal to its C++. See docs/verification.md, "Proofs".

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "hls/compiler/compiler.h"
#include "hls/compiler/frontend/installed_headers.h"
#include "hls/compiler/prove/prove.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/tools.h"

namespace {

namespace compiler = systole::compiler;

constexpr int kNotProved = 1;
constexpr int kWrongUsage = 2;

void print_counterexample(const compiler::Proof& proof) {
  for (const auto& [name, value] : proof.inputs) fmt::print("  {:<14} 0x{}\n", name, value);
}

void print(const compiler::Proof& proof, const compiler::Claim& claim) {
  using Verdict = compiler::Proof::Verdict;
  const std::string subject =
      fmt::format("{} in {}, {} stages", proof.function, claim.module, claim.stages);
  switch (proof.verdict) {
    case Verdict::kProved:
      fmt::print(
          "proved: {}\n"
          "  inputs      {} bits, every value; {} register bits, whatever they held\n"
          "  undefined   nothing: {} operations that could be never are\n"
          "  circuit     {} gates; {} of {} result bits the same by structure\n"
          "  solver      {}, {:.2f} s\n"
          "  translation agrees with the native C++ on {} random inputs\n",
          subject, proof.argument_bits, proof.register_bits, proof.side_conditions, proof.gates,
          proof.result_bits - proof.open_bits, proof.result_bits, proof.solver, proof.seconds,
          proof.simulated);
      return;
    case Verdict::kRefuted:
      fmt::print("refuted: {}\n", subject);
      if (!proof.note.empty()) {
        fmt::print("  {}\n", proof.note);
        return;
      }
      print_counterexample(proof);
      fmt::print("  {:<14} 0x{}, natively\n  {:<14} 0x{}, after {} clocks\n", "C++ gives",
                 proof.expected, "module gives", proof.found, claim.stages);
      return;
    case Verdict::kUndefined:
      fmt::print("refuted: {}\n  the C++ is undefined: {}\n", subject, proof.undefined);
      print_counterexample(proof);
      return;
    case Verdict::kUndecided:
      fmt::print("undecided: {}\n  {}\n", subject, proof.note);
      return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Proves that generated SystemVerilog computes its C++ function, for every input.\n\n"
      "Example: hlsc_prove hls/kernels/mac.h --top mac --stages 5 -I . -I hls/include\n"
      "compiles the function and proves the module that comes out;\n"
      "--rtl FILE --module NAME proves that module of that file instead.\n\n"
      "Exit codes: 0 proved, 1 not proved, 2 wrong usage."};
  app.set_version_flag("--version", compiler::version());
  compiler::Claim claim;
  claim.source.clang = "clang++-19";
  compiler::SolveOptions options;
  std::string rtl;
  app.add_option("kernel", claim.source.file, "the .h or .cpp that defines the function")
      ->required();
  app.add_option("--top", claim.source.top, "name of the pure function")->required();
  app.add_option("--stages", claim.stages, "clocks from the arguments to the result")
      ->required()
      ->check(CLI::Range(1, 64));
  app.add_option("-I,--include", claim.source.include_folders,
                 "folders that #include searches; those of the installed package are known");
  auto* file = app.add_option("--rtl", rtl, "this SystemVerilog instead of what hlsc makes now")
                   ->check(CLI::ExistingFile);
  app.add_option("--module", claim.module, "the module in --rtl")->needs(file);
  app.add_option("--solver", options.solver, "auto (the default), abc or cadical")
      ->check(CLI::IsMember({"auto", "abc", "cadical"}));
  app.add_option("--timeout", options.seconds, "seconds for each solver, 600 unless told");
  app.add_option("--clang", claim.source.clang, "the clang++ 19 that reads the kernel");
  try {
    app.parse(argc, argv);
    if (!rtl.empty() && claim.module.empty()) {
      throw CLI::RequiredError("--rtl needs --module, which");
    }
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fmt::print(stderr, "hlsc_prove: {}; see hlsc_prove --help\n", error.what());
    return kWrongUsage;
  }
  for (const std::string& folder : compiler::installed_headers()) {
    claim.source.include_folders.push_back(folder);
  }
  try {
    if (rtl.empty()) {
      const compiler::GeneratedModule made =
          compiler::generate_function(claim.source, {.stages = claim.stages});
      claim.verilog = made.text;
      claim.module = made.name;
    } else {
      claim.verilog = compiler::read_text(rtl);
    }
    const compiler::Proof proof = compiler::prove(claim, options);
    print(proof, claim);
    return proof.verdict == compiler::Proof::Verdict::kProved ? 0 : kNotProved;
  } catch (const compiler::Refusal& refusal) {
    fmt::print(stderr, "hlsc_prove: error: {}\n", refusal.what());
    return kNotProved;
  } catch (const std::exception& error) {
    fmt::print(stderr, "hlsc_prove: {}\n", error.what());
    return kNotProved;
  }
}

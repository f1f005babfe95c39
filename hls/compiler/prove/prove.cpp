#include "hls/compiler/prove/prove.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <stdexcept>

#include "hls/compiler/frontend/layout.h"
#include "hls/compiler/prove/execute.h"
#include "hls/compiler/prove/netlist.h"
#include "hls/compiler/prove/replay.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/tools.h"

namespace systole::compiler {
namespace {

constexpr int kSimulated = 1024;  // a multiple of 64

/// Digits of the bits in one lane of a simulation.
std::string hex(const Bits& bits, const std::vector<std::uint64_t>& nodes, int lane) {
  std::string digits;
  for (std::size_t low = 0; low < bits.size(); low += 4) {
    int digit = 0;
    for (std::size_t i = low; i < std::min(low + 4, bits.size()); ++i) {
      digit |= static_cast<int>((Circuit::value(bits[i], nodes) >> lane) & 1) << (i - low);
    }
    digits.insert(digits.begin(), "0123456789abcdef"[digit]);
  }
  return digits;
}

/// The low bits of a native result, which is as long as its type in memory.
std::string cut(const std::string& digits, std::size_t width) {
  const std::size_t count = (width + 3) / 4;
  std::string kept = digits.size() > count ? digits.substr(digits.size() - count)
                                           : std::string(count - digits.size(), '0') + digits;
  if (width % 4 != 0) {
    const int mask = (1 << (width % 4)) - 1;
    const int top = std::stoi(kept.substr(0, 1), nullptr, 16) & mask;
    kept[0] = "0123456789abcdef"[top];
  }
  return kept;
}

std::string btor_of(const Claim& claim) {
  const ScratchFolder scratch;
  std::ofstream(scratch.file("module.sv")) << claim.verilog;
  const std::string script = fmt::format(
      "read_verilog -sv {}; hierarchy -check -top {}; proc; flatten; opt_clean; write_btor {}",
      scratch.file("module.sv"), claim.module, scratch.file("module.btor"));
  const ToolRun run = run_tool({"yosys", "-q", "-p", script});
  if (run.status != 0) {
    throw Refusal(
        fmt::format("yosys does not read {}: {}{}", claim.module, run.errors, run.output));
  }
  return read_text(scratch.file("module.btor"));
}

class Prover {
 public:
  Prover(const Claim& claim, const SolveOptions& options) : claim_(claim), options_(options) {}

  Proof run() {
    llvm::LLVMContext context;
    Source source = claim_.source;
    source.top_is_function = true;
    const Program program = compile(source, context);
    const llvm::DICompositeType* type =
        class_of(program.module->getFunction(program.clock_function)->getSubprogram());
    function_ = execute(*program.module->getFunction(template_function(type)), circuit_);
    proof_.function = function_.name;
    proof_.side_conditions = function_.undefined.size();
    for (const Argument& argument : function_.arguments) {
      proof_.argument_bits += static_cast<int>(argument.bits.size());
    }
    compare_with_native();
    if (!show_defined()) return proof_;
    show_equal();
    return proof_;
  }

 private:
  /// The translation of the function against the function itself, on random inputs: what a fault in
  /// the translation would make different.
  void compare_with_native() {
    std::mt19937_64 random(2);
    std::vector<std::vector<std::string>> arguments;
    std::vector<std::string> expected;
    for (int word = 0; word < kSimulated / 64; ++word) {
      std::vector<std::uint64_t> inputs(circuit_.input_count());
      for (std::uint64_t& input : inputs) input = word % 2 ? random() : random() & random();
      const auto nodes = circuit_.simulate(inputs);
      std::uint64_t undefined = 0;
      for (const Undefined& one : function_.undefined) {
        undefined |= Circuit::value(one.when, nodes);
      }
      for (int lane = 0; lane < 64; ++lane) {
        if ((undefined >> lane) & 1) continue;
        arguments.push_back(arguments_of(nodes, lane));
        expected.push_back(hex(function_.result, nodes, lane));
      }
    }
    const std::vector<std::string> native = run_natively(claim_.source, arguments);
    for (std::size_t i = 0; i < native.size(); ++i) {
      if (cut(native[i], function_.result.size()) == expected[i]) continue;
      throw std::logic_error(fmt::format(
          "the translation of {} is wrong: for {} it gives {}, natively it is {}", function_.name,
          fmt::join(arguments[i], " "), expected[i], cut(native[i], function_.result.size())));
    }
    proof_.simulated = static_cast<int>(native.size());
  }

  std::vector<std::string> arguments_of(const std::vector<std::uint64_t>& nodes, int lane) const {
    std::vector<std::string> digits;
    for (const Argument& argument : function_.arguments) {
      digits.push_back(hex(argument.bits, nodes, lane));
    }
    return digits;
  }

  bool show_defined() {
    Signal any = kFalse;
    for (const Undefined& one : function_.undefined) any = circuit_.either(any, one.when);
    const Solution solution = solve(circuit_, any, options_);
    proof_.seconds += solution.seconds;
    proof_.solver = solution.solver;
    if (solution.answer == Answer::kNever) return true;
    if (solution.answer == Answer::kUnknown) {
      proof_.note = "whether the function does something undefined is not decided";
      return false;
    }
    proof_.verdict = Proof::Verdict::kUndefined;
    const auto nodes = assign(solution);
    for (const Undefined& one : function_.undefined) {
      if ((Circuit::value(one.when, nodes) & 1) == 0) continue;
      proof_.undefined = one.what;
      break;
    }
    return false;
  }

  void show_equal() {
    const Netlist netlist(btor_of(claim_));
    proof_.register_bits = netlist.register_bits();
    if (const std::string fault = ports_fault(netlist); !fault.empty()) {
      proof_.verdict = Proof::Verdict::kRefuted;
      proof_.note = fault;
      return;
    }
    NetlistRun run(netlist, circuit_);
    for (int clock = 0; clock <= claim_.stages; ++clock) {
      run.set_input("rst_ni", clock, {kTrue});
    }
    for (const Argument& argument : function_.arguments) {
      run.set_input(argument.name + "_i", 0, argument.bits);
    }
    const Bits found = run.output(netlist.outputs()[0].name, claim_.stages);
    Arithmetic gates(circuit_);
    const Signal differ = inverse(gates.equal(function_.result, found));
    proof_.gates = circuit_.cone_size(Arithmetic::concat(function_.result, found));
    proof_.result_bits = static_cast<int>(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      proof_.open_bits += found[i] != function_.result[i];
    }
    const Solution solution = solve(circuit_, differ, options_);
    proof_.seconds += solution.seconds;
    proof_.solver = solution.solver;
    if (solution.answer == Answer::kUnknown) {
      proof_.note = "no solver decided it in time";
      return;
    }
    if (solution.answer == Answer::kNever) {
      proof_.verdict = Proof::Verdict::kProved;
      return;
    }
    proof_.verdict = Proof::Verdict::kRefuted;
    const auto nodes = assign(solution);
    proof_.found = hex(found, nodes, 0);
    const std::string translated = hex(function_.result, nodes, 0);
    if (proof_.expected != translated) {
      throw std::logic_error(
          fmt::format("the translation of {} is wrong: it gives {}, natively "
                      "it is {}",
                      function_.name, translated, proof_.expected));
    }
  }

  /// Whether the module has the function's ports: an input for each argument, one output.
  std::string ports_fault(const Netlist& netlist) const {
    for (const Argument& argument : function_.arguments) {
      const std::string name = argument.name + "_i";
      const auto port = std::find_if(netlist.inputs().begin(), netlist.inputs().end(),
                                     [&](const Netlist::Port& one) { return one.name == name; });
      if (port == netlist.inputs().end()) return fmt::format("the module has no input {}", name);
      if (port->width != argument.bits.size()) {
        return fmt::format("{} has {} bits, not {}", name, port->width, argument.bits.size());
      }
    }
    if (netlist.outputs().size() != 1) return "the module has not one output";
    const Netlist::Port& output = netlist.outputs()[0];
    if (output.width != function_.result.size()) {
      return fmt::format("{} has {} bits, not {}", output.name, output.width,
                         function_.result.size());
    }
    return "";
  }

  /// The counterexample's nodes, with its arguments and the native result noted.
  std::vector<std::uint64_t> assign(const Solution& solution) {
    std::vector<std::uint64_t> inputs(circuit_.input_count());
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = solution.inputs[i] ? ~0ull : 0;
    auto nodes = circuit_.simulate(inputs);
    const std::vector<std::string> digits = arguments_of(nodes, 0);
    for (std::size_t i = 0; i < digits.size(); ++i) {
      proof_.inputs.emplace_back(function_.arguments[i].name, digits[i]);
    }
    proof_.expected = cut(run_natively(claim_.source, {digits}).at(0), function_.result.size());
    return nodes;
  }

  const Claim& claim_;
  const SolveOptions& options_;
  Circuit circuit_;
  FunctionMeaning function_;
  Proof proof_;
};

}  // namespace

Proof prove(const Claim& claim, const SolveOptions& options) {
  return Prover(claim, options).run();
}

}  // namespace systole::compiler

#include "hls/compiler/prove/prove.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <stdexcept>

#include "hls/compiler/checks/constant_indices.h"
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

/// The bits of a native result at these places of its memory.
std::string picked(const std::string& digits, const std::vector<int>& places) {
  std::string found((places.size() + 3) / 4, '0');
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto at = static_cast<std::size_t>(places[i]);
    const char digit = digits.at(digits.size() - 1 - at / 4);
    const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    char& to = found[found.size() - 1 - i / 4];
    const int sum = (to <= '9' ? to - '0' : to - 'a' + 10) | ((value >> at % 4) & 1) << i % 4;
    to = "0123456789abcdef"[sum];
  }
  return found;
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
    drop_index_tests(*program.module);
    const llvm::DICompositeType* type =
        class_of(program.module->getFunction(program.clock_function)->getSubprogram());
    function_ = execute(*program.module->getFunction(method_of(type, "evaluate")), circuit_);
    result_ = function_.result();
    proof_.function = function_.name;
    proof_.side_conditions = function_.undefined.size();
    for (const Value& argument : function_.arguments) {
      proof_.argument_bits += static_cast<int>(argument.bits.size());
    }
    compare_with_native();
    if (!show_defined()) return proof_;
    show_equal();
    return proof_;
  }

 private:
  /// Compares the function's translation with the function itself on random inputs, which would
  /// expose a fault in the translation.
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
        expected.push_back(hex(result_, nodes, lane));
      }
    }
    const std::vector<std::string> native = run_natively(claim_.source, arguments);
    for (std::size_t i = 0; i < native.size(); ++i) {
      const std::string found = picked(native[i], function_.places);
      if (found == expected[i]) continue;
      throw std::logic_error(
          fmt::format("the translation of {} is wrong: for {} it gives {}, natively it is {}",
                      function_.name, fmt::join(arguments[i], " "), expected[i], found));
    }
    proof_.simulated = static_cast<int>(native.size());
  }

  /// The parameters' memory as the native function reads it.
  std::vector<std::string> arguments_of(const std::vector<std::uint64_t>& nodes, int lane) const {
    std::vector<std::string> digits;
    for (const Bits& memory : function_.memory) digits.push_back(hex(memory, nodes, lane));
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
    for (const Value& argument : function_.arguments) {
      run.set_input(argument.name + "_i", 0, argument.bits);
    }
    Bits found;
    for (const Value& value : function_.results) {
      const Bits bits = run.output(port_of(value, netlist)->name, claim_.stages);
      found.insert(found.end(), bits.begin(), bits.end());
    }
    Arithmetic gates(circuit_);
    const Signal differ = inverse(gates.equal(result_, found));
    proof_.gates = circuit_.cone_size(Arithmetic::concat(result_, found));
    proof_.result_bits = static_cast<int>(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      proof_.open_bits += found[i] != result_[i];
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
    const std::string translated = hex(result_, nodes, 0);
    if (proof_.expected != translated) {
      throw std::logic_error(
          fmt::format("the translation of {} is wrong: it gives {}, natively "
                      "it is {}",
                      function_.name, translated, proof_.expected));
    }
  }

  /// The output for the value: the only one under any name; null if there is none.
  static const Netlist::Port* port_of(const Value& value, const Netlist& netlist) {
    const std::vector<Netlist::Port>& ports = netlist.outputs();
    if (ports.size() == 1) return ports.data();
    const auto port = std::find_if(ports.begin(), ports.end(), [&](const Netlist::Port& one) {
      return one.name == value.name + "_o";
    });
    return port == ports.end() ? nullptr : &*port;
  }

  /// Checks that the module has the function's ports: an input for each argument, an output for
  /// each part of the result.
  std::string ports_fault(const Netlist& netlist) const {
    for (const Value& argument : function_.arguments) {
      const std::string name = argument.name + "_i";
      const auto port = std::find_if(netlist.inputs().begin(), netlist.inputs().end(),
                                     [&](const Netlist::Port& one) { return one.name == name; });
      if (port == netlist.inputs().end()) return fmt::format("the module has no input {}", name);
      if (port->width != argument.bits.size()) {
        return fmt::format("{} has {} bits, not {}", name, port->width, argument.bits.size());
      }
    }
    if (netlist.outputs().size() != function_.results.size()) {
      return fmt::format("the module has {} outputs, not {}", netlist.outputs().size(),
                         function_.results.size());
    }
    for (const Value& value : function_.results) {
      const Netlist::Port* port = port_of(value, netlist);
      if (!port) return fmt::format("the module has no output {}_o", value.name);
      if (port->width != value.bits.size()) {
        return fmt::format("{} has {} bits, not {}", port->name, port->width, value.bits.size());
      }
    }
    return "";
  }

  /// The counterexample's nodes, with its arguments and the native result noted.
  std::vector<std::uint64_t> assign(const Solution& solution) {
    std::vector<std::uint64_t> inputs(circuit_.input_count());
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = solution.inputs[i] ? ~0ull : 0;
    auto nodes = circuit_.simulate(inputs);
    for (const Value& argument : function_.arguments) {
      proof_.inputs.emplace_back(argument.name, hex(argument.bits, nodes, 0));
    }
    proof_.expected =
        picked(run_natively(claim_.source, {arguments_of(nodes, 0)}).at(0), function_.places);
    return nodes;
  }

  const Claim& claim_;
  const SolveOptions& options_;
  Circuit circuit_;
  FunctionMeaning function_;
  Bits result_;
  Proof proof_;
};

}  // namespace

Proof prove(const Claim& claim, const SolveOptions& options) {
  return Prover(claim, options).run();
}

}  // namespace systole::compiler

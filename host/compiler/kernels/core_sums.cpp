#include "host/compiler/kernels/core_sums.h"

#include <utility>

#include "host/graph/cores.h"

namespace systole::lowering {
namespace {

using device::VectorStreamEnd;
using vector::Assembler;

/// A kernel over all elements of a value, whatever their rows.
KernelCode flat(const Surroundings& around, int value) {
  KernelCode code;
  code.walk = Walk::kFlat;
  code.cols = graph::element_count(around.graph.type(value).shape);
  return code;
}

vector::Value read_term(Assembler& program, const CoreTerm& term, KernelCode& code) {
  if (term.value < 0) return program.bits_or(program.constant(term.number), Assembler::kZero);
  const vector::Value own = program.take(static_cast<int>(code.in.size()));
  code.in.push_back({.value = term.value});
  if (!term.weight) return program.bits_or(own, Assembler::kZero);
  return program.multiply(own, program.constant(*term.weight));
}

}  // namespace

bool is_core_sum(const graph::Operation& operation) { return graph::cores_of(operation) > 1; }

CoreTerm term_of(const graph::Graph& graph, const graph::Operation& sum) {
  const int operand = sum.operands[0];
  if (const auto number = graph.splat(operand)) return {.number = static_cast<float>(*number)};
  const int value = graph.before_reshapes(operand);
  const graph::Operation* maker = graph.maker(value);
  if (maker != nullptr && maker->kind->name == "multiply") {
    for (const std::size_t i : {0U, 1U}) {
      const auto weight = graph.splat(maker->operands[i]);
      const int other = maker->operands[1 - i];
      if (!weight || graph.splat(other)) continue;
      return {.value = graph.before_reshapes(other), .weight = static_cast<float>(*weight)};
    }
  }
  return {.value = value};
}

KernelCode write_upward_sum(const Surroundings& around, int value, int core) {
  const graph::Operation& sum = *around.graph.maker(value);
  KernelCode code = flat(around, value);
  Assembler program;
  vector::Value total = read_term(program, term_of(around.graph, sum), code);
  if (core > 0) {
    code.link_in = VectorStreamEnd::kDown;
    total = program.add(program.take(kLinkStream), total);
  }
  if (core + 1 == graph::cores_of(sum)) {
    program.send(0, total);
    code.out.push_back({.value = value});
  } else {
    code.link_out = VectorStreamEnd::kUp;
    program.send(kLinkStream, total);
  }
  code.body = {.program = program.finish(), .table = {}};
  return code;
}

// The next core's words go first: the queues of memory's streams are deeper.
KernelCode write_passage(const Surroundings& around, int value, const Passage& passage,
                         const std::vector<Format>& formats) {
  KernelCode code = flat(around, value);
  code.link_in = passage.from;
  code.link_out = passage.to;
  const bool is_here = passage.from == VectorStreamEnd::kMemory;
  if (is_here) code.in.push_back({.value = value});
  Assembler program;
  vector::Value word = program.read(is_here ? 0 : kLinkStream);
  bool is_sent = false;
  const auto send = [&](int stream) {
    if (std::exchange(is_sent, true)) word = program.bits_or(word, Assembler::kZero);
    program.send(stream, word);
  };
  if (passage.to != VectorStreamEnd::kMemory) send(kLinkStream);
  for (const Format format : formats) {
    if (is_here && format == Format::kWord) continue;
    send(static_cast<int>(code.out.size()));
    code.out.push_back({.value = value, .format = format});
  }
  code.body = {.program = program.finish(), .table = {}};
  return code;
}

void go_in_halves(KernelCode& code) {
  const std::vector<vector::Instruction> upper = code.body.program.code;
  for (vector::Instruction lower : upper) {
    if (takes_word(lower) && lower.in != kLinkStream) ++lower.in;
    if (lower.out != 0 && lower.out != 1 + kLinkStream) ++lower.out;
    code.body.program.code.push_back(lower);
  }
  code.in_halves = true;
}

Passage downwards(std::int64_t core, std::int64_t cores) {
  return {.from = core + 1 == cores ? VectorStreamEnd::kMemory : VectorStreamEnd::kUp,
          .to = core == 0 ? VectorStreamEnd::kMemory : VectorStreamEnd::kDown};
}

}  // namespace systole::lowering

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

std::array<KernelCode, 2> write_core_sum(const Surroundings& around, int value, int core,
                                         const std::vector<Format>& formats) {
  const graph::Operation& sum = *around.graph.maker(value);
  const bool is_first = core == 0, is_last = core + 1 == graph::cores_of(sum);
  KernelCode up = flat(around, value), down = flat(around, value);
  {
    Assembler program;
    vector::Value total = read_term(program, term_of(around.graph, sum), up);
    if (!is_first) {
      up.link_in = VectorStreamEnd::kDown;
      total = program.add(program.take(kLinkStream), total);
    }
    if (is_last) {
      program.send(0, total);
      up.out.push_back({.value = value});
    } else {
      up.link_out = VectorStreamEnd::kUp;
      program.send(kLinkStream, total);
    }
    up.body = {.program = program.finish(), .table = {}};
  }
  Assembler program;
  if (is_last) {
    down.in.push_back({.value = value});
  } else {
    down.link_in = VectorStreamEnd::kUp;
  }
  const int source = is_last ? 0 : kLinkStream;
  vector::Value total = program.read(source);
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (i > 0) total = program.bits_or(total, Assembler::kZero);
    program.send(static_cast<int>(i), total);
    down.out.push_back({.value = value, .format = formats[i]});
  }
  if (!is_first) {
    down.link_out = VectorStreamEnd::kDown;
    program.send(kLinkStream, program.bits_or(total, Assembler::kZero));
  }
  down.body = {.program = program.finish(), .table = {}};
  return {std::move(up), std::move(down)};
}

}  // namespace systole::lowering

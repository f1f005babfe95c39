#include "host/graph/operations/operations.h"
#include "host/graph/philox.h"

namespace systole::graph {
namespace {

// StableHLO leaves the algorithm DEFAULT and its state to the implementation. Ours is philox.h,
// with a state of four ui32, as no type here has 64 bits.
std::vector<Type> infer_bits(const Call& call) {
  const Type& type = call.get<Type>("type");
  const Type state{Element::kU32, {4}};
  call.need(call.word("rng_algorithm") == "DEFAULT", "the algorithm {} is unknown: write DEFAULT",
            call.word("rng_algorithm"));
  call.need(call.operands[0] == state, "the state is not {}", to_string(state));
  call.need(type.element == Element::kU32, "bits are ui32, not {}", to_string(type.element));
  return {state, type};
}

std::vector<Literal> evaluate_bits(const Call& call, std::span<const Literal> x) {
  std::array<std::uint32_t, 4> state{};
  for (std::size_t i = 0; i < 4; ++i) {
    state[i] = static_cast<std::uint32_t>(x[0].at(static_cast<std::int64_t>(i)));
  }
  Literal bits{call.get<Type>("type"), {}};
  const auto count = static_cast<std::uint64_t>(element_count(bits.type.shape));
  for (std::uint64_t i = 0; i < count; ++i)
    bits.values.push_back(random_block(state, i / 4)[i % 4]);
  Literal after{x[0].type, {}};
  for (const std::uint32_t word : random_state_after(state, count)) after.values.push_back(word);
  return {after, bits};
}

}  // namespace

std::span<const OperationKind> random_kinds() {
  static const std::vector<OperationKind> kKinds = {
      {.name = "rng_bit_generator",
       .attributes = {{"rng_algorithm", Form::kKeyword, "rng_algorithm"}, {"type", Form::kType}},
       .infer = infer_bits,
       .evaluate = evaluate_bits},
  };
  return kKinds;
}

}  // namespace systole::graph

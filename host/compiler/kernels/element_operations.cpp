#include "host/compiler/kernels/element_operations.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>

#include "host/vector/functions.h"

namespace systole::lowering {
namespace {

using graph::Call;
using graph::Element;
using vector::Assembler;
using vector::Value;
using Operands = std::span<const Value>;
using Op = vector::VectorOperation;
using Predicate = vector::VectorPredicate;

constexpr std::uint32_t kAllOnes = 0xffffffff, kSign = 0x80000000;

bool is_f32(const Call& call) { return call.operands[0].element == Element::kF32; }

Value complement(Assembler& program, Value x) {
  return program.bits_xor(x, program.constant(kAllOnes));
}

Value less(Assembler& program, Element element, Value a, Value b) {
  const Predicate predicate = element == Element::kF32   ? Predicate::kLess
                              : element == Element::kS32 ? Predicate::kIntegerLess
                                                         : Predicate::kUnsignedLess;
  return program.compare(predicate, a, b);
}
Value less(Assembler& program, const Call& call, Value a, Value b) {
  return less(program, call.operands[0].element, a, b);
}

Value less_equal(Assembler& program, const Call& call, Value a, Value b) {
  if (is_f32(call)) return program.compare(Predicate::kLessEqual, a, b);
  return complement(program, less(program, call, b, a));
}

Value compare(Assembler& program, const Call& call, Operands x) {
  const std::string& direction = call.word("comparison_direction");
  const auto equal = [&] {
    return program.compare(is_f32(call) ? Predicate::kEqual : Predicate::kIntegerEqual, x[0], x[1]);
  };
  if (direction == "EQ") return equal();
  if (direction == "NE") return complement(program, equal());
  if (direction == "LT") return less(program, call, x[0], x[1]);
  if (direction == "GT") return less(program, call, x[1], x[0]);
  if (direction == "LE") return less_equal(program, call, x[0], x[1]);
  return less_equal(program, call, x[1], x[0]);
}

/// Toward zero: down from the magnitude, then the sign.
Value truncated(Assembler& program, Value x) {
  const Value magnitude = program.bits_and(x, program.constant(~kSign));
  const Value whole = integer_below(program, magnitude);
  const Value negated = program.multiply_add(-whole, Assembler::kUnit, Assembler::kZero);
  const Value is_below = program.compare(Predicate::kLess, x, Assembler::kZero);
  return program.select(is_below, negated, whole);
}

bool is_word(Element element) { return element == Element::kS32 || element == Element::kU32; }

bool can_convert(const Call& call) {
  const Element from = call.operands[0].element;
  const Element to = call.get<graph::Type>("type").element;
  if (to == from || converts_to_integer(call)) return true;
  if (to == Element::kF32) {
    return from == Element::kS8 || from == Element::kS32 || from == Element::kPred;
  }
  if (from == Element::kS8) return to == Element::kS32;
  if (from == Element::kS32 && to == Element::kS8) return true;
  return is_word(to) && (is_word(from) || from == Element::kPred);
}

Value convert(Assembler& program, const Call& call, Operands x) {
  const Element from = call.operands[0].element;
  const Element to = call.get<graph::Type>("type").element;
  if (converts_to_integer(call)) return truncated(program, x[0]);
  if (from == Element::kPred && to != from) {
    return program.bits_and(x[0], to == Element::kF32 ? Assembler::kOne : Assembler::kUnit);
  }
  if (to == Element::kF32 && from != to) return program.make(Op::kToFloat, x[0]);
  return x[0];  // a stream saturates what becomes i8
}

/// Floats of 2^23 and more, and NaN, are what they are.
Value floor(Assembler& program, Value x) {
  constexpr float kWhole = 0x1p23f;
  const Value magnitude = program.bits_and(x, program.constant(~kSign));
  const Value has_fraction = program.compare(Predicate::kLess, magnitude, program.constant(kWhole));
  const Value below = program.make(Op::kToFloat, integer_below(program, x));
  return program.select(has_fraction, below, x);
}

/// Halves to the even number; likewise, and zeros keep x's sign.
Value round_to_even(Assembler& program, Value x) {
  constexpr float kWhole = 0x1p23f;
  const Value magnitude = program.bits_and(x, program.constant(~kSign));
  const Value has_fraction = program.compare(Predicate::kLess, magnitude, program.constant(kWhole));
  const Value near = program.make(Op::kToFloat, program.make(Op::kToInteger, x));
  const Value sign = program.bits_and(x, program.constant(kSign));
  return program.select(has_fraction, program.bits_or(near, sign), x);
}

/// +-1, or x itself for zeros and NaN.
Value sign(Assembler& program, Value x) {
  const Value one = program.bits_or(program.bits_and(x, program.constant(kSign)), Assembler::kOne);
  const Value below = program.compare(Predicate::kLess, x, Assembler::kZero);
  const Value above = program.compare(Predicate::kLess, Assembler::kZero, x);
  return program.select(program.bits_or(below, above), one, x);
}

Value extreme(Assembler& program, Element element, Value a, Value b, bool largest) {
  if (element == Element::kF32) return largest ? program.maximum(a, b) : program.minimum(a, b);
  const Value is_less = less(program, element, a, b);
  return largest ? program.select(is_less, b, a) : program.select(is_less, a, b);
}
Value extreme(Assembler& program, const Call& call, Operands x, bool largest) {
  return extreme(program, call.operands[0].element, x[0], x[1], largest);
}

struct ElementOperation {
  Value (*write)(Assembler& program, const Call& call, Operands x) = nullptr;
  bool (*is_there)(const Call& call) = [](const Call&) { return true; };
};

template <Value (*kFunction)(Assembler&, Value)>
constexpr ElementOperation function() {
  return {[](Assembler& program, const Call&, Operands x) { return kFunction(program, x[0]); },
          is_f32};
}

const std::map<std::string_view, ElementOperation>& element_operations() {
  static const std::map<std::string_view, ElementOperation> kOperations = {
      {"add", {[](Assembler& p, const Call& c, Operands x) {
         return is_f32(c) ? p.add(x[0], x[1]) : p.integer_add(x[0], x[1]);
       }}},
      {"subtract", {[](Assembler& p, const Call& c, Operands x) {
         return is_f32(c) ? p.subtract(x[0], x[1]) : p.integer_add(x[0], -x[1]);
       }}},
      {"multiply", {[](Assembler& p, const Call& c, Operands x) {
         return is_f32(c) ? p.multiply(x[0], x[1]) : p.multiply_add(x[0], x[1], Assembler::kZero);
       }}},
      {"divide",
       {[](Assembler& p, const Call&, Operands x) {
          return p.multiply(x[0], vector::reciprocal(p, x[1]));
        },
        is_f32}},
      {"negate", {[](Assembler& p, const Call& c, Operands x) {
         return is_f32(c) ? p.multiply(-x[0], Assembler::kOne)
                          : p.multiply_add(-x[0], Assembler::kUnit, Assembler::kZero);
       }}},
      {"abs",
       {[](Assembler& p, const Call&, Operands x) { return p.bits_and(x[0], p.constant(~kSign)); },
        is_f32}},
      {"sign", {[](Assembler& p, const Call&, Operands x) { return sign(p, x[0]); }, is_f32}},
      {"maximum", {[](Assembler& p, const Call& c, Operands x) { return extreme(p, c, x, true); }}},
      {"minimum",
       {[](Assembler& p, const Call& c, Operands x) { return extreme(p, c, x, false); }}},
      {"clamp", {[](Assembler& p, const Call& c, Operands x) {
         const Value above[] = {extreme(p, c, x.first(2), true), x[2]};
         return extreme(p, c, above, false);
       }}},
      {"compare", {compare}},
      {"select",
       {[](Assembler& p, const Call&, Operands x) { return p.select(x[0], x[1], x[2]); }}},
      {"convert", {convert, can_convert}},
      {"and", {[](Assembler& p, const Call&, Operands x) { return p.bits_and(x[0], x[1]); }}},
      {"or", {[](Assembler& p, const Call&, Operands x) { return p.bits_or(x[0], x[1]); }}},
      {"xor", {[](Assembler& p, const Call&, Operands x) { return p.bits_xor(x[0], x[1]); }}},
      {"not", {[](Assembler& p, const Call&, Operands x) { return complement(p, x[0]); }}},
      {"shift_right_logical",
       {[](Assembler& p, const Call&, Operands x) { return p.make(Op::kShiftRight, x[0], x[1]); }}},
      {"shift_left",
       {[](Assembler& p, const Call&, Operands x) { return p.make(Op::kShiftLeft, x[0], x[1]); }}},
      {"shift_right_arithmetic", {[](Assembler& p, const Call&, Operands x) {
         return p.make(Op::kShiftRightSigned, x[0], x[1]);
       }}},
      {"bitcast_convert", {[](Assembler&, const Call&, Operands x) { return x[0]; }}},
      {"floor", {[](Assembler& p, const Call&, Operands x) { return floor(p, x[0]); }, is_f32}},
      {"round_nearest_even",
       {[](Assembler& p, const Call&, Operands x) { return round_to_even(p, x[0]); }, is_f32}},
      {"exponential", function<vector::exponential>()},
      {"log", function<vector::logarithm>()},
      {"tanh", function<vector::hyperbolic_tangent>()},
      {"logistic", function<vector::logistic>()},
      {"erf", function<vector::error_function>()},
      {"sine", function<vector::sine>()},
      {"cosine", function<vector::cosine>()},
      {"sqrt", function<vector::square_root>()},
      {"rsqrt", function<vector::reciprocal_square_root>()},
  };
  return kOperations;
}

// i8 is in memory alone.
bool fits_a_lane(const Call& call, Element element) {
  return element == Element::kF32 || element == Element::kS32 || element == Element::kU32 ||
         element == Element::kPred || (element == Element::kS8 && call.kind.name == "convert");
}

}  // namespace

vector::Value write_element_operation(Assembler& program, const Call& call, Operands operands) {
  return element_operations().at(call.kind.name).write(program, call, operands);
}

bool has_element_operation(const Call& call) {
  const auto found = element_operations().find(call.kind.name);
  return found != element_operations().end() && found->second.is_there(call) &&
         std::ranges::all_of(call.operands, [&](const graph::Type& type) {
           return fits_a_lane(call, type.element);
         });
}

bool converts_to_integer(const Call& call) {
  if (call.kind.name != "convert" || !is_f32(call)) return false;
  const Element to = call.get<graph::Type>("type").element;
  return to == Element::kS32 || to == Element::kS8;
}

Value integer_below(Assembler& program, Value x) {
  return program.make(Op::kToInteger, x, Assembler::kZero, Assembler::kZero,
                      static_cast<std::uint8_t>(vector::VectorRounding::kFloor));
}

bool is_one_instruction(const Call& call) {
  static constexpr std::string_view kNames[] = {"add",    "subtract", "multiply", "negate", "abs",
                                                "select", "and",      "or",       "xor",    "not"};
  const std::string_view name = call.kind.name;
  if (std::ranges::count(kNames, name) != 0) return true;
  if (name == "maximum" || name == "minimum") return is_f32(call);
  if (name != "compare") return false;
  const std::string& direction = call.word("comparison_direction");
  return direction != "NE" && (is_f32(call) || (direction != "LE" && direction != "GE"));
}

bool makes_product(const graph::Operation& operation) {
  const std::string_view name = operation.kind->name;
  return name == "dot_general" || name == "convolution";
}

bool sums_columns(const graph::Graph& graph, const graph::Operation& operation) {
  if (operation.kind->name != "reduce") return false;
  const Call call = graph.call(operation);
  const auto rank = static_cast<std::int64_t>(call.operands[0].rank());
  return rank > 1 && call.word("body") == "add" && graph.splat(operation.operands[1]) == 0 &&
         call.integers("dimensions") == graph::counting(rank - 1);
}

bool is_elementwise(const graph::OperationKind& kind) {
  return element_operations().contains(kind.name);
}

const std::map<std::string_view, Combining::Body>& Combining::bodies() {
  static const std::map<std::string_view, Body> kBodies = {{"add", Body::kAdd},
                                                           {"maximum", Body::kMaximum},
                                                           {"minimum", Body::kMinimum},
                                                           {"and", Body::kAnd},
                                                           {"or", Body::kOr}};
  return kBodies;
}

bool Combining::is_there(const Call& reduce) {
  const Element element = reduce.operands[0].element;
  return bodies().contains(reduce.word("body")) &&
         (element == Element::kF32 || is_word(element) || element == Element::kPred);
}

Combining::Combining(const Call& reduce)
    : body_(bodies().at(reduce.word("body"))), element_(reduce.operands[0].element) {}

std::uint32_t Combining::neutral() const {
  if (body_ == Body::kAdd || body_ == Body::kOr) return 0;
  if (body_ == Body::kAnd) return kAllOnes;
  const bool largest = body_ == Body::kMaximum;
  if (element_ == Element::kF32) {
    const float infinity = std::numeric_limits<float>::infinity();
    return std::bit_cast<std::uint32_t>(largest ? -infinity : infinity);
  }
  if (element_ == Element::kS32) return largest ? kSign : ~kSign;
  return largest ? 0 : kAllOnes;
}

std::optional<Op> Combining::operation() const {
  const bool is_float = element_ == Element::kF32;
  switch (body_) {
    case Body::kAdd:
      return is_float ? Op::kFma : Op::kMultiplyAdd;
    case Body::kMaximum:
      return is_float ? std::optional(Op::kMaximum) : std::nullopt;
    case Body::kMinimum:
      return is_float ? std::optional(Op::kMinimum) : std::nullopt;
    case Body::kAnd:
      return Op::kAnd;
    case Body::kOr:
      return Op::kOr;
  }
  return {};
}

Value Combining::both(Assembler& program, Value a, Value b) const {
  const std::optional<Op> one = operation();
  if (!one) return extreme(program, element_, a, b, body_ == Body::kMaximum);
  if (*one == Op::kFma) return program.add(a, b);
  return *one == Op::kMultiplyAdd ? program.integer_add(a, b) : program.make(*one, a, b);
}

Value Combining::with_lane(Assembler& program, Value value, int k) const {
  if (const std::optional<Op> one = operation()) {
    return program.exchange_lanes(*one, value, value, k);
  }
  return both(program, program.exchange_lanes(Op::kOr, Assembler::kZero, value, k), value);
}

Value Combining::with_slot(Assembler& program, Value value, int k) const {
  if (const std::optional<Op> one = operation()) {
    return program.exchange_slots(*one, value, value, k);
  }
  return both(program, program.exchange_slots(Op::kOr, Assembler::kZero, value, k), value);
}

}  // namespace systole::lowering

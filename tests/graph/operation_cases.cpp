#include "operation_cases.h"

#include <cmath>
#include <random>

#include "host/graph/cores.h"
#include "host/graph/ops.h"

namespace systole::tests {
namespace {

using namespace graph;
using Values = std::vector<Value>;

Type f32(Shape shape) { return {Element::kF32, std::move(shape)}; }
Type s32(Shape shape) { return {Element::kS32, std::move(shape)}; }
Type s8(Shape shape) { return {Element::kS8, std::move(shape)}; }
Type u8(Shape shape) { return {Element::kU8, std::move(shape)}; }
Type u32(Shape shape) { return {Element::kU32, std::move(shape)}; }
Type pred(Shape shape) { return {Element::kPred, std::move(shape)}; }

OperationCase unary(std::string name, double low = -2, double high = 2) {
  return {name,
          {f32({3, 5})},
          [name](const Values& x) { return x[0].graph().add(name, {x[0]}); },
          low,
          high};
}
OperationCase of_bits(std::string name, const Type& type, std::string note = "") {
  return {name + note,
          {type},
          [name](const Values& x) { return x[0].graph().add(name, {x[0]}); },
          type.element == Element::kU32 || type.element == Element::kU8 ? 0.0 : -120.0,
          120};
}
OperationCase binary(std::string name, const Type& type, std::string note = "", double low = -2,
                     double high = 2) {
  return {name + note,
          {type, type},
          [name](const Values& x) { return x[0].graph().add(name, {x[0], x[1]}); },
          low,
          high};
}

Value zero(const Values& x) { return constant_like(x[0], 0); }

std::vector<OperationCase> elementwise() {
  std::vector<OperationCase> cases = {unary("negate"),
                                      unary("abs"),
                                      unary("sign"),
                                      unary("floor"),
                                      unary("ceil"),
                                      unary("round_nearest_even", -9, 9),
                                      unary("round_nearest_afz", -9, 9),
                                      unary("sine", -9, 9),
                                      unary("cosine", -9, 9),
                                      unary("tan", -1.4, 1.4),
                                      unary("cbrt", 0.1, 3),
                                      binary("atan2", f32({40}), "", -3, 3),
                                      unary("erf"),
                                      unary("erfc"),
                                      unary("erf_inv", -0.9, 0.9),
                                      unary("is_finite"),
                                      binary("remainder", f32({40}), "", 0.7, 9),
                                      binary("remainder", s32({40}), " of integers", -9, 9),
                                      unary("exponential"),
                                      unary("exponential_minus_one"),
                                      unary("log", 0.1, 3),
                                      unary("log_plus_one", -0.8, 3),
                                      unary("sqrt", 0.1, 3),
                                      unary("rsqrt", 0.1, 3),
                                      unary("tanh"),
                                      unary("logistic"),
                                      binary("power", f32({2, 3}), "", 0.1, 3),
                                      binary("and", pred({4}), "", 0, 1.999),
                                      binary("or", s32({4}), "", 0, 9),
                                      binary("xor", u32({4}), "", 0, 9),
                                      binary("shift_left", u32({9}), "", 0, 40),
                                      binary("shift_right_logical", s32({9}), "", -9, 40),
                                      binary("shift_right_arithmetic", s32({9}), "", -90, 40),
                                      binary("shift_right_logical", s8({40}), " of bytes", -99, 9),
                                      of_bits("popcnt", s32({40})),
                                      of_bits("popcnt", s8({40}), " of bytes"),
                                      of_bits("count_leading_zeros", u32({40})),
                                      of_bits("count_leading_zeros", s8({40}), " of bytes"),
                                      of_bits("count_leading_zeros", u8({40}), " of u8"),
                                      of_bits("not", u8({40}), " of u8"),
                                      of_bits("negate", u8({40}), " of u8"),
                                      binary("subtract", u8({40}), " of u8", 0, 255.999),
                                      binary("multiply", u8({40}), " of u8", 0, 255.999),
                                      binary("divide", u8({40}), " of u8", 1, 255.999),
                                      binary("shift_left", u8({40}), " of u8", 0, 9),
                                      binary("shift_right_logical", u8({40}), " of u8", 0, 9),
                                      binary("shift_right_arithmetic", u8({40}), " of u8", 0, 200),
                                      binary("shift_right_arithmetic", s8({40}), " of s8", -99, 99),
                                      binary("divide", s32({40}), " of integers", -9, 9),
                                      binary("multiply", u32({8}), " that wraps", 1e9, 4e9)};
  for (const auto* name : {"add", "subtract", "multiply", "divide", "maximum", "minimum"}) {
    cases.push_back(binary(name, f32({2, 3})));
  }
  for (const auto* name : {"add", "maximum"}) {
    cases.push_back(binary(name, {Element::kBf16, {7}}, " of bf16"));
    cases.push_back(binary(name, {Element::kS8, {33}}, " of s8", -128, 127));
    cases.push_back(binary(name, u8({33}), " of u8", 0, 255.999));
  }
  for (const std::string direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
    cases.push_back({"compare " + direction, {s32({17}), s32({17})}, [direction](const Values& x) {
                       return compare(x[0], direction, x[1]);
                     }});
  }
  cases.push_back({"compare of floats", {f32({5}), f32({5})}, [](const Values& x) {
                     return compare(x[0], "LT", x[1]);
                   }});
  cases.push_back({"select",
                   {pred({3, 5}), f32({3, 5}), f32({3, 5})},
                   [](const Values& x) { return select(x[0], x[1], x[2]); },
                   0,
                   1.999});
  cases.push_back({"clamp", {f32({4, 5})}, [](const Values& x) {
                     return clamp(constant_like(x[0], -1), x[0], constant_like(x[0], 0.5));
                   }});
  cases.push_back({"not",
                   {pred({5})},
                   [](const Values& x) { return x[0].graph().add("not", {x[0]}); },
                   0,
                   1.999});
  cases.push_back({"not of integers", {s32({5})}, [](const Values& x) {
                     return x[0].graph().add("not", {x[0]});
                   }});
  for (const Element from :
       {Element::kF32, Element::kS32, Element::kU32, Element::kS8, Element::kU8, Element::kPred}) {
    for (const Element to : {Element::kF32, Element::kBf16, Element::kS32, Element::kU32,
                             Element::kS8, Element::kU8, Element::kPred}) {
      if (from == to) continue;
      const bool is_small = from == Element::kPred;
      cases.push_back({fmt::format("convert {} to {}", to_string(from), to_string(to)),
                       {{from, {37}}},
                       [to](const Values& x) { return convert(x[0], to); },
                       is_small || from == Element::kU32 || from == Element::kU8 ? 0.0 : -100.0,
                       is_small ? 1.999 : 100.0});
    }
  }
  cases.push_back({"bitcast_convert", {f32({6})}, [](const Values& x) {
                     return x[0].graph().add("bitcast_convert", {x[0]}, {u32({6})});
                   }});
  return cases;
}

std::vector<OperationCase> places() {
  return {
      {"constant",
       {f32({2, 2})},
       [](const Values& x) {
         return add(x[0], constant(x[0].graph(), Literal{f32({2, 2}), {0.1f, -1e-8f, 3, -0.0}}));
       }},
      {"constant that is no number",
       {f32({2})},
       [](const Values& x) { return maximum(x[0], constant(x[0].graph(), f32({2}), -INFINITY)); }},
      {"iota",
       {s32({2, 3})},
       [](const Values& x) { return add(x[0], iota(x[0].graph(), s32({2, 3}), 1)); }},
      {"iota of floats",
       {f32({2, 3})},
       [](const Values& x) { return add(x[0], iota(x[0].graph(), f32({2, 3}), 0)); }},
      {"broadcast_in_dim",
       {f32({3})},
       [](const Values& x) { return broadcast_in_dim(x[0], {2, 3, 4}, {1}); }},
      {"broadcast_in_dim of ones",
       {f32({3, 1})},
       [](const Values& x) { return broadcast_in_dim(x[0], {2, 3, 4}, {1, 2}); }},
      {"broadcast_in_dim that transposes",
       {f32({2, 3})},
       [](const Values& x) { return broadcast_in_dim(x[0], {3, 4, 2}, {2, 0}); }},
      {"reshape", {f32({2, 6})}, [](const Values& x) { return reshape(x[0], {3, 4}); }},
      {"transpose", {f32({2, 3, 4})}, [](const Values& x) { return transpose(x[0], {2, 0, 1}); }},
      {"reverse", {f32({3, 4})}, [](const Values& x) { return reverse(x[0], {1}); }},
      {"slice", {f32({5, 7})}, [](const Values& x) { return slice(x[0], {1, 0}, {4, 7}, {1, 3}); }},
      {"slice of nothing",
       {f32({5})},
       [](const Values& x) { return concatenate(std::vector{slice(x[0], {2}, {2}), x[0]}, 0); }},
      {"pad",
       {f32({2, 3}), f32({})},
       [](const Values& x) { return pad(x[0], x[1], {1, 0}, {0, 2}, {2, 0}); }},
      {"pad that cuts",
       {f32({4, 3}), f32({})},
       [](const Values& x) { return pad(x[0], x[1], {-1, 1}, {1, -1}); }},
      {"concatenate",
       {f32({2, 3}), f32({2, 1}), f32({2, 2})},
       [](const Values& x) { return concatenate(x, 1); }},
      {"dynamic_slice",
       {f32({5, 4}), s32({}), s32({})},
       [](const Values& x) { return dynamic_slice(x[0], std::span(x).subspan(1), {2, 3}); }},
      {"dynamic_update_slice",
       {f32({5, 4}), f32({2, 3}), s32({}), s32({})},
       [](const Values& x) { return dynamic_update_slice(x[0], x[1], std::span(x).subspan(2)); }},
  };
}

OperationCase conv(std::string note, Shape x, Shape w, std::string dimensions,
                   WindowOptions window) {
  return {"convolution " + note, {f32(std::move(x)), f32(std::move(w))}, [=](const Values& v) {
            return convolution(v[0], v[1], dimensions, window);
          }};
}

std::vector<OperationCase> products() {
  const std::string nhwc = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
  return {
      {"dot_general",
       {f32({3, 4}), f32({4, 5})},
       [](const Values& x) { return matmul(x[0], x[1]); }},
      {"dot_general of transposed",
       {f32({4, 3}), f32({5, 4})},
       [](const Values& x) {
         return dot_general(x[0], x[1], {.lhs_contracting = {0}, .rhs_contracting = {1}});
       }},
      {"dot_general of batches",
       {f32({2, 3, 4}), f32({2, 5, 4})},
       [](const Values& x) { return dot_general(x[0], x[1], {{0}, {0}, {2}, {2}}); }},
      {"dot_general of two depths",
       {f32({2, 3, 4, 2}), f32({4, 2, 5, 3})},
       [](const Values& x) {
         return dot_general(x[0], x[1],
                            {.lhs_batching = {0},
                             .rhs_batching = {1},
                             .lhs_contracting = {2, 1},
                             .rhs_contracting = {0, 3}});
       }},
      {"dot_general with a batch inside",
       {f32({3, 2, 4}), f32({4, 5, 2})},
       [](const Values& x) { return dot_general(x[0], x[1], {{1}, {2}, {2}, {0}}); }},
      {"dot_general of vectors",
       {f32({4}), f32({4})},
       [](const Values& x) { return matmul(x[0], x[1]); }},
      {"dot_general of s8",
       {s8({3, 40}), s8({40, 5})},
       [](const Values& x) { return matmul(x[0], x[1]); },
       -128,
       127},
      {"convolution of s8",
       {s8({2, 4, 3, 2}), s8({3, 2, 2, 3})},
       [nhwc](const Values& x) { return convolution(x[0], x[1], nhwc, {}); },
       -128,
       127},
      conv("valid", {2, 5, 6, 3}, {3, 2, 3, 4}, nhwc, {}),
      conv("same", {2, 5, 4, 1}, {3, 3, 1, 5}, nhwc, {.low = {1, 1}, .high = {1, 1}}),
      conv("with strides", {2, 7, 6, 3}, {3, 3, 3, 4}, nhwc,
           {.strides = {2, 3}, .low = {1, 0}, .high = {0, 2}}),
      conv("of one pixel with strides", {9, 5, 5, 3}, {1, 1, 3, 4}, nhwc, {.strides = {2, 2}}),
      conv("of many images", {35, 3, 3, 2}, {2, 2, 2, 3}, nhwc, {.low = {1, 0}}),
      conv("of a part", {2, 5, 5, 2}, {2, 2, 2, 3}, nhwc, {.low = {-1, 0}, .high = {0, -1}}),
      conv("with dilation", {1, 7, 7, 2}, {3, 2, 2, 3}, nhwc, {.dilation = {2, 3}}),
      conv("with holes", {1, 3, 4, 2}, {2, 3, 2, 3}, nhwc,
           {.low = {1, 2}, .high = {1, 0}, .base_dilation = {2, 3}}),
      conv("of channels first", {2, 3, 5, 5}, {4, 3, 3, 3},
           "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", {}),
      conv("along a line", {2, 7, 3}, {3, 3, 4}, "[b, 0, f]x[0, i, o]->[b, 0, f]",
           {.strides = {2}}),
  };
}

std::vector<OperationCase> reductions() {
  const auto reduce_by = [](std::string body, Integers dimensions, double start) {
    return OperationCase{"reduce by " + body, {f32({3, 4, 5})}, [=](const Values& x) {
                           return graph::reduce(x[0], constant_like(x[0], start), body, dimensions);
                         }};
  };
  const WindowOptions pool{.size = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}};
  const WindowOptions overlap{
      .size = {1, 3, 2, 1}, .strides = {1, 2, 1, 1}, .low = {0, 1, 0, 0}, .high = {0, 1, 1, 0}};
  const auto pooled = [](std::string note, std::string body, WindowOptions window, double start) {
    return OperationCase{"reduce_window " + note, {f32({2, 6, 5, 3})}, [=](const Values& x) {
                           return reduce_window(x[0], constant_like(x[0], start), body, window);
                         }};
  };
  return {
      reduce_by("add", {0}, 0),
      reduce_by("add", {2}, 0),
      reduce_by("add", {0, 1, 2}, 1),
      reduce_by("add", {1}, 0),
      reduce_by("add", {0, 2}, 0),
      reduce_by("add", {}, 0),
      reduce_by("maximum", {2}, -INFINITY),
      reduce_by("maximum", {0, 1}, -INFINITY),
      reduce_by("minimum", {1}, INFINITY),
      reduce_by("multiply", {1}, 1),
      {"reduce of integers",
       {s32({4, 5})},
       [](const Values& x) { return graph::reduce(x[0], constant_like(x[0], 0), "add", {0}); }},
      {"reduce of predicates",
       {pred({4, 5})},
       [](const Values& x) { return graph::reduce(x[0], constant_like(x[0], 1), "and", {1}); },
       0,
       1.999},
      pooled("of maxima", "maximum", pool, -INFINITY),
      pooled("of maxima that overlap", "maximum", overlap, -INFINITY),
      pooled("of sums", "add", pool, 0),
      pooled("of sums that overlap", "add", overlap, 0),
      pooled("with dilation", "add",
             {.size = {1, 2, 2, 1}, .base_dilation = {1, 2, 1, 1}, .dilation = {1, 1, 2, 1}}, 0),
      {"select_and_scatter",
       {f32({2, 6, 5, 3}), f32({2, 3, 2, 3})},
       [=](const Values& x) { return select_and_scatter(x[0], x[1], zero(x), pool); }},
      {"select_and_scatter that overlaps",
       {f32({2, 6, 5, 3}), f32({2, 3, 5, 3})},
       [=](const Values& x) { return select_and_scatter(x[0], x[1], zero(x), overlap); }},
  };
}

std::vector<OperationCase> cores() {
  return {{"all_reduce", {f32({2, 3})}, [](const Values& x) { return all_reduce(x[0], 1); }}};
}

std::vector<OperationCase> indexing() {
  return {
      {"gather of rows",
       {f32({4, 3}), s32({2, 5})},
       [](const Values& x) { return take_rows(x[0], x[1]); },
       0,
       3.999},
      {"gather of blocks",
       {f32({5, 6, 2}), s32({3, 2})},
       [](const Values& x) {
         return gather(x[0], x[1],
                       {.offset_dims = {0, 2},
                        .collapsed_slice_dims = {2},
                        .start_index_map = {1, 0},
                        .index_vector_dim = 1},
                       {2, 3, 1});
       },
       -1,
       5},
      {"scatter of rows",
       {f32({4, 3}), s32({6}), f32({6, 3})},
       [](const Values& x) {
         return scatter(x[0], x[1], x[2], "add",
                        {.update_window_dims = {1},
                         .inserted_window_dims = {0},
                         .scatter_dims_to_operand_dims = {0},
                         .index_vector_dim = 1});
       },
       0,
       3.999},
      {"scatter by maximum",
       {f32({4, 3}), s32({2, 6}), f32({6, 2})},
       [](const Values& x) {
         return scatter(x[0], x[1], x[2], "maximum",
                        {.update_window_dims = {1},
                         .inserted_window_dims = {0},
                         .scatter_dims_to_operand_dims = {0, 1},
                         .index_vector_dim = 0});
       },
       -1,
       4},
      {"scatter that sets",  // each element once, as the order of others is open
       {f32({4, 3}), f32({2, 2})},
       [](const Values& x) {
         const Value corners = constant(x[0].graph(), {{Element::kS32, {2}}, {1, 1}});
         return scatter(x[0], corners, x[1], "set",
                        {.update_window_dims = {0, 1},
                         .inserted_window_dims = {},
                         .scatter_dims_to_operand_dims = {0, 1},
                         .index_vector_dim = 0});
       },
       -2,
       2},
      {"rng_bit_generator",
       {u32({4})},
       [](const Values& x) { return rng_bit_generator(x[0], {3, 7}).bits; },
       0,
       4e9},
  };
}

// What a transformer's step has, an operation each with those around it.
std::vector<OperationCase> transformers() {
  const auto by_last = [](Value column, const Value& x) {
    return broadcast_in_dim(column, x.shape(), counting(x.type().rank() - 1));
  };
  return {
      {"erf of large arguments", {f32({40})}, [](const Values& x) { return erf(x[0]); }, -9, 9},
      {"erf in a GELU",
       {f32({3, 5})},
       [](const Values& x) { return x[0] * (erf(x[0] * std::sqrt(0.5)) + 1.0) * 0.5; },
       -6,
       6},
      {"exponential in a softmax of scores",
       {f32({2, 3, 5, 4})},
       [=](const Values& x) {
         const Value raised = exponential(x[0] - by_last(max(x[0], {3}), x[0]));
         return raised / by_last(sum(raised, {3}), raised);
       }},
      {"select by a causal mask",
       {f32({2, 3, 5, 5})},
       [](const Values& x) {
         Graph& graph = x[0].graph();
         const Value seen = compare(iota(graph, s32({5, 5}), 0), "GE", iota(graph, s32({5, 5}), 1));
         return select(broadcast_in_dim(seen, x[0].shape(), {2, 3}), x[0], constant_like(x[0], -3));
       }},
      {"rsqrt in a normalisation of rows",
       {f32({2, 3, 8})},
       [=](const Values& x) {
         const Value centred = x[0] - by_last(sum(x[0], {2}) * 0.125, x[0]);
         const Value variance = sum(centred * centred, {2}) * 0.125;
         return centred * by_last(rsqrt(variance + 1e-5), centred);
       }},
      {"broadcast_in_dim of a mask for each head",
       {f32({2, 5, 3})},
       [](const Values& x) { return broadcast_in_dim(x[0], {2, 4, 5, 3}, {0, 2, 3}); }},
      {"broadcast_in_dim with new dimensions apart",
       {f32({2, 3})},
       [](const Values& x) { return broadcast_in_dim(x[0], {4, 2, 5, 3}, {1, 3}); }},
      {"transpose of heads",
       {f32({2, 5, 3, 4})},
       [](const Values& x) { return transpose(x[0], {0, 2, 1, 3}); }},
      {"transpose of four dimensions",
       {f32({2, 5, 3, 4})},
       [](const Values& x) { return transpose(x[0], {3, 1, 0, 2}); }},
      {"dot_general of scores",
       {f32({2, 5, 3, 4}), f32({2, 6, 3, 4})},
       [](const Values& x) { return dot_general(x[0], x[1], {{0, 2}, {0, 2}, {3}, {3}}); }},
      {"dot_general of scores' values",
       {f32({2, 3, 5, 6}), f32({2, 6, 3, 4})},
       [](const Values& x) { return dot_general(x[0], x[1], {{0, 1}, {0, 2}, {3}, {1}}); }},
      {"dot_general of a table that an embedding reads",
       {f32({4, 3}), s32({2, 5})},
       [](const Values& x) { return dot_general(take_rows(x[0], x[1]), x[0], {{}, {}, {2}, {1}}); },
       0,
       3.999},
      {"gather of rows by vectors",
       {f32({4, 2, 3}), s32({2, 5, 1})},
       [](const Values& x) {
         return gather(x[0], x[1],
                       {.offset_dims = {2, 3},
                        .collapsed_slice_dims = {0},
                        .start_index_map = {0},
                        .index_vector_dim = 2},
                       {1, 2, 3});
       },
       -1,
       5},
      {"gather of each row's element",
       {f32({2, 3, 4}), s32({2, 3, 1})},
       [](const Values& x) {
         Graph& graph = x[0].graph();
         const Type places = s32({2, 3, 1});
         const Value vectors =
             concatenate(std::vector{iota(graph, places, 0), iota(graph, places, 1), x[1]}, 2);
         return gather(x[0], vectors,
                       {.offset_dims = {},
                        .collapsed_slice_dims = {0, 1, 2},
                        .start_index_map = {0, 1, 2},
                        .index_vector_dim = 2},
                       {1, 1, 1});
       },
       -1,
       5},
      {"scatter of rows by vectors",
       {f32({4, 3}), s32({2, 3, 1}), f32({2, 3, 3})},
       [](const Values& x) {
         return scatter(x[0], x[1], x[2], "add",
                        {.update_window_dims = {2},
                         .inserted_window_dims = {0},
                         .scatter_dims_to_operand_dims = {0},
                         .index_vector_dim = 2});
       },
       0,
       3.999},
  };
}

}  // namespace

const std::vector<OperationCase>& operation_cases() {
  static const std::vector<OperationCase> kCases = [] {
    std::vector<OperationCase> all;
    for (auto&& group :
         {elementwise(), places(), products(), reductions(), indexing(), cores(), transformers()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  return kCases;
}

std::unique_ptr<Graph> build(const OperationCase& item) {
  auto graph = std::make_unique<Graph>();
  Values inputs;
  for (const Type& type : item.inputs) {
    inputs.push_back(graph->input(fmt::format("x{}", inputs.size()), type));
  }
  const Graph::Scope layer(*graph, "layer");
  graph->output("y", item.build(inputs));
  return graph;
}

Literal random_literal(const Type& type, double low, double high, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Literal literal{type, {}};
  const std::int64_t count = element_count(type.shape);
  // Evenly spaced, in random order: finite differences need distance between neighbours.
  std::vector<std::int64_t> order = counting(count);
  std::shuffle(order.begin(), order.end(), random);
  for (std::int64_t i = 0; i < count; ++i) {
    const double place =
        0.23 + 0.1 * static_cast<double>(seed % 7);  // none of two tensors are equal
    const double share = (static_cast<double>(order[i]) + place) / static_cast<double>(count);
    const double value = low + (high - low) * share;
    literal.values.push_back(
        round_to(type.element, is_float(type.element) ? value : std::floor(value)));
  }
  return literal;
}

std::vector<Literal> random_inputs(const OperationCase& item, std::uint64_t seed) {
  std::vector<Literal> inputs;
  for (const Type& type : item.inputs) {
    inputs.push_back(random_literal(type, item.low, item.high, seed + 10 * inputs.size()));
  }
  return inputs;
}

}  // namespace systole::tests

#pragma once

#include <tuple>
#include <type_traits>

#include "host/graph/gradient.h"
#include "host/graph/operation.h"

/// An elementwise operation is one function of elements for float, double and integers; the
/// evaluator's loops and the oracle are both made from it.
namespace systole::graph::elements {

template <typename T>
constexpr bool kFloating = std::is_floating_point_v<T>;

// ---- Types ----

inline std::vector<Type> infer_same(const Call& call) {
  for (const Type& type : call.operands) {
    call.need(type == call.operands[0], "the operands' types differ");
  }
  return {call.operands[0]};
}

inline std::vector<Type> infer_float(const Call& call) {
  call.need_elements(0, is_float(call.operands[0].element), "a float");
  return infer_same(call);
}

// ---- Loops and oracles ----

// A result may share an operand's memory: each element is read before it is written, which the
// compiler cannot assume.
template <typename... T, typename R, typename F>
void run(F f, const void* const* operands, R* result, std::int64_t count) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto values = std::make_tuple(static_cast<const T*>(operands[I])...);
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
      result[i] = static_cast<R>(f(std::get<I>(values)[i]...));
  }(std::index_sequence_for<T...>());
}

template <auto kFunction, typename R, typename... T>
Loop loop_of() {
  return [](const void* const* operands, void* result, std::int64_t count) {
    run<T...>(kFunction, operands, static_cast<R*>(result), count);
  };
}

template <auto kFunction, typename T, int kOperands>
Loop same_loop() {
  if constexpr (kOperands == 1) return loop_of<kFunction, T, T>();
  if constexpr (kOperands == 2) return loop_of<kFunction, T, T, T>();
  if constexpr (kOperands == 3) return loop_of<kFunction, T, T, T, T>();
}

// Calls work with a value of the element's arithmetic type; double for the oracle.
template <bool kFloats, bool kIntegers, typename Work>
auto with_type(Element element, bool in_double, const Work& work) {
  if constexpr (kFloats && !kIntegers) {
    return in_double ? work(double{}) : work(float{});
  } else if constexpr (kFloats) {
    if (is_float(element)) return in_double ? work(double{}) : work(float{});
    return element == Element::kS32 || element == Element::kS8 ? work(std::int32_t{})
                                                               : work(std::uint32_t{});
  } else {
    return element == Element::kS32 || element == Element::kS8 ? work(std::int32_t{})
                                                               : work(std::uint32_t{});
  }
}

template <auto kFunction, int kOperands, bool kFloats, bool kIntegers>
Loop element_loop(const Call& call) {
  return with_type<kFloats, kIntegers>(call.operands[0].element, false, []<typename T>(T) -> Loop {
    if constexpr (std::is_same_v<T, double>) {
      return nullptr;
    } else {
      return same_loop<kFunction, T, kOperands>();
    }
  });
}

template <typename T>
T as(double value) {
  if constexpr (kFloating<T>) {
    return static_cast<T>(value);
  } else {
    return static_cast<T>(static_cast<std::int64_t>(value));
  }
}

template <typename Work>
std::vector<Literal> each(const Type& type, const Work& work) {
  Literal result{type, std::vector<double>(element_count(type.shape))};
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    result.values[i] = static_cast<double>(work(static_cast<std::int64_t>(i)));
    if (!is_float(type.element)) result.values[i] = round_to(type.element, result.values[i]);
  }
  return {result};
}

template <auto kFunction, int kOperands, bool kFloats, bool kIntegers>
std::vector<Literal> evaluate(const Call& call, std::span<const Literal> x) {
  return with_type<kFloats, kIntegers>(call.operands[0].element, true, [&]<typename T>(T) {
    return each(call.operands[0], [&](std::int64_t i) {
      if constexpr (kOperands == 1) return kFunction(as<T>(x[0].at(i)));
      if constexpr (kOperands == 2) return kFunction(as<T>(x[0].at(i)), as<T>(x[1].at(i)));
      if constexpr (kOperands == 3) {
        return kFunction(as<T>(x[0].at(i)), as<T>(x[1].at(i)), as<T>(x[2].at(i)));
      }
    });
  });
}

// ---- The table's entries ----

template <auto kFunction, int kOperands, bool kFloats, bool kIntegers>
OperationKind entry(std::string_view name, std::vector<Type> (*infer)(const Call&),
                    void (*gradient)(Backward&)) {
  return {.name = name,
          .operands = kOperands,
          .infer = infer,
          .evaluate = evaluate<kFunction, kOperands, kFloats, kIntegers>,
          .gradient = gradient,
          .loop = element_loop<kFunction, kOperands, kFloats, kIntegers>};
}
}  // namespace systole::graph::elements

#pragma once

#include <array>

#include "host/vector/functions.h"

namespace systole::tests {

/// A special function of one stream.
struct SpecialFunction {
  const char* name;
  vector::Value (*write)(vector::Assembler& program, vector::Value x);

  /// Takes words from stream 0 and sends the function of each element to stream 0.
  vector::Program program() const {
    vector::Assembler assembler;
    assembler.send(0, write(assembler, assembler.read(0)));
    return assembler.finish();
  }
};

inline constexpr std::array<SpecialFunction, 10> kSpecialFunctions{
    {{"exponential", vector::exponential},
     {"log", vector::logarithm},
     {"tanh", vector::hyperbolic_tangent},
     {"logistic", vector::logistic},
     {"erf", vector::error_function},
     {"sine", vector::sine},
     {"cosine", vector::cosine},
     {"reciprocal", vector::reciprocal},
     {"sqrt", vector::square_root},
     {"rsqrt", vector::reciprocal_square_root}}};

}  // namespace systole::tests

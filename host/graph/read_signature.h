#pragma once

#include <string>
#include <vector>

#include "host/graph/scanner.h"

namespace systole::graph {

/// What a function takes and returns, as a text states it.
struct Signature {
  struct Argument {
    std::size_t place = 0;
    std::string name;
    Type type;
    std::int64_t becomes = -1;  ///< the result that takes its memory
  };
  struct Result {
    std::string name;
    Type type;
  };
  std::vector<Argument> arguments = {};
  std::vector<Result> results = {};
};

/// (%x: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2xf32> {jax.result_info = "y"})
///
/// Errors   GraphError with line and column
Signature read_signature(Scanner& in);

}  // namespace systole::graph

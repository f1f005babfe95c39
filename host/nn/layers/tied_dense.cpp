#include "host/nn/layers/tied_dense.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <vector>

namespace systole::nn {

Value TiedDense::operator()(Builder& builder, Value x) const {
  std::vector<std::string> names;
  for (const Variable& variable : builder.variables()) {
    names.push_back(variable.parameter->name);
    if (names.back() != weight) continue;
    const Value w = variable.value;
    if (w.type().rank() != 2 || w.dimension(1) != x.dimension(-1)) {
      throw std::invalid_argument(fmt::format("TiedDense: {} is {}, and a sample is {}", weight,
                                              to_string(w.shape()), to_string(sample_shape(x))));
    }
    return dot_general(x, w, {.lhs_contracting = {x.type().rank() - 1}, .rhs_contracting = {1}});
  }
  throw std::invalid_argument(fmt::format("TiedDense: no earlier layer has a parameter '{}': {}",
                                          weight, fmt::join(names, ", ")));
}

}  // namespace systole::nn

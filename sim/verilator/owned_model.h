#pragma once

#include <verilated.h>

#include <cstdint>

namespace systole {

/// A context whose registers start from random values, if the model was Verilated for that; equal
/// seeds give equal values.
struct RandomContext {
  explicit RandomContext(std::uint64_t seed = 0) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed % 0x7fff'ffff) + 1);  // 0 would take the time of day
  }
  VerilatedContext context;
};

/// A Verilated model and the context it lives in, as one object.
template <typename Model>
struct OwnedModel : private RandomContext, public Model {
  explicit OwnedModel(std::uint64_t seed = 0) : RandomContext(seed), Model(&context) {}
};

}  // namespace systole

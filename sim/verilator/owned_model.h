#pragma once

#include <verilated.h>

namespace systole {

/// A context whose registers without a reset start from random values, where the model was
/// Verilated for it; the same values in every run.
struct RandomContext {
  RandomContext() {
    context.randReset(2);
    context.randSeed(1);
  }
  VerilatedContext context;
};

/// A Verilated model and the context it lives in, as one object.
template <typename Model>
struct OwnedModel : private RandomContext, public Model {
  OwnedModel() : Model(&context) {}
};

}  // namespace systole

// Adam's update of one variable as one operation, which Keras writes as a dozen (systole/adam.py).
#include <cmath>

#include "host/cpu/parallel.h"
#include "host/python/plugin/context.h"
#include "tensorflow/c/ops.h"

namespace systole::tensorflow {
namespace {

constexpr const char* kName = "SystoleAdam";

void define() {
  TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder(kName);
  for (const char* input :
       {"value: float", "momentum: float", "velocity: float", "gradient: float", "rate: float"}) {
    TF_OpDefinitionBuilderAddInput(builder, input);
  }
  for (const char* output : {"new_value: float", "new_momentum: float", "new_velocity: float"}) {
    TF_OpDefinitionBuilderAddOutput(builder, output);
  }
  for (const char* attribute : {"momentum_rate: float", "velocity_rate: float", "epsilon: float"}) {
    TF_OpDefinitionBuilderAddAttr(builder, attribute);
  }
  TF_OpDefinitionBuilderSetShapeInferenceFunction(
      builder, [](TF_ShapeInferenceContext* context, TF_Status* status) {
        TF_ShapeHandle* shape = TF_NewShapeHandle();
        TF_ShapeInferenceContextGetInput(context, 0, shape, status);
        for (int i = 0; i < 3 && TF_GetCode(status) == TF_OK; ++i) {
          TF_ShapeInferenceContextSetOutput(context, i, shape, status);
        }
        TF_DeleteShapeHandle(shape);
      });
  const Status status;
  TF_RegisterOpDefinition(builder, status);
  status.check();
}

// With Keras's operations in Keras's order, so that the bits are the same.
class Adam {
 public:
  explicit Adam(const Construction& made)
      : momentum_rate_(made.number("momentum_rate")),
        velocity_rate_(made.number("velocity_rate")),
        epsilon_(made.number("epsilon")) {}

  void compute(const Context& context) const {
    const Tensor value = context.input(0), momentum = context.input(1), velocity = context.input(2),
                 gradient = context.input(3), rate = context.input(4);
    const Shape& shape = value.shape();
    if (momentum.shape() != shape || velocity.shape() != shape || gradient.shape() != shape ||
        rate.size() != 1) {
      refuse("Adam: the variable is {}, its momentum {}, velocity {}, gradient {}", shape,
             momentum.shape(), velocity.shape(), gradient.shape());
    }
    const Tensor new_value = context.output(0, TF_FLOAT, shape),
                 new_momentum = context.output(1, TF_FLOAT, shape),
                 new_velocity = context.output(2, TF_FLOAT, shape);
    constexpr std::int64_t kPart = 1 << 16;
    graph::for_each_part(context.threads(), (value.size() + kPart - 1) / kPart,
                         [&](std::int64_t part) {
                           const std::int64_t first = part * kPart;
                           const auto at = [&](const Tensor& tensor) {
                             return tensor.values<float>().data() + first;
                           };
                           update(std::min(kPart, value.size() - first), rate.values<float>()[0],
                                  at(value), at(momentum), at(velocity), at(gradient),
                                  at(new_value), at(new_momentum), at(new_velocity));
                         });
  }

 private:
  void update(std::int64_t count, float rate, const float* value, const float* momentum,
              const float* velocity, const float* gradient, float* __restrict new_value,
              float* __restrict new_momentum, float* __restrict new_velocity) const {
    for (std::int64_t i = 0; i < count; ++i) {
      const float g = gradient[i];
      const float m = momentum[i] + (g - momentum[i]) * momentum_rate_;
      const float v = velocity[i] + (g * g - velocity[i]) * velocity_rate_;
      new_momentum[i] = m;
      new_velocity[i] = v;
      new_value[i] = value[i] - m * rate / (std::sqrt(v) + epsilon_);
    }
  }

  float momentum_rate_, velocity_rate_, epsilon_;
};

}  // namespace

void add_adam() {
  define();
  add_kernel<Adam>(kName, {});
}

}  // namespace systole::tensorflow

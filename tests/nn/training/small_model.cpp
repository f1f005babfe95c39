#include "tests/nn/training/small_model.h"

#include <bit>
#include <catch2/catch.hpp>
#include <optional>

#include "host/nn/layers/activation.h"
#include "host/nn/layers/dense.h"
#include "host/nn/numbers/generator.h"

namespace systole::tests {

Dataset small_data(std::int64_t count, std::int64_t inputs, std::int32_t classes,
                   std::uint64_t seed) {
  Dataset data{
      .name = "small", .sample_shape = {inputs}, .inputs = {}, .labels = {}, .classes = classes};
  nn::Generator generator(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::int32_t>(generator.below(classes));
    for (std::int64_t k = 0; k < inputs; ++k) {
      const bool lit = k % classes == label;
      data.inputs.push_back(generator.uniform(0, 0.6f) + (lit ? 0.4f : 0.0f));
    }
    data.labels.push_back(label);
  }
  return data;
}

nn::Sequential small_model(std::int64_t hidden, std::int32_t classes) {
  return nn::Sequential{nn::Dense{.units = hidden}, nn::Relu{}, nn::Dense{.units = classes}};
}

nn::Tensor random_tensor(std::int64_t rows, std::int64_t row_size, std::uint64_t seed) {
  nn::Tensor tensor;
  tensor.resize(rows, row_size);
  nn::Generator generator(seed);
  for (float& value : tensor.values) value = generator.uniform(-1, 1);
  return tensor;
}

std::vector<std::uint32_t> weight_bits(const nn::Sequential& model) {
  std::vector<std::uint32_t> bits;
  for (const nn::Parameter* parameter : model.parameters()) {
    for (const float value : parameter->value) bits.push_back(std::bit_cast<std::uint32_t>(value));
  }
  return bits;
}

Trained fit(nn::Sequential& model, const Dataset& data, const nn::FitOptions& options) {
  const auto history = model.fit(data, options);
  return {history.losses, weight_bits(model)};
}

void check_bit_exact_devices(const std::function<Trained(const std::string& device)>& train) {
  std::optional<Trained> first;
  for (const DeviceInfo& info : Device::list()) {
    if (!info.bit_exact) continue;
    INFO(info.name);
    const Trained trained = train(info.name);
    if (!first) first = trained;
    CHECK(trained.losses == first->losses);
    CHECK(trained.weights == first->weights);
  }
  if (!first) WARN("skipped: this build has no bit-exact device");
}

std::vector<std::int32_t> cyclic_labels(std::int64_t count, std::int32_t classes) {
  std::vector<std::int32_t> labels;
  for (std::int64_t i = 0; i < count; ++i) labels.push_back(static_cast<std::int32_t>(i % classes));
  return labels;
}

}  // namespace systole::tests

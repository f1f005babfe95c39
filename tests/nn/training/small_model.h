#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/data/dataset.h"
#include "host/nn/training/sequential.h"

namespace systole::tests {

/// `count` samples of `inputs` values; no single value shows a sample's class.
Dataset small_data(std::int64_t count, std::int64_t inputs, std::int32_t classes,
                   std::uint64_t seed = 1);

/// inputs - hidden - classes with ReLU, not compiled.
nn::Sequential small_model(std::int64_t hidden, std::int32_t classes);

/// Uniform in -1..1.
nn::Tensor random_tensor(std::int64_t rows, std::int64_t row_size, std::uint64_t seed);

/// The bits of all parameters, one after the other.
std::vector<std::uint32_t> weight_bits(const nn::Sequential& model);

/// What bit-exact trainings agree on.
struct Trained {
  std::vector<double> losses;
  std::vector<std::uint32_t> weights;
  friend bool operator==(const Trained&, const Trained&) = default;
};
Trained fit(nn::Sequential& model, const Dataset& data, const nn::FitOptions& options);

/// Checks that a training has the same bits on every bit-exact device of this build.
void check_bit_exact_devices(const std::function<Trained(const std::string& device)>& train);

/// 0, 1, .. classes - 1, 0, ..
std::vector<std::int32_t> cyclic_labels(std::int64_t count, std::int32_t classes);

}  // namespace systole::tests

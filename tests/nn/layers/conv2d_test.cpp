#include "host/nn/layers/conv2d.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <tuple>

#include "host/compiler/program/product_programs.h"
#include "host/device/convert.h"
#include "tests/nn/layers/written_layer.h"
#include "tests/nn/training/small_model.h"
#include "tests/support/tolerances.h"

namespace systole::tests {
namespace {

struct Case {
  nn::Shape sample;
  nn::Conv2D options;
  std::int64_t rows;
};

const Case kCases[] = {
    {{1, 1, 1}, {.filters = 1, .kernel = {1, 1}}, 1},
    {{5, 6, 1}, {.filters = 4}, 3},
    {{5, 6, 1}, {.filters = 4, .padding = nn::Padding::kSame}, 3},
    {{6, 5, 3}, {.filters = 5, .kernel = {2, 3}, .padding = nn::Padding::kSame}, 2},
    {{7, 7, 2}, {.filters = 3, .strides = {2, 2}}, 2},
    {{7, 6, 2}, {.filters = 3, .strides = {2, 3}, .padding = nn::Padding::kSame}, 2},
    {{2, 3, 2}, {.filters = 2, .kernel = {5, 5}, .padding = nn::Padding::kSame}, 2},
    {{4, 4, 6}, {.filters = 7, .kernel = {1, 1}}, 2},
};

// One output or gradient in fp64, with the sum of its terms' magnitudes.
struct Sum {
  double value = 0, magnitudes = 0;
  void add(double term) {
    value += term;
    magnitudes += std::abs(term);
  }
};

struct Reference {
  std::vector<Sum> y, d_x, d_weight, d_bias;
};

// The definition, term by term: every output's window, every tap inside the image.
Reference reference(const Case& c, const nn::Shape& output, const std::vector<float>& x,
                    const std::vector<float>& w, const std::vector<float>& b,
                    const std::vector<float>& d_y) {
  const auto [kernel_height, kernel_width] = c.options.kernel;
  const bool same = c.options.padding == nn::Padding::kSame;
  const auto border = [&](std::int64_t out, std::int64_t stride, std::int64_t size,
                          std::int64_t in) {
    return same ? std::max<std::int64_t>(0, (out - 1) * stride + size - in) / 2 : 0;
  };
  const auto top = border(output[0], c.options.strides.height, kernel_height, c.sample[0]);
  const auto left = border(output[1], c.options.strides.width, kernel_width, c.sample[1]);
  const std::int64_t channels = c.sample[2], filters = c.options.filters;
  Reference result{.y = std::vector<Sum>(d_y.size()),
                   .d_x = std::vector<Sum>(x.size()),
                   .d_weight = std::vector<Sum>(w.size()),
                   .d_bias = std::vector<Sum>(b.size())};
  std::size_t out = 0;
  for (std::int64_t n = 0; n < c.rows; ++n)
    for (std::int64_t r = 0; r < output[0]; ++r)
      for (std::int64_t q = 0; q < output[1]; ++q)
        for (std::int64_t f = 0; f < filters; ++f, ++out) {
          result.y[out].add(b[f]);
          result.d_bias[f].add(d_y[out]);
          for (std::int64_t i = 0; i < kernel_height; ++i)
            for (std::int64_t j = 0; j < kernel_width; ++j)
              for (std::int64_t k = 0; k < channels; ++k) {
                const std::int64_t row = r * c.options.strides.height + i - top;
                const std::int64_t col = q * c.options.strides.width + j - left;
                if (row < 0 || row >= c.sample[0] || col < 0 || col >= c.sample[1]) continue;
                const auto in = ((n * c.sample[0] + row) * c.sample[1] + col) * channels + k;
                const auto tap = ((i * kernel_width + j) * channels + k) * filters + f;
                result.y[out].add(double{x[in]} * double{w[tap]});
                result.d_x[in].add(double{d_y[out]} * double{w[tap]});
                result.d_weight[tap].add(double{x[in]} * double{d_y[out]});
              }
        }
  return result;
}

void check(const char* what, std::span<const float> actual, const std::vector<Sum>& expected) {
  INFO(what);
  REQUIRE(actual.size() == expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    wrong += !(std::abs(actual[i] - expected[i].value) <=
               kFp32MatmulTolerance * expected[i].magnitudes + 1e-30);
  }
  CHECK(wrong == 0);
}

std::vector<float> rounded(std::vector<float> values, DataType precision) {
  if (precision != DataType::kBf16) return values;
  std::vector<std::uint16_t> words(values.size());
  convert_to_bf16(values, words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(words[i]) << 16);
  }
  return values;
}

// Forward and backward on a device, with every value compared.
void check_case(const Case& c, const Device& device, DataType precision) {
  CAPTURE(nn::to_string(c.sample), c.options.filters, c.options.kernel.height, device.info().name);
  lowering::ProductPrograms programs(device, precision);
  graph::CpuProgram::Elsewhere elsewhere;
  if (precision == DataType::kBf16) {
    elsewhere = [&](const graph::Graph& graph) { return programs.kernels(graph); };
  }
  WrittenLayer layer(c.options, c.sample);
  nn::Parameter &weight = layer.parameters()[0], &bias = layer.parameters()[1];
  nn::Generator generator(3);
  for (float& b : bias.value) b = generator.uniform(-1, 1);
  const nn::Tensor x = random_tensor(c.rows, nn::size_of(c.sample), 11);
  const nn::Tensor d_y = random_tensor(c.rows, nn::size_of(layer.output_shape()), 12);
  const auto [y, d_x] = layer.run(x, d_y, {.elsewhere = elsewhere});
  const auto expected =
      reference(c, layer.output_shape(), rounded(x.values, precision),
                rounded(weight.value, precision), bias.value, rounded(d_y.values, precision));
  check("y", y.values, expected.y);
  check("d_x", d_x.values, expected.d_x);
  check("d_weight", weight.gradient, expected.d_weight);
  // The processor adds up dY as it is.
  const auto exact =
      reference(c, layer.output_shape(), x.values, weight.value, bias.value, d_y.values);
  check("d_bias", bias.gradient, exact.d_bias);
}

}  // namespace

TEST_CASE("conv2d agrees with plain loops on every device", "[conv2d]") {
  for (const Case& c : kCases) {
    check_case(c, Device::open("cpu"), DataType::kFp32);
    for (const DeviceInfo& info : Device::list()) {
      if (info.name != "cpu") {
        check_case(c, Device::open(info.name, {.array_size = 4}), DataType::kBf16);
      }
    }
  }
}

TEST_CASE("conv2d's results do not depend on the number of threads", "[conv2d]") {
  const auto run = [](int threads) {
    WrittenLayer layer(nn::Conv2D{.filters = 8, .activation = nn::Function::kRelu}, {9, 9, 4});
    const nn::Tensor x = random_tensor(6, 9 * 9 * 4, 1), d_y = random_tensor(6, 7 * 7 * 8, 2);
    const auto [y, d_x] = layer.run(x, d_y, {.threads = threads});
    return std::tuple(y.values, d_x.values, layer.parameters()[0].gradient,
                      layer.parameters()[1].gradient);
  };
  CHECK(run(1) == run(3));
}

TEST_CASE("conv2d refuses invalid options and samples", "[conv2d]") {
  CHECK_THROWS_WITH(write_layer(nn::Conv2D{.filters = 0}, {8, 8, 1}),
                    Catch::Contains("filters is 0"));
  CHECK_THROWS_WITH(write_layer(nn::Conv2D{.filters = 4}, {64}),
                    Catch::Contains("height x width x channels"));
  CHECK_THROWS_WITH(
      write_layer(nn::Conv2D{.filters = 4, .kernel = {3, 9}}, {8, 8, 1}),
      Catch::Contains("3 x 9") && Catch::Contains("8 x 8 x 1") && Catch::Contains("kSame"));
  CHECK_THROWS_WITH(write_layer(nn::Conv2D{.filters = 4, .kernel = {0, 3}}, {8, 8, 1}),
                    Catch::Contains("0 x 3"));
  CHECK_THROWS_WITH(write_layer(nn::Conv2D{.filters = 4, .strides = {1, -1}}, {8, 8, 1}),
                    Catch::Contains("strides") && Catch::Contains("1 x -1"));
}

}  // namespace systole::tests

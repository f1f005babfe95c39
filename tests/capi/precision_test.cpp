#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "systole.h"
#include "tests/support/random.h"
#include "tests/support/tolerances.h"

// What a text asks of a product's arithmetic is done, or refused.
namespace systole::tests {
namespace {

constexpr int kRows = 9, kDepth = 33, kCols = 6;

std::string text_of(const std::string& request) {
  return "func.func @main(%a: tensor<9x33xf32>, %b: tensor<33x6xf32>) -> tensor<9x6xf32> {\n"
         "  %y = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]" +
         request +
         " : (tensor<9x33xf32>, tensor<33x6xf32>) -> tensor<9x6xf32>\n"
         "  return %y : tensor<9x6xf32>\n}\n";
}

std::string algorithm(const std::string& type, int count) {
  return ", algorithm = <lhs_precision_type = " + type + ", rhs_precision_type = " + type +
         ", accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
         "num_primitive_operations = " +
         std::to_string(count) + ", allow_imprecise_accumulation = false>";
}

systole_device* open_small(const char* name) {
  const systole_options options{
      .configuration = nullptr, .array_size = 4, .threads = 1, .precision = nullptr, .cores = 0};
  systole_device* device = nullptr;
  REQUIRE(systole_open(name, &options, &device) == SYSTOLE_OK);
  return device;
}

systole_buffer buffer(std::vector<float>& values) {
  return {nullptr, values.data(), static_cast<std::int64_t>(4 * values.size())};
}

std::vector<float> run(systole_device* device, const std::string& text, std::vector<float> a,
                       std::vector<float> b, std::uint64_t* products = nullptr) {
  systole_program* program = nullptr;
  const systole_status status = systole_compile(device, text.data(), text.size(), &program);
  INFO(text << systole_error());
  REQUIRE(status == SYSTOLE_OK);
  std::vector<float> y(static_cast<std::size_t>(kRows) * kCols);
  const systole_buffer inputs[] = {buffer(a), buffer(b)}, output = buffer(y);
  REQUIRE(systole_run(program, inputs, 2, &output, 1) == SYSTOLE_OK);
  systole_step step{};
  REQUIRE(systole_last_run(program, &step) == SYSTOLE_OK);
  if (products != nullptr) *products = step.products;
  systole_release(program);
  return y;
}

std::vector<float> draw(Random& random, int count) {  // significands and signs of all bits
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    value = std::ldexp(static_cast<float>(static_cast<std::int32_t>(random.bits32())),
                       random.between(-45, -20));
  }
  return values;
}

// The largest error, as a share of the sum of magnitudes.
double error_of(const std::vector<float>& y, const std::vector<float>& a,
                const std::vector<float>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kCols; ++j) {
      double sum = 0, size = 0;
      for (std::size_t k = 0; k < kDepth; ++k) {
        const double product = static_cast<double>(a[i * kDepth + k]) * b[k * kCols + j];
        sum += product;
        size += std::fabs(product);
      }
      worst = std::max(worst, std::fabs(y[i * kCols + j] - sum) / size);
    }
  }
  return worst;
}

// Of docs/numerics.md: what is left out, and the roundings of sums, of which N = 4 and this depth
// have 12 in a product and one for each further product.
constexpr double kSums = 18 * 0x1p-24;
struct Asked {
  std::string request;
  std::uint64_t products;
  double at_most, at_least;
};

TEST_CASE("a product is as precise as its text asks", "[precision]") {
  const std::vector<Asked> all = {
      {"", 1, kBf16OperandTolerance + kSums, 0x1p-13},
      {", precision = [DEFAULT, DEFAULT]", 1, kBf16OperandTolerance + kSums, 0x1p-13},
      {algorithm("bf16", 1), 1, kBf16OperandTolerance + kSums, 0x1p-13},
      {", precision = [HIGH, DEFAULT]", 3, 3 * 0x1p-16 + kSums, 0x1p-20},
      {algorithm("bf16", 3), 3, 3 * 0x1p-16 + kSums, 0x1p-20},
      {", precision = [HIGHEST, HIGHEST]", 6, 0x1p-23 + 0x1p-32 + kSums, 0},
      {", precision = [DEFAULT, HIGHEST]", 6, 0x1p-23 + 0x1p-32 + kSums, 0},
      {", precision = [DEFAULT, DEFAULT]" + algorithm("bf16", 6), 6, 0x1p-23 + 0x1p-32 + kSums, 0},
      {algorithm("f32", 1), 6, 0x1p-23 + 0x1p-32 + kSums, 0},
      {algorithm("bf16", 9), 9, kSums, 0}};
  systole_device* device = open_small("model");
  systole_device* cpu = open_small("cpu");
  Random random(11);
  for (const Asked& asked : all) {
    INFO(asked.request);
    double worst = 0;
    for (int i = 0; i < 20; ++i) {
      const auto a = draw(random, kRows * kDepth), b = draw(random, kDepth * kCols);
      std::uint64_t products = 0;
      worst = std::max(worst, error_of(run(device, text_of(asked.request), a, b, &products), a, b));
      CHECK(products == asked.products);
      CHECK(error_of(run(cpu, text_of(asked.request), a, b), a, b) < kDepth * 0x1p-24);
    }
    INFO("worst " << worst);
    CHECK(worst <= asked.at_most);
    CHECK(worst >= asked.at_least);
  }
  systole_close(cpu);
  systole_close(device);
}

TEST_CASE("operands halfway to the next bf16 reach the bound of their rounding", "[precision]") {
  systole_device* device = open_small("model");
  // To even, so down: (1 + 2^-8)^2 becomes 1.
  const std::vector<float> a(std::size_t{kRows} * kDepth, 1 + 0x1p-8F);
  const std::vector<float> b(std::size_t{kDepth} * kCols, 1 + 0x1p-8F);
  const double error = error_of(run(device, text_of(""), a, b), a, b);
  CHECK(error < kBf16OperandTolerance);
  CHECK(error > 0.99 * kBf16OperandTolerance);
  systole_close(device);
}

TEST_CASE("an infinity stays one, and NaN a NaN, in precise products", "[precision]") {
  systole_device* device = open_small("model");
  std::vector<float> a(static_cast<std::size_t>(kRows) * kDepth, 1.0F / 3),
      b(static_cast<std::size_t>(kDepth) * kCols, 1);
  a[5] = INFINITY;
  a[kDepth + 5] = -INFINITY;
  a[2 * kDepth + 5] = NAN;
  const auto y = run(device, text_of(", precision = [HIGHEST, HIGHEST]"), a, b);
  CHECK(y[0] == INFINITY);
  CHECK(y[kCols] == -INFINITY);
  CHECK(std::isnan(y[2 * kCols]));
  CHECK(y[3 * kCols] == Approx(11).epsilon(1e-6));
  systole_close(device);
}

void check_refused(systole_device* device, const std::string& text, const std::string& why,
                   bool whole = false) {
  INFO(text);
  systole_program* program = nullptr;
  const systole_status status =
      whole ? systole_compile_step(device, text.data(), text.size(), nullptr, 0, &program)
            : systole_compile(device, text.data(), text.size(), &program);
  CHECK(status == SYSTOLE_INVALID_ARGUMENT);
  CHECK_THAT(systole_error(), Catch::Contains(why));
}

TEST_CASE("arithmetic that no device has is refused with its place", "[precision]") {
  systole_device* device = open_small("model");
  check_refused(device, text_of(", precision = [HIGHER, DEFAULT]"), "2:68: unknown precision");
  check_refused(device, text_of(algorithm("tf32", 1)), "2:68: no device has the algorithm");
  check_refused(device, text_of(algorithm("bf16", 4)), "choose from BF16_BF16_F32");
  check_refused(device, text_of(algorithm("f64", 1)), "no device has the algorithm");
  check_refused(device, text_of(", precision = [HIGHEST, HIGHEST]"),
                "a whole step multiplies in bf16 and has no HIGH or HIGHEST precision", true);
  for (const std::string type :
       {"f64", "i64", "ui64", "f16", "i16", "ui16", "i4", "f8E4M3FN", "complex<f32>"}) {
    check_refused(device,
                  "func.func @main(%a: tensor<2x" + type + ">) -> tensor<2x" + type +
                      "> {\n  return %a : tensor<2x" + type + ">\n}\n",
                  type == "complex<f32>" ? "complex" : "unknown element type '" + type + "'");
  }
  check_refused(device, R"(func.func @main(%a: tensor<2xf32>) -> tensor<2xi1> {
  %0 = stablehlo.compare LT, %a, %a, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
})",
                "2:38: compare: TOTALORDER");
  check_refused(device, R"(func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  return %0 : tensor<2xf32>
})",
                "tanh: a tolerance is not supported");
  systole_close(device);
}

std::string mixed(const std::string& a, const std::string& b, const std::string& y) {
  return "func.func @main(%a: tensor<2x3x" + a + ">, %b: tensor<3x2x" + b + ">) -> tensor<2x2x" +
         y +
         "> {\n  %y = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x" +
         a + ">, tensor<3x2x" + b + ">) -> tensor<2x2x" + y + ">\n  return %y : tensor<2x2x" + y +
         ">\n}\n";
}

TEST_CASE("a product's result has the type that is asked for, or is refused", "[precision]") {
  for (const char* name : {"cpu", "model"}) {
    systole_device* device = open_small(name);
    for (const auto& [a, b, y] :
         {std::array{"bf16", "bf16", "f32"}, std::array{"bf16", "bf16", "bf16"},
          std::array{"f32", "f32", "bf16"}, std::array{"f32", "bf16", "f32"}}) {
      const std::string text = mixed(a, b, y);
      INFO(name << text);
      systole_program* program = nullptr;
      REQUIRE(systole_compile(device, text.data(), text.size(), &program) == SYSTOLE_OK);
      // 1.5 in both types' words: a bf16 is the upper half of an f32.
      std::vector<std::uint16_t> x(12), w(12), sums(8);
      const auto fill = [](std::vector<std::uint16_t>& words, const std::string& type) {
        for (std::size_t i = 0; i < words.size(); ++i) {
          words[i] = type == "bf16" || i % 2 == 1 ? 0x3fc0 : 0;
        }
      };
      fill(x, a);
      fill(w, b);
      const auto size = [](const std::string& type, std::int64_t n) {
        return type == "bf16" ? 2 * n : 4 * n;
      };
      const systole_buffer inputs[] = {{nullptr, x.data(), size(a, 6)},
                                       {nullptr, w.data(), size(b, 6)}},
                           output{nullptr, sums.data(), size(y, 4)};
      REQUIRE(systole_run(program, inputs, 2, &output, 1) == SYSTOLE_OK);
      const std::size_t upper = std::string(y) == "bf16" ? 0 : 1;
      CHECK(sums[upper] == 0x40d8);  // 6.75
      CHECK(systole_fallback(program, 0) == nullptr);
      systole_step step{};
      REQUIRE(systole_last_run(program, &step) == SYSTOLE_OK);
      CHECK(step.products == 1);
      CHECK((step.clocks > 0) == (std::string(name) == "model"));
      systole_release(program);
    }
    check_refused(device, mixed("f32", "f32", "i32"), "dot_general gives tensor<2x2xf32>");
    check_refused(device, mixed("i8", "i8", "f32"), "dot_general gives tensor<2x2xi32>");
    check_refused(device, mixed("i8", "i32", "i32"), "the elements do not multiply");
    systole_close(device);
  }
}

TEST_CASE("integer products wrap as integers do", "[precision]") {
  systole_device* device = open_small("cpu");
  systole_program* program = nullptr;
  const std::string text = mixed("i32", "i32", "i32");
  REQUIRE(systole_compile(device, text.data(), text.size(), &program) == SYSTOLE_OK);
  std::vector<std::int32_t> a(6, 2'000'000'011), b(6, 1'999'999'973), y(4);
  const systole_buffer inputs[] = {{nullptr, a.data(), 24}, {nullptr, b.data(), 24}},
                       output{nullptr, y.data(), 16};
  REQUIRE(systole_run(program, inputs, 2, &output, 1) == SYSTOLE_OK);
  const auto product = static_cast<std::uint32_t>(a[0]) * static_cast<std::uint32_t>(b[0]);
  CHECK(y[0] == static_cast<std::int32_t>(3 * product));
  systole_release(program);
  systole_close(device);
}

}  // namespace
}  // namespace systole::tests

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "systole.h"

// Steps of which this processor computes what the device lacks.
namespace systole::tests {
namespace {

// The state is read before the remainder and updated after it.
constexpr const char* kStep = R"(
func.func @main(%w: tensor<7x7xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<5x7xf32>)
    -> (tensor<7x7xf32>, tensor<5x7xf32>) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
  %three = stablehlo.constant dense<3.0> : tensor<5x7xf32>
  %r = stablehlo.remainder %y, %three : tensor<5x7xf32>
  %d = stablehlo.dot_general %x, %r, contracting_dims = [0] x [0] : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<7x7xf32>
  %seven = stablehlo.constant dense<7.0> : tensor<7x7xf32>
  %s = stablehlo.add %w, %d : tensor<7x7xf32>
  %w2 = stablehlo.remainder %s, %seven : tensor<7x7xf32>
  return %w2, %r : tensor<7x7xf32>, tensor<5x7xf32>
})";
constexpr const char* kAlone = R"(
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %r = stablehlo.remainder %x, %x : tensor<5xf32>
  return %r : tensor<5xf32>
})";

template <typename T>
systole_buffer buffer(std::vector<T>& values) {
  return {nullptr, values.data(), static_cast<std::int64_t>(values.size() * sizeof(T))};
}

struct Opened {
  explicit Opened(const char* name, std::int32_t cores = 1) {
    const systole_options options{.configuration = nullptr,
                                  .array_size = std::strcmp(name, "cpu") == 0 ? 0 : 4,
                                  .threads = 0,
                                  .precision = nullptr,
                                  .cores = cores};
    REQUIRE(systole_open(name, &options, &device) == SYSTOLE_OK);
  }
  ~Opened() {
    systole_release(program);
    systole_close(device);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  systole_status compile(const char* text) {
    return systole_compile_step_beside_host(device, text, std::strlen(text), nullptr, 0, &program);
  }

  systole_device* device = nullptr;
  systole_program* program = nullptr;
};

struct Values {
  explicit Values(std::size_t cores = 1) : w(cores * 49), x(cores * 35), r(cores * 35) {
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 4) - 1;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 5) - 2;
  }
  std::vector<float> w, x, r;
};

/// w and r after three runs on this processor.
Values expected() {
  Opened cpu("cpu");
  REQUIRE(systole_compile(cpu.device, kStep, std::strlen(kStep), &cpu.program) == SYSTOLE_OK);
  Values values;
  for (int run = 0; run < 3; ++run) {
    const systole_buffer inputs[] = {buffer(values.w), buffer(values.x)};
    std::vector<float> next(49);
    const systole_buffer outputs[] = {buffer(next), buffer(values.r)};
    REQUIRE(systole_run(cpu.program, inputs, 2, outputs, 2) == SYSTOLE_OK);
    values.w = next;
  }
  return values;
}

TEST_CASE("this processor computes what a device lacks between a step's programs", "[capi]") {
  const Values cpu = expected();
  std::vector<systole_step> done;
  for (const char* name : {"model", "rtl"}) {
    INFO(name);
    Opened device(name);
    REQUIRE(device.compile(kStep) == SYSTOLE_OK);
    CHECK(std::string(systole_on_host(device.program)) ==
          "6:3: remainder(tensor<5x7xf32>, tensor<5x7xf32>): the device's vector engine has no "
          "such operation; on the host: remainder, 2 units beside 3 programs of the device");
    Values values;
    const systole_buffer none{};
    for (int run = 0; run < 3; ++run) {
      const systole_buffer inputs[] = {run == 0 ? buffer(values.w) : none, buffer(values.x)};
      const systole_buffer outputs[] = {none, buffer(values.r)};
      REQUIRE(systole_run(device.program, inputs, 2, outputs, 2) == SYSTOLE_OK);
    }
    const systole_buffer w = buffer(values.w);
    REQUIRE(systole_read(device.program, 0, &w) == SYSTOLE_OK);
    CHECK(values.w == cpu.w);  // whole numbers
    CHECK(values.r == cpu.r);
    REQUIRE(systole_last_run(device.program, &done.emplace_back()) == SYSTOLE_OK);
    CHECK(done.back().products == 2);
  }
  CHECK(done[0].clocks == done[1].clocks);
}

TEST_CASE("cores run a step beside this processor together", "[capi]") {
  const Values cpu = expected();
  Opened device("model", 2);
  REQUIRE(device.compile(kStep) == SYSTOLE_OK);
  Values values(2);
  for (std::size_t core = 0; core < 2; ++core) {  // the same on both
    std::copy_n(values.w.begin(), 49, values.w.begin() + static_cast<std::ptrdiff_t>(core) * 49);
  }
  const auto part = [](std::vector<float>& all, std::int64_t core) {
    const auto size = std::ssize(all) / 2;
    return systole_buffer{nullptr, all.data() + core * size,
                          size * static_cast<std::int64_t>(sizeof(float))};
  };
  const systole_buffer none{};
  for (int run = 0; run < 3; ++run) {
    const systole_buffer inputs[] = {run == 0 ? part(values.w, 0) : none, part(values.x, 0),
                                     run == 0 ? part(values.w, 1) : none, part(values.x, 1)};
    const systole_buffer outputs[] = {none, part(values.r, 0), none, part(values.r, 1)};
    REQUIRE(systole_run(device.program, inputs, 4, outputs, 4) == SYSTOLE_OK);
  }
  for (std::int32_t core = 0; core < 2; ++core) {
    const systole_buffer w = part(values.w, core);
    REQUIRE(systole_read(device.program, 2 * core, &w) == SYSTOLE_OK);
    CHECK(std::equal(cpu.w.begin(), cpu.w.end(), values.w.begin() + core * 49));
    CHECK(std::equal(cpu.r.begin(), cpu.r.end(), values.r.begin() + core * 35));
  }
}

TEST_CASE("a whole step leaves this processor nothing; one without products is refused", "[capi]") {
  Opened device("model");
  REQUIRE(systole_on_host(nullptr) == nullptr);
  REQUIRE(device.compile(R"(
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %r = stablehlo.sine %x : tensor<5xf32>
  return %r : tensor<5xf32>
})") == SYSTOLE_OK);
  CHECK(std::string(systole_on_host(device.program)).empty());
  systole_release(std::exchange(device.program, nullptr));
  CHECK(systole_compile_step(device.device, kStep, std::strlen(kStep), nullptr, 0,
                             &device.program) == SYSTOLE_INVALID_ARGUMENT);
  CHECK(device.compile(kAlone) == SYSTOLE_INVALID_ARGUMENT);
  CHECK_THAT(systole_error(),
             Catch::Contains("3:3: remainder") &&
                 Catch::Contains("the device's vector engine has no such operation"));
}

}  // namespace
}  // namespace systole::tests

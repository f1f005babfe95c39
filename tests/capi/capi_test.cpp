#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "systole.h"

extern "C" const char* version_from_c(void);

namespace systole::tests {
namespace {

constexpr const char* kProduct = R"(module @jit_f {
  func.func public @main(%x: tensor<5x7xf32>, %w: tensor<7x3xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<5x3xf32> {jax.result_info = "y"}, tensor<7x3xf32> {jax.result_info = "w2"}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
    %1 = stablehlo.add %w, %w : tensor<7x3xf32>
    return %0, %1 : tensor<5x3xf32>, tensor<7x3xf32>
  }
})";

systole_device* open_device(const char* name, const systole_options* options = nullptr) {
  systole_device* device = nullptr;
  INFO(systole_error());
  REQUIRE(systole_open(name, options, &device) == SYSTOLE_OK);
  return device;
}

systole_program* compile(systole_device* device, const char* text) {
  systole_program* program = nullptr;
  const systole_status status = systole_compile(device, text, std::strlen(text), &program);
  INFO(systole_error());
  REQUIRE(status == SYSTOLE_OK);
  return program;
}

template <typename T>
systole_buffer buffer(std::vector<T>& values, const char* name = nullptr) {
  return {name, values.data(), static_cast<std::int64_t>(values.size() * sizeof(T))};
}

// Small whole numbers, so that bf16 and fp32 agree.
struct Product {
  std::vector<float> x = std::vector<float>(35), w = std::vector<float>(21),
                     y = std::vector<float>(15), w2 = std::vector<float>(21);
  Product() {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 5) - 2;
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 4) - 1;
  }
  systole_status run(systole_program* program) {
    const systole_buffer inputs[] = {buffer(x), buffer(w)}, outputs[] = {buffer(y), buffer(w2)};
    return systole_run(program, inputs, 2, outputs, 2);
  }
  void check() const {
    for (std::size_t row = 0; row < 5; ++row) {
      for (std::size_t col = 0; col < 3; ++col) {
        float sum = 0;
        for (std::size_t k = 0; k < 7; ++k) sum += x[7 * row + k] * w[3 * k + col];
        CHECK(y[3 * row + col] == sum);
      }
    }
    for (std::size_t i = 0; i < w.size(); ++i) CHECK(w2[i] == 2 * w[i]);
  }
};

TEST_CASE("the header is C, and the library says its version and its devices", "[capi]") {
  CHECK(std::string(version_from_c()) == systole_version());
  REQUIRE(systole_device_count() >= 2);
  CHECK(std::string(systole_device_name(0)) == "cpu");
  CHECK(std::string(systole_device_name(1)) == "model");
  CHECK(std::strlen(systole_device_description(0)) > 0);
  CHECK(systole_device_name(-1) == nullptr);
  CHECK(systole_device_name(systole_device_count()) == nullptr);
  CHECK(std::string(systole_configuration_name(0)).size() > 0);
  CHECK(systole_configuration_description(systole_configuration_count()) == nullptr);
}

TEST_CASE("a program runs on every device, and counts its clocks", "[capi]") {
  const systole_options options{
      .configuration = nullptr, .array_size = 4, .threads = 2, .precision = nullptr, .cores = 0};
  std::vector<std::uint64_t> clocks;
  for (int i = 0; i < systole_device_count(); ++i) {
    const std::string name = systole_device_name(i);
    INFO(name);
    systole_device* device = open_device(name.c_str(), &options);
    systole_device_info info{};
    REQUIRE(systole_info(device, &info) == SYSTOLE_OK);
    CHECK(info.name == name);
    CHECK(std::string(info.precision) == (name == "cpu" ? "fp32" : "bf16"));
    CHECK(info.threads > 0);
    CHECK(std::string(info.memory).empty() == (name == "cpu"));
    CHECK(std::string(info.clock_source) == (name == "cpu" ? "" : "assumed"));
    systole_program* program = compile(device, kProduct);
    systole_close(device);  // the program keeps it
    Product product;
    REQUIRE(product.run(program) == SYSTOLE_OK);
    product.check();
    systole_step step{};
    REQUIRE(systole_last_run(program, &step) == SYSTOLE_OK);
    CHECK(step.products == 1);
    CHECK(step.macs == 5 * 7 * 3);
    CHECK((step.clocks > 0) == (name != "cpu"));
    if (step.clocks > 0) clocks.push_back(step.clocks);
    systole_release(program);
  }
  for (const std::uint64_t count : clocks) CHECK(count == clocks[0]);
}

// As frameworks ask for products one by one. A convolution's patches are loaded by the device;
// those that it cannot load are laid out by the host, and multiplied there just the same.
TEST_CASE("a product alone is the compiled program of one operation", "[capi]") {
  const systole_options options{
      .configuration = nullptr, .array_size = 4, .threads = 1, .precision = nullptr, .cores = 0};
  systole_device* device = open_device("model", &options);
  const auto convolution = [](const char* window, const char* result) {
    return std::string("func.func @main(%a: tensor<2x6x6x3xf32>, %b: tensor<3x3x3x4xf32>) -> ") +
           result +
           " {\n  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]"
           "->[b, 0, 1, f], window = {" +
           window +
           "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
           "(tensor<2x6x6x3xf32>, tensor<3x3x3x4xf32>) -> " +
           result + "\n  return %0 : " + result + "\n}\n";
  };
  const std::string product =
      "func.func @main(%a: tensor<5x7xf32>, %b: tensor<7x3xf32>) -> tensor<5x3xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<5x7xf32>, "
      "tensor<7x3xf32>) -> tensor<5x3xf32>\n  return %0 : tensor<5x3xf32>\n}\n";
  struct Case {
    std::string text;
    std::size_t a, b, y;
    bool is_compiled;
  };
  for (const Case& one :
       {Case{product, 35, 21, 15, true},
        Case{convolution("stride = [1, 1]", "tensor<2x4x4x4xf32>"), 216, 108, 128, true},
        Case{convolution("rhs_dilate = [2, 2]", "tensor<2x2x2x4xf32>"), 216, 108, 32, false}}) {
    INFO(one.text);
    std::vector<float> a(one.a), b(one.b), y(one.y), other(one.y);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
    const auto run = [&](systole_program* program, std::vector<float>& to) {
      const systole_buffer from[] = {buffer(a), buffer(b)}, result = buffer(to);
      REQUIRE(systole_run(program, from, 2, &result, 1) == SYSTOLE_OK);
      systole_step step{};
      REQUIRE(systole_last_run(program, &step) == SYSTOLE_OK);
      systole_release(program);
      CHECK(step.products == 1);
      return step.clocks;
    };
    systole_program* whole = nullptr;
    const systole_status status =
        systole_compile_step(device, one.text.data(), one.text.size(), nullptr, 0, &whole);
    CHECK((status == SYSTOLE_OK) == one.is_compiled);
    const std::uint64_t clocks = run(compile(device, one.text.c_str()), y);
    if (status == SYSTOLE_OK) {
      CHECK(run(whole, other) == clocks);
      CHECK(other == y);
    }
    systole_device* cpu = open_device("cpu");
    run(compile(cpu, one.text.c_str()), other);
    systole_close(cpu);
    CHECK(other == y);  // whole numbers
  }
  systole_close(device);
}

TEST_CASE("ports have names, types and aliases; buffers are given by name, and in place",
          "[capi]") {
  systole_device* device = open_device("cpu");
  systole_program* program = compile(device, kProduct);
  REQUIRE(systole_input_count(program) == 2);
  REQUIRE(systole_output_count(program) == 2);
  systole_port port{};
  REQUIRE(systole_input(program, 1, &port) == SYSTOLE_OK);
  CHECK(std::string(port.name) == "w");
  CHECK(port.element == SYSTOLE_F32);
  REQUIRE(port.rank == 2);
  CHECK(port.dimensions[0] == 7);
  CHECK(port.dimensions[1] == 3);
  CHECK(port.size_bytes == 84);
  CHECK(port.updated_by == 1);
  CHECK(systole_output(program, 2, &port) == SYSTOLE_INVALID_ARGUMENT);

  Product product;
  const Product before;
  const systole_buffer inputs[] = {buffer(product.w, "w"), buffer(product.x, "x")};
  const systole_buffer outputs[] = {buffer(product.w, "w2"), buffer(product.y, "y")};
  REQUIRE(systole_run(program, inputs, 2, outputs, 2) == SYSTOLE_OK);
  for (std::size_t i = 0; i < 21; ++i) CHECK(product.w[i] == 2 * before.w[i]);
  product.w2 = product.w;
  product.w = before.w;
  product.check();
  systole_release(program);
  systole_close(device);
}

TEST_CASE("bf16, bytes and predicates take two bytes and one", "[capi]") {
  systole_device* device = open_device("cpu");
  systole_program* program = compile(device, R"(
    func.func @main(%a: tensor<3xbf16>, %b: tensor<3xi8>, %p: tensor<3xi1>, %n: tensor<3xi32>, %u: tensor<3xui8>) -> (tensor<3xbf16>, tensor<3xi8>, tensor<3xi1>, tensor<3xi32>, tensor<3xui8>) {
      %0 = stablehlo.add %a, %a : tensor<3xbf16>
      %1 = stablehlo.add %b, %b : tensor<3xi8>
      %2 = stablehlo.not %p : tensor<3xi1>
      %3 = stablehlo.negate %n : tensor<3xi32>
      %4 = stablehlo.add %u, %u : tensor<3xui8>
      return %0, %1, %2, %3, %4 : tensor<3xbf16>, tensor<3xi8>, tensor<3xi1>, tensor<3xi32>, tensor<3xui8>
    })");
  std::vector<std::uint16_t> a{0x3f80, 0xc000, 0x7f80}, a2(3);
  std::vector<std::int8_t> b{1, -64, 100}, b2(3);
  std::vector<std::uint8_t> p{0, 1, 0}, p2(3);
  std::vector<std::int32_t> n{1, -2, 3}, n2(3);
  std::vector<std::uint8_t> u{1, 127, 200}, u2(3);
  const systole_buffer inputs[] = {buffer(a), buffer(b), buffer(p), buffer(n), buffer(u)};
  const systole_buffer outputs[] = {buffer(a2), buffer(b2), buffer(p2), buffer(n2), buffer(u2)};
  REQUIRE(systole_run(program, inputs, 5, outputs, 5) == SYSTOLE_OK);
  CHECK(a2 == std::vector<std::uint16_t>{0x4000, 0xc080, 0x7f80});
  CHECK(b2 == std::vector<std::int8_t>{2, -128, -56});
  CHECK(p2 == std::vector<std::uint8_t>{1, 0, 1});
  CHECK(n2 == std::vector<std::int32_t>{-1, 2, -3});
  CHECK(u2 == std::vector<std::uint8_t>{2, 254, 144});
  systole_release(program);
  systole_close(device);
}

void check_refused(systole_status status, systole_status expected, const std::string& part) {
  CHECK(status == expected);
  CHECK_THAT(systole_error(), Catch::Contains(part));
}

TEST_CASE("what cannot be is refused with a status and a text", "[capi]") {
  systole_device* device = nullptr;
  check_refused(systole_open("gpu", nullptr, &device), SYSTOLE_INVALID_ARGUMENT,
                "unknown device 'gpu': this build has cpu, model");
  check_refused(systole_open(nullptr, nullptr, &device), SYSTOLE_INVALID_ARGUMENT, "is NULL");
  systole_options options{
      .configuration = "tpu-v9", .array_size = 0, .threads = 0, .precision = nullptr, .cores = 0};
  check_refused(systole_open("model", &options, &device), SYSTOLE_INVALID_ARGUMENT,
                "unknown configuration 'tpu-v9': choose from default");
  options = {.configuration = nullptr, .array_size = 4, .threads = 0, .precision = "fp32"};
  check_refused(systole_open("model", &options, &device), SYSTOLE_INVALID_ARGUMENT,
                "does not multiply fp32");
  CHECK(device == nullptr);

  device = open_device("cpu");
  systole_program* program = nullptr;
  const std::string wrong =
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.sort %x : "
      "tensor<2xf32>\n}";
  check_refused(systole_compile(device, wrong.data(), wrong.size(), &program),
                SYSTOLE_INVALID_ARGUMENT, "2:8: unknown operation 'sort'");
  CHECK(program == nullptr);
  program = compile(device, kProduct);
  systole_step step{};
  check_refused(systole_last_run(program, &step), SYSTOLE_INVALID_ARGUMENT, "has not run");
  Product product;
  const auto run = [&](std::vector<systole_buffer> inputs, std::vector<systole_buffer> outputs) {
    return systole_run(program, inputs.data(), static_cast<std::int32_t>(inputs.size()),
                       outputs.data(), static_cast<std::int32_t>(outputs.size()));
  };
  const systole_buffer x = buffer(product.x), w = buffer(product.w), y = buffer(product.y),
                       w2 = buffer(product.w2);
  check_refused(run({x}, {y, w2}), SYSTOLE_INVALID_ARGUMENT,
                "1 inputs are given; the program has 2");
  check_refused(run({w, x}, {y, w2}), SYSTOLE_INVALID_ARGUMENT,
                "input 0 ('x') is tensor<5x7xf32>, which takes 140 bytes, not 84");
  check_refused(run({x, buffer(product.w, "v")}, {y, w2}), SYSTOLE_INVALID_ARGUMENT,
                "the program has no input 'v'");
  check_refused(run({x, buffer(product.x, "x")}, {y, w2}), SYSTOLE_INVALID_ARGUMENT,
                "is given twice");
  check_refused(run({x, {nullptr, nullptr, 84}}, {y, w2}), SYSTOLE_INVALID_ARGUMENT, "not 0");
  check_refused(run({x, w}, {{nullptr, product.x.data(), 60}, w2}), SYSTOLE_INVALID_ARGUMENT,
                "output 0 lies over input 0");
  CHECK(run({x, w}, {y, w2}) == SYSTOLE_OK);
  systole_release(program);
  systole_close(device);
  systole_release(nullptr);
  systole_close(nullptr);
}

// One step of w -= rate * dw for y = x w and loss = sum(y * y) / 2, with its count.
constexpr const char* kStep = R"(module @jit_step {
  func.func public @main(%w: tensor<7x3xf32>, %count: tensor<i32>, %x: tensor<5x7xf32>, %rate: tensor<f32>) -> (tensor<f32>, tensor<7x3xf32>, tensor<i32>) {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
    %squares = chlo.square %y : tensor<5x3xf32> -> tensor<5x3xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<f32>
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %loss = stablehlo.multiply %sum, %half : tensor<f32>
    %dw = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<5x7xf32>, tensor<5x3xf32>) -> tensor<7x3xf32>
    %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<7x3xf32>
    %move = stablehlo.multiply %dw, %rates : tensor<7x3xf32>
    %next = stablehlo.subtract %w, %move : tensor<7x3xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %count2 = stablehlo.add %count, %one : tensor<i32>
    return %loss, %next, %count2 : tensor<f32>, tensor<7x3xf32>, tensor<i32>
  }
})";
constexpr std::int32_t kUpdates[] = {1, 2, -1, -1};

systole_program* compile_step(systole_device* device) {
  systole_program* program = nullptr;
  const systole_status status =
      systole_compile_step(device, kStep, std::strlen(kStep), kUpdates, 4, &program);
  INFO(systole_error());
  REQUIRE(status == SYSTOLE_OK);
  return program;
}

struct Step {
  std::vector<float> w = std::vector<float>(21), x = std::vector<float>(35), rate = {0.125f},
                     loss = {-1};
  std::vector<std::int32_t> count = {3};
  Step() {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 5) - 2;
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 4) - 1;
  }
  // Without data the state is what the device has, and stays there.
  systole_status run(systole_program* program, bool gives, bool takes) {
    const systole_buffer none{};
    const systole_buffer inputs[] = {gives ? buffer(w) : none, gives ? buffer(count) : none,
                                     buffer(x), buffer(rate)};
    const systole_buffer outputs[] = {buffer(loss), takes ? buffer(w) : none,
                                      takes ? buffer(count) : none};
    return systole_run(program, inputs, 4, outputs, 3);
  }
  // The same on this processor; products round their operands to bf16, which these numbers are at
  // first.
  void expect_step() {
    float sum = 0;
    std::vector<float> y(15), d(21);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t k = 0; k < 7; ++k) y[3 * i + j] += x[7 * i + k] * w[3 * k + j];
        sum += y[3 * i + j] * y[3 * i + j];
      }
    }
    for (std::size_t k = 0; k < 7; ++k) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t i = 0; i < 5; ++i) d[3 * k + j] += x[7 * i + k] * y[3 * i + j];
        w[3 * k + j] -= rate[0] * d[3 * k + j];
      }
    }
    loss[0] = sum / 2;
    ++count[0];
  }
};

TEST_CASE("a whole step runs as one program, whose state stays on the device", "[capi]") {
  const systole_options options{
      .configuration = nullptr, .array_size = 4, .threads = 0, .precision = nullptr, .cores = 0};
  std::vector<systole_step> done;
  std::vector<Step> results;
  for (int i = 1; i < systole_device_count(); ++i) {
    const std::string name = systole_device_name(i);
    INFO(name);
    systole_device* device = open_device(name.c_str(), &options);
    systole_program* program = compile_step(device);
    Step step, expected;
    REQUIRE(step.run(program, true, false) == SYSTOLE_OK);
    CHECK(step.count[0] == 3);  // it is on the device
    expected.expect_step();
    CHECK(step.loss[0] == expected.loss[0]);
    systole_step run{};
    REQUIRE(systole_last_run(program, &run) == SYSTOLE_OK);
    CHECK(run.products == 2);
    CHECK(run.macs == 2 * 5 * 7 * 3);
    CHECK(run.clocks > 0);
    done.push_back(run);
    const systole_buffer w = buffer(step.w), count = buffer(step.count);
    REQUIRE(systole_read(program, 1, &w) == SYSTOLE_OK);
    REQUIRE(systole_read(program, 2, &count) == SYSTOLE_OK);
    CHECK(step.w == expected.w);
    CHECK(step.count == expected.count);

    // Two more steps, with results kept or passed in again, are the same; the last one fetches.
    Step given = step;
    REQUIRE(step.run(program, false, false) == SYSTOLE_OK);
    REQUIRE(step.run(program, false, true) == SYSTOLE_OK);
    CHECK(step.count[0] == 6);
    REQUIRE(given.run(program, true, true) == SYSTOLE_OK);
    REQUIRE(given.run(program, true, true) == SYSTOLE_OK);
    CHECK(given.w == step.w);
    CHECK(given.count == step.count);
    CHECK(given.loss == step.loss);
    results.push_back(step);
    systole_release(program);
    systole_close(device);
  }
  for (std::size_t i = 0; i < done.size(); ++i) {
    CHECK(done[i].clocks == done[0].clocks);
    CHECK(results[i].w == results[0].w);
    CHECK(results[i].loss == results[0].loss);
  }
}

TEST_CASE("compiled steps refuse what a device cannot do or does not have", "[capi]") {
  systole_program* program = nullptr;
  const auto compile_with = [&](systole_device* device, const std::string& text,
                                std::span<const std::int32_t> updates) {
    return systole_compile_step(device, text.data(), text.size(), updates.data(),
                                static_cast<std::int32_t>(updates.size()), &program);
  };
  systole_device* cpu = open_device("cpu");
  check_refused(compile_with(cpu, kStep, kUpdates), SYSTOLE_INVALID_ARGUMENT,
                "device 'cpu' runs no whole steps: use model or rtl");
  systole_close(cpu);
  const systole_options options{
      .configuration = nullptr, .array_size = 4, .threads = 0, .precision = nullptr, .cores = 0};
  systole_device* device = open_device("model", &options);
  const std::int32_t short_one[] = {1}, far[] = {7, -1, -1, -1}, wrong[] = {0, -1, -1, -1};
  check_refused(compile_with(device, kStep, short_one), SYSTOLE_INVALID_ARGUMENT,
                "1 updates are given; the program has 4 inputs");
  check_refused(compile_with(device, kStep, far), SYSTOLE_INVALID_ARGUMENT,
                "input 0 ('w') is updated by output 7");
  check_refused(compile_with(device, kStep, wrong), SYSTOLE_INVALID_ARGUMENT,
                "input w is tensor<7x3xf32> and cannot become output result0");
  std::string text = kStep;
  const std::string squares = "chlo.square %y : tensor<5x3xf32> -> tensor<5x3xf32>";
  text.replace(text.find(squares), squares.size(), "stablehlo.power %y, %y : tensor<5x3xf32>");
  check_refused(compile_with(device, text, kUpdates), SYSTOLE_INVALID_ARGUMENT,
                "4:5: power(tensor<5x3xf32>, tensor<5x3xf32>): the device's vector engine has no");
  CHECK(program == nullptr);

  program = compile_step(device);
  Step step;
  check_refused(step.run(program, false, false), SYSTOLE_INVALID_ARGUMENT,
                "input 0 ('w') is not on the device: give it, as in the first run");
  const systole_buffer w = buffer(step.w), x = buffer(step.x);
  check_refused(systole_read(program, 1, &w), SYSTOLE_INVALID_ARGUMENT, "has not run");
  REQUIRE(step.run(program, true, false) == SYSTOLE_OK);
  check_refused(systole_read(program, 1, &x), SYSTOLE_INVALID_ARGUMENT,
                "output 1 ('result1') takes 84 bytes, not 140");
  check_refused(systole_read(program, 0, &w), SYSTOLE_INVALID_ARGUMENT,
                "output 0 ('result0') does not stay on the device");
  check_refused(systole_read(program, 3, &w), SYSTOLE_INVALID_ARGUMENT, "3 is none of 3");
  systole_release(program);
  systole_close(device);
}

TEST_CASE("errors belong to the thread that made them", "[capi]") {
  systole_device* device = nullptr;
  systole_open("here", nullptr, &device);
  std::string other = "unset";
  std::thread([&] {
    other = systole_error();
    systole_open("there", nullptr, &device);
  }).join();
  CHECK(other.empty());
  CHECK_THAT(systole_error(), Catch::Contains("'here'"));
}

TEST_CASE("threads share a device and its programs", "[capi]") {
  const systole_options options{
      .configuration = nullptr, .array_size = 4, .threads = 0, .precision = nullptr, .cores = 0};
  systole_device* device = open_device("model", &options);
  systole_program* shared = compile(device, kProduct);
  std::vector<Product> products(4);
  std::vector<int> failures(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) {
        systole_program* own = nullptr;
        failures[i] += systole_compile(device, kProduct, std::strlen(kProduct), &own) != SYSTOLE_OK;
        failures[i] += products[i].run(round % 2 == 0 ? shared : own) != SYSTOLE_OK;
        systole_release(own);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(failures[i] == 0);
    products[i].check();
  }
  systole_release(shared);
  systole_close(device);
}

TEST_CASE("a forked process is refused a device of its parent's", "[capi]") {
  systole_device* device = open_device("cpu");
  systole_program* program = compile(device, kProduct);
  const pid_t child = fork();
  if (child == 0) {
    Product product;
    const bool refused = product.run(program) == SYSTOLE_FORKED &&
                         std::strstr(systole_error(), "before the process forked") != nullptr;
    systole_release(program);
    systole_close(device);
    systole_device* own = nullptr;
    _exit(refused && systole_open("cpu", nullptr, &own) == SYSTOLE_OK ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  Product product;
  CHECK(product.run(program) == SYSTOLE_OK);
  systole_release(program);
  systole_close(device);
}

}  // namespace
}  // namespace systole::tests

// Products and convolutions of graphs that run on the processor, each a program of one operation.
#include "host/compiler/program/product_programs.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "host/compiler/program/patch_product.h"
#include "host/cpu/program.h"
#include "host/device/backend.h"
#include "host/device/program_device.h"
#include "host/graph/text.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using graph::Element;
using lowering::PatchProduct;
using lowering::ProductPrograms;
using Words = std::vector<std::uint32_t>;

Device small_model_device() { return Device::open("model", {.array_size = 4}); }

std::unique_ptr<graph::Graph> convolution(const std::string& a, const std::string& b,
                                          const std::string& y, const std::string& layout,
                                          const std::string& window, bool mirrors = false) {
  const std::string types = "(tensor<" + a + ">, tensor<" + b + ">) -> tensor<" + y + ">";
  return graph::read(
      "func.func @main(%a: tensor<" + a + ">, %b: tensor<" + b + ">) -> tensor<" + y + "> {\n" +
      (mirrors ? "  %r = stablehlo.reverse %b, dims = [0, 1] : tensor<" + b + ">\n" : "") +
      "  %y = stablehlo.convolution(%a, " + (mirrors ? "%r" : "%b") + ") dim_numbers = " + layout +
      ", window = {" + window +
      "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : " + types +
      "\n  return %y : tensor<" + y + ">\n}\n");
}

// Of dilated kernels, and with other strides down than across: patches that no device loads; and
// the gradient of images with strides.
std::vector<std::unique_ptr<graph::Graph>> patch_convolutions() {
  const char* forward = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
  const char* by_image = "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]";
  const char* by_kernel = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]";
  std::vector<std::unique_ptr<graph::Graph>> all;
  all.push_back(
      convolution("5x7x6x3xf32", "3x2x3x4xf32", "5x3x4x4xf32", forward, "rhs_dilate = [2, 2]"));
  all.push_back(
      convolution("5x7x6x3xf32", "3x2x3x4xf32", "5x3x5x4xf32", forward, "stride = [2, 1]"));
  all.push_back(convolution("5x3x4x4xf32", "3x2x3x4xf32", "5x7x6x3xf32", by_image,
                            "pad = [[4, 4], [2, 2]], rhs_dilate = [2, 2]", true));
  all.push_back(
      convolution("5x7x6x3xf32", "5x3x5x4xf32", "3x2x3x4xf32", by_kernel, "rhs_dilate = [2, 1]"));
  all.push_back(convolution("5x3x3x4xf32", "3x2x3x4xf32", "5x7x6x3xf32", by_image,
                            "pad = [[2, 2], [1, 1]], lhs_dilate = [2, 2]", true));
  return all;
}

// Of images that have more pixels a side than a command can name, or more channels.
std::vector<std::unique_ptr<graph::Graph>> large_convolutions() {
  const char* forward = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
  std::vector<std::unique_ptr<graph::Graph>> all;
  all.push_back(convolution("1x1x65536x1xf32", "1x1x1x2xf32", "1x1x65536x2xf32", forward, ""));
  all.push_back(convolution("2x1x65538x1xf32", "1x3x1x1xf32", "2x1x65536x1xf32", forward, ""));
  all.push_back(convolution("1x2x2x32768xf32", "2x2x32768x1xf32", "1x1x1x1xf32", forward, ""));
  return all;
}

// Small whole numbers, which bf16 has: all sums are exact.
Words drawn(Random& random, const graph::Type& type) {
  Words words(static_cast<std::size_t>(graph::element_count(type.shape)));
  for (std::uint32_t& word : words) {
    const int number = random.between(-4, 4);
    const auto real = static_cast<float>(number);
    if (type.element == Element::kF32) {
      std::memcpy(&word, &real, sizeof(word));
    } else {
      std::memcpy(&word, &number, sizeof(word));
    }
  }
  return words;
}

struct Operands {
  Words a, b;
};
Operands drawn(Random& random, const graph::Graph& graph) {
  return {drawn(random, graph.type(graph.inputs()[0].value)),
          drawn(random, graph.type(graph.inputs()[1].value))};
}

Words run(const graph::Graph& graph, const Operands& operands,
          const graph::CpuProgram::Elsewhere& elsewhere = {}) {
  graph::CpuProgram program(graph, 1, elsewhere);
  const graph::Type& type = graph.type(graph.outputs()[0].value);
  Words y(static_cast<std::size_t>(graph::element_count(type.shape)));
  const void* from[] = {operands.a.data(), operands.b.data()};
  void* to[] = {y.data()};
  program.run(from, to);
  CHECK(program.own_products().size() == (elsewhere ? 0 : 1));
  return y;
}

graph::CpuProgram::Elsewhere on(ProductPrograms& programs) {
  return [&](const graph::Graph& simple) { return programs.kernels(simple); };
}

std::unique_ptr<graph::Graph> product(const std::string& a, const std::string& b,
                                      const std::string& y, const std::string& dimensions) {
  const std::string types = "(tensor<" + a + ">, tensor<" + b + ">) -> tensor<" + y + ">";
  return graph::read("func.func @main(%a: tensor<" + a + ">, %b: tensor<" + b + ">) -> tensor<" +
                     y + "> {\n  %y = stablehlo.dot_general %a, %b, " + dimensions + " : " + types +
                     "\n  return %y : tensor<" + y + ">\n}\n");
}

TEST_CASE("products that run alone are the processor's, where numbers are exact",
          "[product_programs]") {
  const Device device = small_model_device();
  Random random(7);
  std::vector<std::unique_ptr<graph::Graph>> all;
  const char* plain = "contracting_dims = [1] x [0]";
  all.push_back(product("1x1xf32", "1x1xf32", "1x1xf32", plain));
  all.push_back(product("5x9xf32", "9x3xf32", "5x3xf32", plain));
  all.push_back(product("9x5xf32", "3x9xf32", "5x3xf32", "contracting_dims = [0] x [1]"));
  all.push_back(product("9xf32", "9x4xf32", "4xf32", "contracting_dims = [0] x [0]"));
  all.push_back(product("2x3x5x9xf32", "2x3x9x4xf32", "2x3x5x4xf32",
                        "batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2]"));
  all.push_back(product("5x9xi8", "9x3xi8", "5x3xi32", plain));
  all.push_back(product("3x5x9xi8", "3x4x9xi8", "3x5x4xi32",
                        "batching_dims = [0] x [0], contracting_dims = [2] x [2]"));
  for (const auto& graph : all) {
    INFO(graph::print(*graph));
    ProductPrograms programs(device, DataType::kBf16);
    const Operands operands = drawn(random, *graph);
    CHECK(run(*graph, operands, on(programs)) == run(*graph, operands));
  }
}

TEST_CASE("a convolution of images that no command can name is exact", "[product_programs]") {
  const Device device = small_model_device();
  Random random(9);
  for (const auto& graph : large_convolutions()) {
    INFO(graph::print(*graph));
    ProductPrograms programs(device, DataType::kBf16);
    const Operands operands = drawn(random, *graph);
    CHECK((run(*graph, operands, on(programs)) == run(*graph, operands)));
  }
}

TEST_CASE("convolutions whose patches the processor lays out are exact, in any parts",
          "[product_programs]") {
  const Device device = small_model_device();
  Random random(8);
  for (const auto& graph : patch_convolutions()) {
    INFO(graph::print(*graph));
    ProductPrograms programs(device, DataType::kBf16);
    const Operands operands = drawn(random, *graph);
    const Words expected = run(*graph, operands);
    CHECK(run(*graph, operands, on(programs)) == expected);

    const auto found = graph::image_convolution(*graph, graph->operations().back());
    REQUIRE(found);
    const std::int64_t image = found->images.positions() * found->images.patch();
    for (const std::int64_t images : {0, 1, 2, 3, 5}) {
      PatchProduct product(programs, *found, images * image);
      Words y(expected.size());
      product.run(reinterpret_cast<const float*>(operands.a.data()),
                  reinterpret_cast<const float*>(operands.b.data()),
                  reinterpret_cast<float*>(y.data()), 2);
      CHECK(y == expected);
    }
  }
}

TEST_CASE("products in int8 are within their scales' steps", "[product_programs]") {
  ProductPrograms programs(small_model_device(), DataType::kInt8);
  Random random(9);
  auto all = patch_convolutions();
  all.push_back(product("5x9xf32", "9x3xf32", "5x3xf32", "contracting_dims = [1] x [0]"));
  for (const auto& graph : all) {
    INFO(graph::print(*graph));
    const Operands operands = drawn(random, *graph);
    const Words got = run(*graph, operands, on(programs)), expected = run(*graph, operands);
    // Half a step of 4 / 127 in each of at most 160 factors of up to 4.
    const auto* y = reinterpret_cast<const float*>(got.data());
    const auto* exact = reinterpret_cast<const float*>(expected.data());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(y[i] == Approx(exact[i]).margin(20));
  }
}

TEST_CASE("operations of one signature share a program while one of them lives",
          "[product_programs]") {
  const Device device = small_model_device();
  std::vector<std::uint64_t> numbers;
  device.watch_programs(
      [&](const PlacedProgram& program, Memory&) { numbers.push_back(program.number); });
  ProductPrograms programs(device, DataType::kBf16);
  const auto graph = product("5x9xf32", "9x3xf32", "5x3xf32", "contracting_dims = [1] x [0]");
  Random random(10);
  const Operands operands = drawn(random, *graph);
  {
    const auto first = programs.kernels(*graph), second = programs.kernels(*graph);
    Words y(15);
    std::vector<void*> pointers(graph->value_count());
    pointers[static_cast<std::size_t>(graph->inputs()[0].value)] =
        const_cast<std::uint32_t*>(operands.a.data());
    pointers[static_cast<std::size_t>(graph->inputs()[1].value)] =
        const_cast<std::uint32_t*>(operands.b.data());
    pointers[static_cast<std::size_t>(graph->outputs()[0].value)] = y.data();
    for (const auto* kernels : {&first, &second, &first}) kernels->at(0).run(pointers, 1);
    CHECK(y == run(*graph, operands));
  }
  REQUIRE(numbers.size() == 3);
  CHECK(numbers[0] != 0);
  CHECK(numbers == std::vector<std::uint64_t>(3, numbers[0]));
  run(*graph, operands, on(programs));
  CHECK(numbers.back() != numbers[0]);  // the first one is gone, and its memory
}

TEST_CASE("a product that no device has gets no kernel", "[product_programs]") {
  ProductPrograms programs(small_model_device(), DataType::kBf16);
  const char* plain = "contracting_dims = [1] x [0]";
  CHECK(programs.kernels(*product("5x9xi32", "9x3xi32", "5x3xi32", plain)).empty());
  CHECK(programs.kernels(*product("0x9xf32", "9x3xf32", "0x3xf32", plain)).empty());
  CHECK(programs.kernels(*product("5x0xf32", "0x3xf32", "5x3xf32", plain)).empty());
  CHECK(programs.kernels(*product("1x131072xi8", "131072x1xi8", "1x1xi32", plain)).empty());
}

}  // namespace
}  // namespace systole::tests

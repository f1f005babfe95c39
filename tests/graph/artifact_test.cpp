// Portable artifacts, which JAX hands to a device, beside the text of the same programs.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <random>

#include "host/graph/artifact/read_artifact.h"
#include "host/graph/reference.h"
#include "host/graph/text.h"

namespace systole::tests {
namespace {

using namespace graph;

std::string contents(const std::string& name) {
  std::ifstream file(std::string(SYSTOLE_ARTIFACT_DIR "/") + name, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Some numbers of the types of a graph's inputs; integers are below 3.
std::vector<Literal> inputs_of(const Graph& graph, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Literal> inputs;
  for (const Input& input : graph.inputs()) {
    Literal literal{graph.type(input.value), {}};
    for (std::int64_t i = 0; i < element_count(literal.type.shape); ++i) {
      const double drawn = static_cast<double>(random() % 2001) / 500 - 2;
      const bool counts = is_integer(literal.type.element);
      literal.values.push_back(counts ? random() % 3 : round_to(literal.type.element, drawn));
    }
    inputs.push_back(std::move(literal));
  }
  return inputs;
}

// What reading these bytes comes to; anything but a graph or a GraphError fails.
bool is_read(std::string_view bytes) {
  try {
    read(bytes)->verify();
    return true;
  } catch (const GraphError& error) {
    CHECK(std::string_view(error.what()).size() > 5);
    return false;
  }
}

TEST_CASE("an artifact computes what JAX's text of the same program does", "[artifact]") {
  for (const std::string name : {"step", "images", "choices"}) {
    const auto artifact = read(contents(name + ".mlirbc")), text = read(contents(name + ".mlir"));
    REQUIRE(artifact->outputs().size() == text->outputs().size());
    for (unsigned seed = 0; seed < 6; ++seed) {
      INFO(name << ", seed " << seed);
      const std::vector<Literal> inputs = inputs_of(*text, seed);
      CHECK(evaluate(*artifact, inputs) == evaluate(*text, inputs));
    }
  }
}

TEST_CASE("a donated argument updates the result that takes its memory", "[artifact]") {
  const auto graph = read(contents("step.mlirbc"));
  CHECK(graph->inputs()[0].updated_by == 2);
  CHECK(graph->inputs()[1].updated_by == -1);
}

TEST_CASE("an operation's scope is its line in the user's program", "[artifact]") {
  const auto graph = read(contents("step.mlirbc"));
  for (const Operation& operation : graph->operations()) {
    if (operation.kind->name != "dot_general") continue;
    INFO(operation.scope);
    CHECK(operation.scope.starts_with("make.py:"));
  }
}

TEST_CASE("random words that JAX counts in 64 bits are JAX's", "[artifact]") {
  const auto graph = read(contents("words.mlirbc"));
  const Literal key{graph->type(graph->inputs()[0].value), {0, 0}};
  const std::vector<Literal> results = evaluate(*graph, std::vector{key});
  // jax.random.bits(key, (3, 2)) and jax.random.uniform(key, (5,)) on JAX's CPU
  CHECK(results[0].values ==
        std::vector<double>{4070199207, 4202968722, 1427181096, 2012915765, 2447653815, 710830403});
  CHECK(results[1].values == std::vector<double>{0x1.e5349cp-1, 0x1.f5086cp-1, 0x1.544438p-2,
                                                 0x1.dfeaap-2, 0x1.23c874p-1});
}

TEST_CASE("a loop that depends on data and a reduction of two operands are JAX's", "[artifact]") {
  const auto graph = read(contents("loops.mlirbc"));
  const Literal x{graph->type(graph->inputs()[0].value), {0.25, -1, 2}};
  const Literal limit{graph->type(graph->inputs()[1].value), {9}};
  const std::vector<Literal> results = evaluate(*graph, std::vector{x, limit});
  // loops(x, limit) of make.py on JAX's CPU
  const double wanted[] = {0x1.88389p+2, 0x1.95930cp+3, 0x1.fa77p+1};
  for (std::size_t i = 0; i < 3; ++i) CHECK(results[0].at(std::int64_t(i)) == Approx(wanted[i]));
  CHECK(results[1].at(0) == results[0].at(1));
  CHECK(results[2].at(0) == 1);
}

TEST_CASE("an artifact that is cut short is refused", "[artifact]") {
  for (const std::string name : {"step", "images", "choices", "words", "loops"}) {
    const std::string bytes = contents(name + ".mlirbc");
    for (std::size_t size = 4; size < bytes.size(); ++size) {
      INFO(name << " of " << size << " bytes");
      CHECK_FALSE(is_read(std::string_view(bytes).substr(0, size)));
    }
  }
}

TEST_CASE("an artifact with any byte changed is read or refused", "[artifact]") {
  std::size_t refused = 0, changed = 0;
  // In those with loops, which may then count far, only every eleventh.
  for (const auto& [name, stride] :
       {std::pair("images", 1), {"choices", 11}, {"words", 11}, {"loops", 11}}) {
    const std::string bytes = contents(std::string(name) + ".mlirbc");
    for (std::size_t i = 4; i < bytes.size(); i += static_cast<std::size_t>(stride)) {
      for (const int mask : {0x01, 0x80, 0xff}) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ mask);
        refused += is_read(damaged) ? 0 : 1;
        ++changed;
      }
    }
  }
  CHECK(refused > changed / 4);
}

TEST_CASE("what begins with MLIR's mark is an artifact", "[artifact]") {
  CHECK(is_artifact(contents("step.mlirbc")));
  CHECK_FALSE(is_artifact(contents("step.mlir")));
  CHECK_FALSE(is_artifact("ML"));
  CHECK_FALSE(is_read("ML\xefR"));
}

}  // namespace
}  // namespace systole::tests

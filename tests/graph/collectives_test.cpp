// What cores tell each other, written as sums over cores.
#include "host/graph/collectives.h"

#include <catch2/catch.hpp>

#include "host/graph/cores.h"
#include "host/graph/ops.h"
#include "host/graph/simplify_cores.h"

namespace systole::tests {
namespace {

using namespace graph;

using Write = std::function<Value(CorePlace place, Value x)>;

/// Each core's result of `write`, where core c has {c, c + 0.5, ...} or whole numbers.
std::vector<std::vector<double>> results(std::int64_t cores, const Type& type, const Write& write) {
  std::vector<std::unique_ptr<Graph>> graphs;
  std::vector<std::vector<Literal>> inputs;
  for (std::int64_t core = 0; core < cores; ++core) {
    auto graph = std::make_unique<Graph>();
    const Value x = graph->input("x", type);
    graph->output("y", write({.core = core, .cores = cores}, x));
    graphs.push_back(std::move(graph));
    Literal own{type, {}};
    for (std::int64_t i = 0; i < element_count(type.shape); ++i) {
      const double value = type.element == Element::kF32 || type.element == Element::kBf16
                               ? static_cast<double>(core) + 0.5 * static_cast<double>(i)
                               : static_cast<double>(10 * core + i);
      own.values.push_back(round_to(type.element, value));
    }
    inputs.push_back({std::move(own)});
  }
  const auto simple = simplify_cores(graphs);
  std::vector<const Graph*> pointers;
  for (const auto& graph : simple) pointers.push_back(graph.get());
  std::vector<std::vector<double>> found;
  for (const auto& outputs : evaluate_cores(pointers, inputs)) {
    Literal all{outputs[0].type, {}};
    for (std::int64_t i = 0; i < element_count(all.type.shape); ++i) {
      all.values.push_back(outputs[0].at(i));
    }
    found.push_back(all.values);
  }
  return found;
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const GraphError& error) {
    return error.what();
  }
  return "nothing was refused";
}

const Type kPair{Element::kF32, {2}};

}  // namespace

TEST_CASE("a sum of groups is that of each group's cores", "[collectives]") {
  const auto found = results(
      4, kPair, [](CorePlace place, Value x) { return CoreGroup(place, {{0, 2}, {1, 3}}).sum(x); });
  CHECK(found == std::vector<std::vector<double>>{{2, 3}, {4, 5}, {2, 3}, {4, 5}});
}

TEST_CASE("sums of other types are exact, and wrap", "[collectives]") {
  const auto sum = [](CorePlace place, Value x) { return CoreGroup(place).sum(x); };
  CHECK(results(3, {Element::kS32, {2}}, sum)[1] == std::vector<double>{30, 33});
  CHECK(results(3, {Element::kBf16, {}}, sum)[2] == std::vector<double>{3});
  CHECK(results(3, {Element::kPred, {2}}, sum)[0] == std::vector<double>{1, 1});
  CHECK(results(8, {Element::kS8, {1}}, sum)[0] == std::vector<double>{280 - 256});
  const auto large = [](double number) {
    return [number](CorePlace place, Value x) {
      return CoreGroup(place).sum(x + constant_like(x, number));
    };
  };
  CHECK(results(2, {Element::kS32, {1}}, large(0x7fff'ffff))[0] == std::vector<double>{8});
  CHECK(results(2, {Element::kU32, {1}}, large(0xffff'fffe))[1] == std::vector<double>{6});
  CHECK(results(3, {Element::kS32, {1}}, large(-70'000))[2] == std::vector<double>{30 - 210'000});
}

TEST_CASE("cores gather what each has, in the group's order", "[collectives]") {
  const auto rows = results(3, {Element::kF32, {1, 2}}, [](CorePlace place, Value x) {
    return CoreGroup(place, {{2, 0, 1}}).gather(x, 0);
  });
  for (const auto& own : rows) CHECK(own == std::vector<double>{2, 2.5, 0, 0.5, 1, 1.5});
  const auto columns = results(4, {Element::kU32, {2, 1}}, [](CorePlace place, Value x) {
    return CoreGroup(place, {{0, 1}, {3, 2}}).gather(x, 1);
  });
  CHECK(columns == std::vector<std::vector<double>>{
                       {0, 10, 1, 11}, {0, 10, 1, 11}, {30, 20, 31, 21}, {30, 20, 31, 21}});
}

TEST_CASE("cores exchange parts, and take their own", "[collectives]") {
  const auto exchanged = results(2, {Element::kF32, {2, 1}}, [](CorePlace place, Value x) {
    return CoreGroup(place).exchange(x, 0, 1);
  });
  CHECK(exchanged == std::vector<std::vector<double>>{{0, 1}, {0.5, 1.5}});
  const auto scattered = results(2, kPair, [](CorePlace place, Value x) {
    const CoreGroup group(place);
    return group.part(group.sum(x), 0);
  });
  CHECK(scattered == std::vector<std::vector<double>>{{1}, {2}});
  const auto first = results(4, kPair, [](CorePlace place, Value x) {
    return CoreGroup(place, {{1, 0}, {2, 3}}).broadcast(x);
  });
  CHECK(first == std::vector<std::vector<double>>{{1, 1.5}, {1, 1.5}, {2, 2.5}, {2, 2.5}});
}

// Core 0 receives nothing, so its own graph needs no sum, but it takes part in the others'.
TEST_CASE("values go from core to core; who gets none has 0", "[collectives]") {
  const auto shift = [](CorePlace place, Value x) { return permute(place, {{0, 1}, {1, 2}}, x); };
  CHECK(results(3, kPair, shift) == std::vector<std::vector<double>>{{0, 0}, {0, 0.5}, {1, 1.5}});
  CHECK(results(3, {Element::kPred, {2}}, shift) ==
        std::vector<std::vector<double>>{{0, 0}, {0, 1}, {1, 1}});
}

TEST_CASE("sums that one core needs stay in all, and others go", "[collectives]") {
  std::vector<std::unique_ptr<Graph>> graphs;
  for (std::int64_t core = 0; core < 2; ++core) {
    auto graph = std::make_unique<Graph>();
    const Value x = graph->input("x", kPair);
    const Value first = all_reduce(x, 2), second = all_reduce(x * 2, 2);
    all_reduce(x * 3, 2);
    const Value is_first = constant(*graph, {Element::kPred, {}}, core == 0 ? 1 : 0);
    graph->output("y", select(is_first, first, second));
    graphs.push_back(std::move(graph));
  }
  const auto simple = simplify_cores(graphs);
  for (const auto& graph : simple) {
    CHECK(std::ranges::count(graph->operations(), 2, cores_of) == 2);
    CHECK(graph->outputs().size() == 2);
    CHECK(graph->outputs()[0].name == "y");
  }
  CHECK(simple[0]->outputs()[1].name == "meeting$1");
  CHECK(simple[1]->outputs()[1].name == "meeting$0");
  graphs[0]->output("z", all_reduce(graphs[0]->value(0), 2));
  CHECK(refusal([&] { simplify_cores(graphs); }) == "a core has 3 sums over cores, and another 4");
}

TEST_CASE("groups that are none are refused", "[collectives]") {
  const auto group = [](std::vector<Integers> groups) {
    return refusal([&] { const CoreGroup made({.core = 1, .cores = 3}, std::move(groups)); });
  };
  const std::string rest = " of 3 cores are not supported: groups have one size and each core once";
  CHECK(group({{0, 1}, {2}}) == "the groups [0, 1], [2]" + rest);
  CHECK(group({{0, 2}}) == "the groups [0, 2]" + rest);
  CHECK(group({{0, 1, 1}}) == "the groups [0, 1, 1]" + rest);
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {3}});
  CHECK(refusal([&] { CoreGroup({.core = 0, .cores = 2}).part(x, 0); }) ==
        "dimension 0 of tensor<3xf32> does not split among 2 cores");
  CHECK(refusal([&] { permute({.core = 0, .cores = 2}, {{0, 2}}, x); }) ==
        "core 2 of 2 does not exist");
  CHECK(refusal([&] { permute({.core = 0, .cores = 2}, {{0, 1}, {1, 1}}, x); }) ==
        "core 1 of 2 sends or receives twice");
}

}  // namespace systole::tests

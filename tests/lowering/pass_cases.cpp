#include "pass_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "host/compiler/pipeline.h"
#include "host/graph/checksum.h"
#include "host/graph/reference.h"
#include "host/graph/text.h"

namespace systole::tests {
namespace {

using graph::Graph;
using graph::Literal;

std::vector<std::string> lines_of(const Graph& graph) {
  std::istringstream text(graph::print(graph));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with(graph::kChecksumMark)) lines.push_back(line);
  }
  return lines;
}

/// Lines with a mark at the first that `expected` has not.
std::string marked(const std::vector<std::string>& lines,
                   const std::vector<std::string>& expected) {
  const auto first = std::ranges::mismatch(lines, expected).in1 - lines.begin();
  std::string text;
  for (std::ptrdiff_t i = 0; i < std::ssize(lines); ++i) {
    text += fmt::format("{} {}\n", i == first ? '>' : ' ', lines[static_cast<std::size_t>(i)]);
  }
  return text;
}

std::vector<Literal> whole_numbers(const Graph& graph) {
  std::vector<Literal> inputs;
  for (const graph::Input& input : graph.inputs()) {
    Literal values{graph.type(input.value), {}};
    const bool is_predicate = values.type.element == graph::Element::kPred;
    const bool is_unsigned = values.type.element == graph::Element::kU32;
    for (std::int64_t i = 0; i < graph::element_count(values.type.shape); ++i) {
      const std::int64_t number = (i * 37 + 11 * std::ssize(inputs)) % 13;
      values.values.push_back(
          static_cast<double>(is_predicate ? number % 2 : (is_unsigned ? number : number - 6)));
    }
    inputs.push_back(std::move(values));
  }
  return inputs;
}

void check_same_numbers(const Graph& found, const Graph& expected, Sums sums) {
  const std::vector<Literal> inputs = whole_numbers(expected);
  const auto results = graph::evaluate(found, inputs), others = graph::evaluate(expected, inputs);
  REQUIRE(results.size() == others.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (sums == Sums::kExact) {
      CHECK(results[i] == others[i]);
      continue;
    }
    REQUIRE(results[i].type == others[i].type);
    for (std::int64_t k = 0; k < graph::element_count(results[i].type.shape); ++k) {
      CHECK(results[i].at(k) == Approx(others[i].at(k)).epsilon(1e-5).margin(1e-4));
    }
  }
}

std::unique_ptr<Graph> graph_of(const Signature& signature, std::string_view body) {
  return lowering::read_lowered(fmt::format("func.func @main({}) -> ({}) {{{}\n}}\n",
                                            signature.arguments, signature.results, body));
}

}  // namespace

void check_rewrite(const Signature& signature, std::string_view before, const Rewrite& pass,
                   std::string_view after, Sums sums) {
  const auto graph = graph_of(signature, before);
  const auto rewritten = pass(*graph), expected = graph_of(signature, after);
  rewritten->verify();
  const std::vector<std::string> found = lines_of(*rewritten), lines = lines_of(*expected);
  if (found != lines) {
    FAIL_CHECK("the pass made\n" << marked(found, lines) << "not\n" << marked(lines, found));
  }
  if (sums != Sums::kRounded) check_same_numbers(*rewritten, *graph, sums);
}

void check_stays(const Signature& signature, std::string_view before, const Rewrite& pass) {
  check_rewrite(signature, before, pass, before);
}

}  // namespace systole::tests

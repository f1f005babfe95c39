#include "host/cpu/loop_program.h"

#include <algorithm>
#include <cstring>

namespace systole::graph {
namespace {

std::size_t bytes_of(const Type& type) {
  return static_cast<std::size_t>(element_count(type.shape)) * sizeof(std::uint32_t);
}

}  // namespace

LoopProgram::LoopProgram(const Operation& operation, int threads,
                         const CpuProgram::Elsewhere& elsewhere)
    : loop_(read_while(operation.attributes)),
      condition_(*loop_.condition, threads, elsewhere),
      body_(*loop_.body, threads, elsewhere) {}

// The carried values lie in two places, which take turns.
void LoopProgram::run(const Graph& graph, const Operation& operation, Pointers pointers) {
  std::vector<const void*> condition, body;
  for (std::size_t i = 0; i < operation.operands.size(); ++i) {
    const void* value = pointers[operation.operands[i]];
    if (i < loop_.carried + loop_.condition_captures) condition.push_back(value);
    if (i < loop_.carried || i >= loop_.carried + loop_.condition_captures) body.push_back(value);
  }
  std::vector<std::vector<std::uint32_t>> places[2];
  for (auto& place : places) {
    for (std::size_t i = 0; i < loop_.carried; ++i) {
      // One word at least, so that no two values of no elements share a place.
      place.emplace_back(bytes_of(graph.type(operation.results[i])) / sizeof(std::uint32_t) + 1);
    }
  }
  std::uint32_t goes_on = 0;
  void* const answer = &goes_on;
  for (std::size_t turn = 0;; turn ^= 1U) {
    condition_.run(condition, {&answer, 1});
    if (goes_on == 0) break;
    std::vector<void*> next;
    for (auto& place : places[turn]) next.push_back(place.data());
    body_.run(body, next);
    std::ranges::copy(next, condition.begin());
    std::ranges::copy(next, body.begin());
  }
  for (std::size_t i = 0; i < loop_.carried; ++i) {
    std::memmove(pointers[operation.results[i]], condition[i],
                 bytes_of(graph.type(operation.results[i])));
  }
}

}  // namespace systole::graph

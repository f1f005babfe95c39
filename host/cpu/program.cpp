#include "host/cpu/program.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>

#include "host/cpu/flush_subnormals.h"
#include "host/cpu/grouping.h"
#include "host/cpu/loop_program.h"
#include "host/cpu/memory_plan.h"
#include "host/graph/join_sums.h"
#include "host/graph/simplify.h"

namespace systole::graph {
namespace {

// Whether kernels read an updated input after the one that writes its new value, or that kernel
// reads it at other places than it writes.
bool needs_old_value(const Kernels& kernels, int input, int updated) {
  bool written = false;
  for (const Kernel& kernel : kernels.kernels) {
    const bool writes = std::ranges::count(kernel.writes, updated) > 0;
    const bool reads = std::ranges::any_of(
        kernel.reads, [&](int value) { return kernels.storage.base(value) == input; });
    const bool in_place = std::ranges::count(kernel.in_place, std::pair(updated, input)) > 0;
    if (reads && (written || (writes && !in_place))) return true;
    written = written || writes;
  }
  return false;
}

}  // namespace

struct CpuProgram::State {
  std::unique_ptr<Graph> graph;
  Kernels kernels;
  MemoryPlan plan;
  std::vector<float> memory;
  std::vector<void*> pointers;  // by value
  std::vector<bool> direct;     // by output: its kernel writes to the caller's memory
  std::vector<std::vector<std::uint32_t>> passed;  // by output: see save_passed
  Products products;
  std::vector<std::shared_ptr<LoopProgram>> loops;
  int threads = 1;

  // Of a loop whose end depends on data.
  Kernel loop(const Operation& operation, const Elsewhere& elsewhere) {
    loops.push_back(std::make_shared<LoopProgram>(operation, threads, elsewhere));
    return {.reads = operation.operands,
            .writes = operation.results,
            .run = [this, &operation, program = loops.back()](Pointers values, int) {
              program->run(*graph, operation, values);
            }};
  }

  // Calls work(program) for the programs of loops.
  template <typename Work>
  void for_each_inner(const Work& work) const {
    for (const auto& one : loops) {
      work(one->condition());
      work(one->body());
    }
  }

  void run(const Kernel& kernel) {
    if (kernel.macs == 0) return kernel.run(pointers, threads);
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    kernel.run(pointers, threads);
    products.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    products.macs += static_cast<std::uint64_t>(kernel.macs);
    ++products.count;
  }

  void choose_direct() {
    std::vector<bool> taken(graph->value_count());
    for (std::size_t i = 0; i < graph->outputs().size(); ++i) {
      const int value = graph->outputs()[i].value;
      const auto input =
          std::ranges::find(graph->inputs(), static_cast<int>(i), &Input::updated_by);
      direct.push_back(
          kernels.storage.places[value].kind == Storage::Kind::kMemory && !taken[value] &&
          (input == graph->inputs().end() || !needs_old_value(kernels, input->value, value)));
      taken[value] = taken[value] || direct.back();
    }
    plan = plan_memory(*graph, kernels, taken);
  }

  // Saves inputs that the graph returns where another output lies in their memory: that output may
  // be written first.
  void save_passed(std::span<void* const> outputs) {
    passed.resize(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const int value = graph->outputs()[i].value;
      const int base = kernels.storage.base(value);
      void* const from = pointers[base];
      const bool is_overwritten = kernels.storage.places[base].kind == Storage::Kind::kInput &&
                                  from != outputs[i] && std::ranges::count(outputs, from) > 0;
      const auto* words = static_cast<const std::uint32_t*>(from);
      const std::int64_t count = is_overwritten ? element_count(graph->type(value).shape) : 0;
      passed[i].assign(words, words + count);
    }
  }

  void write_output(std::size_t i, void* to) const {
    const int value = graph->outputs()[i].value;
    const void* from = passed[i].empty() ? pointers[value] : passed[i].data();
    if (from == to) return;
    const std::int64_t count = element_count(graph->type(value).shape);
    std::memmove(to, from, static_cast<std::size_t>(count) * sizeof(float));
  }

  void place(std::span<const void* const> inputs, std::span<void* const> outputs) {
    const auto size = static_cast<std::size_t>(plan.elements);
    if (memory.size() < size) memory = std::vector<float>(size);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      pointers[graph->inputs()[i].value] = const_cast<void*>(inputs[i]);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (direct[i]) pointers[graph->outputs()[i].value] = outputs[i];
    }
    for (int value = 0; value < static_cast<int>(pointers.size()); ++value) {
      if (plan.offsets[value] >= 0) pointers[value] = memory.data() + plan.offsets[value];
      auto& constant = kernels.storage.constants[value];
      if (!constant.empty()) pointers[value] = constant.data();
    }
    for (int value = 0; value < static_cast<int>(pointers.size()); ++value) {
      pointers[value] = pointers[kernels.storage.base(value)];
    }
  }
};

CpuProgram::CpuProgram(const Graph& graph, int threads, const Elsewhere& elsewhere)
    : state_(std::make_unique<State>()) {
  state_->graph = simplify(*join_sums(graph));
  state_->threads = threads;
  std::vector<Kernel> others;
  if (elsewhere) others = elsewhere(*state_->graph);
  for (const Operation& operation : state_->graph->operations()) {
    if (operation.kind == &while_kind()) others.push_back(state_->loop(operation, elsewhere));
  }
  state_->kernels = make_kernels(*state_->graph, std::move(others));
  state_->pointers.resize(state_->graph->value_count());
  state_->choose_direct();
}

CpuProgram::~CpuProgram() = default;
CpuProgram::CpuProgram(CpuProgram&&) noexcept = default;

void CpuProgram::run(std::span<const void* const> inputs, std::span<void* const> outputs) {
  State& state = *state_;
  const Graph& graph = *state.graph;
  if (inputs.size() != graph.inputs().size() || outputs.size() != graph.outputs().size()) {
    throw GraphError(fmt::format("cpu: got {} inputs and {} outputs, not {} and {}", inputs.size(),
                                 outputs.size(), graph.inputs().size(), graph.outputs().size()));
  }
  state.place(inputs, outputs);
  state.save_passed(outputs);
  const FlushSubnormals flush;
  for (const Kernel& kernel : state.kernels.kernels) state.run(kernel);
  for (std::size_t i = 0; i < outputs.size(); ++i) state.write_output(i, outputs[i]);
}

CpuProgram::Products CpuProgram::products() const {
  Products all = state_->products;
  state_->for_each_inner([&](const CpuProgram& program) {
    const Products inner = program.products();
    all.count += inner.count;
    all.macs += inner.macs;
    all.seconds += inner.seconds;
  });
  return all;
}

std::vector<std::string> CpuProgram::own_products() const {
  std::vector<std::string> products;
  for (const int index : state_->kernels.products) {
    const Call call = state_->graph->call(state_->graph->operations()[index]);
    const auto is_empty = [](const Type& type) { return element_count(type.shape) == 0; };
    if (std::ranges::any_of(call.operands, is_empty)) continue;
    products.push_back(fmt::format("{}({}, {})", call.kind.name, to_string(call.operands[0]),
                                   to_string(call.operands[1])));
  }
  state_->for_each_inner([&](const CpuProgram& program) {
    std::ranges::move(program.own_products(), std::back_inserter(products));
  });
  return products;
}

std::int64_t CpuProgram::memory_bytes() const {
  return state_->plan.elements * std::int64_t{sizeof(float)};
}
std::int64_t CpuProgram::kernel_count() const {
  return static_cast<std::int64_t>(state_->kernels.kernels.size());
}

}  // namespace systole::graph

#include "host/capi/processor_program.h"

#include <algorithm>
#include <iterator>

#include "host/cpu/core_sums.h"
#include "host/graph/simplify_cores.h"
#include "host/graph/text.h"

namespace systole::capi {
namespace {

graph::Products products_in(DataType precision) {
  return precision == DataType::kFp32   ? graph::Products::kFp32
         : precision == DataType::kInt8 ? graph::Products::kInt8
                                        : graph::Products::kBf16;
}

}  // namespace

ProcessorProgram::ProcessorProgram(std::shared_ptr<SharedDevice> shared, std::string_view text)
    : Program(std::move(shared)), meeting_(device().cores()) {
  auto graphs = device().read(text, graph::Scopes::kAsWritten, products_in(device().precision()));
  inputs_ = input_ports(*graphs[0]);
  outputs_ = output_ports(*graphs[0]);
  if (graphs.size() > 1) graphs = graph::simplify_cores(graphs);
  const auto lock = device().lock();
  for (const auto& graph : graphs) add_core(*graph);
}

ProcessorProgram::~ProcessorProgram() {
  const auto lock = device().lock();
  cores_.clear();
}

void ProcessorProgram::add_core(const graph::Graph& graph) {
  const std::size_t core = cores_.size();
  lowering::ProductPrograms* products = device().products(core);
  Core& added = cores_.emplace_back();
  added.input_words.resize(inputs_.size());
  added.output_words.resize(outputs_.size());
  for (std::size_t i = outputs_.size(); i < graph.outputs().size(); ++i) {
    const graph::Type& type = graph.type(graph.outputs()[i].value);
    added.sums.emplace_back(static_cast<std::size_t>(graph::element_count(type.shape)));
  }
  const auto elsewhere = [&](const graph::Graph& simple) {
    std::vector<graph::Kernel> kernels;
    if (products != nullptr) kernels = products->kernels(simple);
    if (device().cores() == 1) return kernels;
    const auto add = [this, core](std::span<float> values) { meeting_.add(core, values); };
    std::ranges::move(graph::core_sums(simple, add), std::back_inserter(kernels));
    return kernels;
  };
  added.program =
      std::make_unique<graph::CpuProgram>(graph, device().core(core).info().threads, elsewhere);
  if (products == nullptr) return;
  const std::vector<std::string> own = added.program->own_products();
  fallbacks_.insert(fallbacks_.end(), own.begin(), own.end());
}

Counters ProcessorProgram::counters(std::size_t core) const {
  Counters counted = device().core(core).counters();
  if (device().products(core) != nullptr) return counted;
  const graph::CpuProgram::Products products = cores_[core].program->products();
  counted += {.products = products.count, .macs = products.macs};
  return counted;
}

void ProcessorProgram::execute(BufferList from, BufferList to) {
  const auto run = [&](int number) {
    const auto core = static_cast<std::size_t>(number);
    run_core(core, from.subspan(core * inputs_.size(), inputs_.size()),
             to.subspan(core * outputs_.size(), outputs_.size()));
  };
  if (cores_.size() == 1) return run(0);
  meeting_.begin();
  device().team().run([&](int core) {
    try {
      run(core);
    } catch (const SumMeeting::Left&) {  // the core that left says why
    } catch (...) {
      meeting_.leave();
      throw;
    }
  });
}

void ProcessorProgram::run_core(std::size_t number, BufferList from, BufferList to) {
  Core& core = cores_[number];
  std::vector<const void*> inputs(from.size());
  std::vector<void*> outputs(to.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    inputs[i] = widened(inputs_[i], from[i]->data, core.input_words[i]);
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    outputs[i] = place_of(outputs_[i], to[i]->data, core.output_words[i]);
  }
  for (Words& sum : core.sums) outputs.push_back(sum.data());
  core.program->run(inputs, outputs);
  for (std::size_t i = 0; i < to.size(); ++i) {
    narrow(outputs_[i], core.output_words[i], to[i]->data);
  }
}

}  // namespace systole::capi

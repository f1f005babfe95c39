#include "host/nn/training/program.h"

#include <algorithm>

#include "host/nn/products/device_products.h"

namespace systole::nn {
namespace {

std::unique_ptr<graph::Offload> offload_to(Multiplier* multiplier) {
  if (multiplier == nullptr || multiplier->is_this_processor()) return {};
  return std::make_unique<DeviceProducts>(*multiplier);
}

template <typename Ports>
std::vector<std::string> names_of(const Ports& ports) {
  std::vector<std::string> names;
  for (const auto& port : ports) names.push_back(port.name);
  return names;
}

template <typename Port>
Port& find(const std::vector<std::string>& names, std::vector<Port>& ports, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw graph::GraphError(fmt::format("the graph has no {}", name));
  return ports[found - names.begin()];
}

}  // namespace

Program::Program(const graph::Graph& graph, Multiplier* multiplier, int threads)
    : multiplier_(multiplier),
      input_names_(names_of(graph.inputs())),
      output_names_(names_of(graph.outputs())),
      sources_(input_names_.size()),
      targets_(output_names_.size()),
      program_(graph, threads, offload_to(multiplier),
               multiplier == nullptr ? nullptr : multiplier->memory()) {}

void Program::read(std::string_view input, const void* data) {
  find(input_names_, sources_, input) = {.data = data};
}
void Program::read(std::string_view input, const std::vector<float>& values,
                   const std::uint64_t* version) {
  find(input_names_, sources_, input) = {.values = &values, .version = version};
}
void Program::write(std::string_view output, void* data) {
  find(output_names_, targets_, output) = {.data = data};
}
void Program::write(std::string_view output, std::vector<float>& values) {
  find(output_names_, targets_, output) = {.values = &values};
}

std::vector<std::string> Program::fallbacks() const {
  const bool has_device = multiplier_ != nullptr && !multiplier_->is_this_processor();
  return has_device ? program_.own_products() : std::vector<std::string>{};
}

void Program::run() {
  std::vector<const void*> inputs;
  std::vector<std::uint64_t> versions;
  std::vector<void*> outputs;
  for (const Source& source : sources_) {
    inputs.push_back(source.values != nullptr ? source.values->data() : source.data);
    versions.push_back(source.version != nullptr ? *source.version : 0);
  }
  for (const Target& target : targets_) {
    outputs.push_back(target.values != nullptr ? target.values->data() : target.data);
  }
  const graph::CpuProgram::Products before = program_.products();
  program_.run(inputs, outputs, versions);
  const graph::CpuProgram::Products& after = program_.products();
  if (multiplier_ == nullptr || !multiplier_->is_this_processor()) return;
  multiplier_->count({.products = after.count - before.count, .macs = after.macs - before.macs},
                     after.seconds - before.seconds);
}

}  // namespace systole::nn

#include "host/capi/device_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "host/compiler/program/core_meetings.h"
#include "host/device/backend.h"
#include "host/device/backend_line.h"
#include "host/graph/simplify_cores.h"
#include "host/graph/text.h"

namespace systole::capi {
namespace {

// The lowering has rows and columns of at least one element.
void need_elements(const graph::Graph& step) {
  const auto need = [&](int value, const std::string& what) {
    const graph::Type& type = step.type(value);
    if (graph::element_count(type.shape) > 0) return;
    throw graph::GraphError(fmt::format("{} is a {}: a whole step has no tensors without elements",
                                        what, to_string(type)));
  };
  for (const graph::Input& input : step.inputs()) need(input.value, "input " + input.name);
  for (const graph::Operation& operation : step.operations()) {
    for (const int result : operation.results) {
      need(result, fmt::format("{}: {}", operation.scope, operation.kind->name));
    }
  }
}

}  // namespace

DeviceProgram::DeviceProgram(std::shared_ptr<SharedDevice> shared, std::string_view text,
                             std::span<const std::int32_t> updated_by, Host host)
    : Program(std::move(shared)) {
  const std::string& name = device().core(0).info().name;
  if (!device().core(0).backend().sizes()) {
    throw std::invalid_argument(
        fmt::format("device '{}' runs no whole steps: use model or rtl", name));
  }
  if (device().cores() > 1 && device().links() == nullptr) {
    throw std::invalid_argument(
        fmt::format("cores of device '{}' have no links: use model or rtl", name));
  }
  if (device().precision() != DataType::kBf16) {
    throw std::invalid_argument(
        fmt::format("a whole step has products in bf16, not {}", to_string(device().precision())));
  }
  const auto steps = device().read(text, graph::Scopes::kPlaces, graph::Products::kBf16Alone);
  for (const auto& step : steps) need_elements(*step);
  make_ports(*steps[0], updated_by);
  compile(graph::simplify_cores(steps), host);
}

DeviceProgram::~DeviceProgram() {
  const auto lock = device().lock();
  cores_.clear();
}

void DeviceProgram::make_ports(const graph::Graph& step, std::span<const std::int32_t> updated_by) {
  inputs_ = input_ports(step);
  outputs_ = output_ports(step);
  updates_.assign(outputs_.size(), -1);
  if (!updated_by.empty() && updated_by.size() != inputs_.size()) {
    throw std::invalid_argument(fmt::format("{} updates are given; the program has {} inputs",
                                            updated_by.size(), inputs_.size()));
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!updated_by.empty()) inputs_[i].updated_by = updated_by[i];
    const int output = inputs_[i].updated_by;
    if (output < 0) continue;
    if (output >= std::ssize(outputs_) || updates_[static_cast<std::size_t>(output)] >= 0) {
      throw std::invalid_argument(
          fmt::format("input {} ('{}') is updated by output {}: choose one of {}, each once", i,
                      inputs_[i].name, output, outputs_.size()));
    }
    updates_[static_cast<std::size_t>(output)] = static_cast<int>(i);
    inputs_[i].stays = true;
    outputs_[static_cast<std::size_t>(output)].stays = true;
  }
}

void DeviceProgram::compile(std::span<const std::unique_ptr<graph::Graph>> steps, Host host) {
  const auto lock = device().lock();
  for (std::size_t core = 0; core < steps.size(); ++core) {
    Backend& backend = device().core(core).backend();
    cores_.emplace_back(
        *steps[core], CoreStep::Ports{.inputs = inputs_, .outputs = outputs_, .updates = updates_},
        backend.memory(),
        CoreStep::Options{
            .sizes = *backend.sizes(),
            .core = static_cast<int>(core),
            .threads = device().core(core).info().threads,
            .has_host = host == Host::kHelps,
            .elsewhere = [products = device().products(core)](const graph::Graph& simple) {
              return products->kernels(simple);
            }});
  }
  for (const CoreStep& core : cores_) {
    if (on_host_.empty()) on_host_ = core.on_host();
    std::ranges::move(core.own_products(), std::back_inserter(fallbacks_));
    is_ordered_.resize(std::max(is_ordered_.size(), core.stages()));
  }
  for (std::size_t stage = 0; stage < is_ordered_.size(); ++stage) {
    for (const CoreStep& core : cores_) {
      if (core.sums(stage) == cores_[0].sums(stage)) continue;
      throw graph::GraphError("cores add their values in different programs of the step");
    }
  }
}

void DeviceProgram::execute(BufferList from, BufferList to) {
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    cores_[core].take(from.subspan(core * inputs_.size(), inputs_.size()));
  }
  for (std::size_t stage = 0; stage < is_ordered_.size(); ++stage) {
    run_stage(stage);
    for (CoreStep& core : cores_) core.follow(stage);
  }
  for (CoreStep& core : cores_) core.finish();
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i]->data != nullptr) read_output(i, to[i]->data);
  }
}

void DeviceProgram::run_stage(std::size_t stage) {
  std::vector<PlacedProgram> programs;
  std::vector<Backend*> backends;
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    const auto program = cores_[core].start(stage);
    if (!program) continue;
    programs.push_back(*program);
    backends.push_back(&device().core(core).backend());
  }
  if (programs.size() <= 1 || programs.size() < cores_.size()) {  // these meet nobody
    for (std::size_t i = 0; i < programs.size(); ++i) backends[i]->run(programs[i]);
    return;
  }
  if (!is_ordered_[stage]) {
    std::vector<std::span<const device::CommandWord>> commands;
    for (const PlacedProgram& program : programs) commands.push_back(program.commands);
    lowering::check_meetings(commands, device().core(0).info().array_size);
    is_ordered_[stage] = true;
  }
  device().links()->run(programs);
}

void DeviceProgram::read_output(std::size_t output, void* data) {
  cores_[output / outputs_.size()].read_output(output % outputs_.size(), data);
}

}  // namespace systole::capi

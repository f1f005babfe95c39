#include "hls/compiler/dataflow/describe_network.h"

#include <algorithm>

#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

/// A process's report of the port that a parameter of the whole became; null for none.
const PortReport* port_of_process(const Network& network,
                                  const std::vector<const CompiledKernel*>& processes,
                                  const std::string& parameter, bool is_input) {
  for (std::size_t p = 0; p < processes.size(); ++p) {
    for (const NetworkArgument& one : network.processes[p].arguments) {
      if (one.kind != NetworkArgument::Kind::kParameter ||
          network.parameters[static_cast<std::size_t>(one.number)] != parameter) {
        continue;
      }
      const std::vector<PortReport>& ports = processes[p]->module.report.kernels.front().ports;
      const auto found = std::ranges::find_if(ports, [&](const PortReport& port) {
        return port.base == one.port && port.is_input == is_input;
      });
      if (found != ports.end()) return &*found;
    }
  }
  return nullptr;
}

}  // namespace

KernelReport describe_network(const Network& network,
                              const std::vector<const CompiledKernel*>& processes,
                              const std::optional<NetworkRun>& run, const LoweredModule& module) {
  KernelReport report;
  report.kernel = network.name;
  report.position = network.position;
  report.parameters = network.parameters;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const KernelReport& kernel = processes[p]->module.report.kernels.front();
    report.processes.push_back({.name = network.processes[p].name,
                                .position = network.processes[p].position,
                                .runs = network.runs,
                                .least_clocks = kernel.least_clocks,
                                .most_clocks = kernel.most_clocks});
    if (run) report.processes.back().spans = run->spans[p];
    report.least_clocks = std::max(report.least_clocks, network.runs * kernel.least_clocks + 1);
  }
  if (run) {
    report.least_clocks = run->clocks;
    report.most_clocks = run->clocks;
  }
  for (const NetworkChannel& one : network.channels) {
    report.channels.push_back(
        {.name = one.name,
         .writer = network.processes[static_cast<std::size_t>(one.writer)].name,
         .reader = network.processes[static_cast<std::size_t>(one.reader)].name,
         .kind = one.kind,
         .words = one.words,
         .is_emptied = one.may_leave,
         .may_be_short = one.may_be_short,
         .width = one.width,
         .banks = one.kind == ChannelKind::kArray ? network.banks() : 1});
  }
  const auto describe = [&](const Leaf& leaf, bool is_input) {
    PortReport port{.base = without_underscore(leaf.name),
                    .width = static_cast<int>(leaf.width),
                    .is_input = is_input};
    const PortReport* inside = port_of_process(network, processes, leaf.name, is_input);
    if (leaf.name == (is_input ? "start" : "done")) {
      port.kind = is_input ? PortKind::kStart : PortKind::kDone;
    } else if (inside) {
      port.kind = inside->kind;
      port.parameter = leaf.name;
      port.is_signed = inside->is_signed;
    }
    if (!leaf.stream.empty()) report.has_streams = true;
    report.ports.push_back(port);
  };
  for (const Leaf& leaf : module.inputs) describe(leaf, true);
  for (const Leaf& leaf : module.outputs) describe(leaf, false);
  return report;
}

}  // namespace systole::compiler

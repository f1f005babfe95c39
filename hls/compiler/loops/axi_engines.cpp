#include "hls/compiler/loops/axi_engines.h"

#include <fmt/format.h>

#include <regex>
#include <set>

#include "hls/compiler/loops/machine_axi.h"

namespace systole::compiler {
namespace {

std::string renamed(const std::string& text, const AxiShape& shape) {
  static const std::regex kModule("systole_axi_(reader|writer|bursts)");
  return std::regex_replace(text, kModule,
                            fmt::format("$&_{}_{}", shape.element_bytes, shape.bus_bytes));
}

}  // namespace

std::vector<AxiEngine> engines_of(const LoweredKernel& kernel) {
  std::vector<AxiEngine> engines;
  for (const KernelStream& stream : kernel.streams) {
    const bool writes = stream.role == StreamRole::kWriterRun;
    if (!writes && stream.role != StreamRole::kReaderRun) continue;
    engines.push_back({writes, *kernel.memories[static_cast<std::size_t>(stream.memory)].axi});
  }
  return engines;
}

std::vector<GeneratedModule> generate_engines(const Source& source,
                                              const std::vector<AxiEngine>& engines,
                                              const std::string& target) {
  std::vector<GeneratedModule> modules;
  std::set<std::string> names;
  for (const AxiEngine& engine : engines) {
    const AxiShape& shape = engine.shape;
    if (names.count(axi_module(engine.writes ? "writer" : "reader", shape)) != 0) continue;
    Source top = source;
    top.top = fmt::format("systole::hls::{}<{}, {}>", engine.writes ? "AxiWriter" : "AxiReader",
                          shape.element_bytes, shape.bus_bytes);
    for (GeneratedModule& module : generate(top, target, Paths::kTime)) {
      module.name = renamed(module.name, shape);
      module.text = renamed(module.text, shape);
      module.report.module = module.name;
      for (std::string& one : module.report.instances) one = renamed(one, shape);
      if (names.insert(module.name).second) modules.push_back(std::move(module));
    }
  }
  return modules;
}

}  // namespace systole::compiler

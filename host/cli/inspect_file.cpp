#include "host/cli/inspect_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <vector>

#include "host/compiler/describe.h"
#include "host/compiler/pipeline.h"
#include "host/compiler/rewrites/separate_numbers.h"
#include "host/data/file_bytes.h"
#include "host/device/backend.h"
#include "host/graph/simplify.h"
#include "host/graph/text.h"

namespace systole {

void print_after_pass(const std::string& pass, const graph::Graph& step, const DeviceSizes& sizes,
                      const std::set<std::string>& resident,
                      const std::optional<lowering::Quantization>& quantization) {
  std::string text;  // of the last try: a graph that does not lower is lowered without fold_rows
  const auto keep = [&](const lowering::Pass& done, const graph::Graph& graph) {
    if (done.name == pass) text = graph::print(graph);
  };
  try {
    lowering::lower_graph(step, sizes, resident, quantization, keep);
  } catch (const graph::GraphError&) {
    fmt::print("{}", text);
    std::fflush(stdout);  // before the error, where both go to one file
    throw;
  }
  fmt::print("{}", text);
}

void inspect_file(const InspectedFile& file) {
  const std::vector<std::uint8_t> bytes = read_file(file.path);
  const auto read = graph::read({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                graph::Scopes::kPlaces, graph::Products::kBf16Alone);
  const auto step = graph::simplify(*read);
  if (file.graph) {
    fmt::print("{}", graph::print(*step));
    return;
  }
  std::vector<int> updated_by;
  for (const graph::Input& input : step->inputs()) updated_by.push_back(input.updated_by);
  const lowering::SeparatedStep separated = lowering::separate_numbers(*step, updated_by);
  if (separated.device == nullptr) {
    fmt::print("step     {}: everything follows from scalars, and is the host's\n", file.path);
    return;
  }
  const DeviceSizes sizes = *file.device.backend().sizes();
  const std::set<std::string> resident(separated.unchanged.begin(), separated.unchanged.end());
  if (!file.print_after.empty()) {
    print_after_pass(file.print_after, *separated.device, sizes, resident, {});
    return;
  }
  std::set<std::string> held;
  for (const graph::Input& input : separated.device->inputs()) {
    if (resident.contains(input.name)) held.insert(input.name);
  }
  const lowering::StepProgram program(*separated.device, file.device.backend().memory(),
                                      {.sizes = sizes, .resident = held});
  fmt::print("step     {}, {} x {} array\n", file.path, sizes.array_size, sizes.array_size);
  if (!separated.fed.empty()) {
    fmt::print("host     {}, of {} operations on scalars\n", fmt::join(separated.fed, ", "),
               separated.numbers->operations().size());
  }
  fmt::print("{}", lowering::describe(program));
}

}  // namespace systole

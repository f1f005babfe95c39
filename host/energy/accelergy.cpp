#include "host/energy/accelergy.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "host/energy/program_energy.h"

namespace systole::energy {
namespace {

struct Named {
  std::string_view name;
  Action action;
};
struct Component {
  std::string_view name;
  std::vector<Named> actions;
};

const std::vector<Component>& components() {
  static const std::vector<Component> all = [] {
    std::vector<Component> parts = {
        {"array",
         {{"multiply_add_bf16", Action::kMultiplyAddsBf16},
          {"multiply_add_int8", Action::kMultiplyAddsInt8},
          {"weight_load", Action::kWeightLoads}}},
        {"accumulators",
         {{"add_fp32", Action::kAddsFp32},
          {"add_int32", Action::kAddsInt32},
          {"read", Action::kSumReads},
          {"write", Action::kSumWrites}}},
        {"rows_buffer", {{"read", Action::kRowReads}, {"write", Action::kRowWrites}}},
        {"weights_buffer", {{"read", Action::kWeightReads}, {"write", Action::kWeightWrites}}},
        {"masks_buffer", {{"read", Action::kMaskReads}, {"write", Action::kMaskWrites}}},
        {"store_lanes", {{"convert", Action::kStoredSums}}},
        {"memory",
         {{"read_commands", Action::kCommandBeats},
          {"read_rows", Action::kLoadRowBeats},
          {"read_weights", Action::kLoadWeightBeats},
          {"read_sums", Action::kLoadSumBeats},
          {"read_masks", Action::kLoadMaskBeats},
          {"read_vector_programs", Action::kVectorProgramBeats},
          {"read_vector_streams", Action::kVectorReadBeats},
          {"write_stores", Action::kStoreBeats},
          {"write_vector_streams", Action::kVectorWriteBeats}}},
        {"links", {{"receive", Action::kLinkWordsReceived}, {"send", Action::kLinkWordsSent}}},
        {"vector_streams",
         {{"read", Action::kVectorWordsTaken}, {"write", Action::kVectorWordsSent}}},
        {"vector_registers",
         {{"read", Action::kVectorRegisterReads}, {"write", Action::kVectorRegisterWrites}}},
        {"vector_lanes", {{"empty_slot", Action::kVectorEmptySlots}}}};
    constexpr std::string_view kPrefix = "vector_";
    for (auto i = static_cast<std::size_t>(Action::kVectorOperations); i < kActions; ++i) {
      parts.back().actions.push_back(
          {kActionNames[i].substr(kPrefix.size()), static_cast<Action>(i)});
    }
    return parts;
  }();
  return all;
}

std::string counted(std::string_view name, std::uint64_t count) {
  return fmt::format("            - name: {}\n              counts: {}\n", name, count);
}
std::string priced(std::string_view name, double picojoules) {
  return fmt::format("        - name: {}\n          arguments: {{}}\n          energy: {:.9g}\n",
                     name, picojoules);
}

std::string action_counts(const ActionCounts& actions, std::uint64_t clocks, int array_size) {
  const auto elements = static_cast<std::uint64_t>(array_size) * array_size;
  const std::uint64_t rows =
      (actions[Action::kMultiplyAddsBf16] + actions[Action::kMultiplyAddsInt8]) / elements;
  std::string text =
      "action_counts:\n  version: 0.4\n  subtree:\n    - name: systole\n      local:\n";
  for (const Component& component : components()) {
    text += fmt::format("        - name: {}\n          action_counts:\n", component.name);
    for (const Named& one : component.actions) text += counted(one.name, actions[one.action]);
    if (component.name == "array") text += counted("idle_clock", clocks - std::min(clocks, rows));
  }
  return text + "        - name: chip\n          action_counts:\n" + counted("clock", clocks);
}

std::string reference_table(double clock_mhz, const DeviceSizes& sizes, const Table& table) {
  const auto picojoules = [&](Action which) {
    ActionCounts one;
    one[which] = 1;
    return energy_of(one, 0, sizes, table).total() / kPico;
  };
  std::string text = "ERT:\n  version: 0.4\n  tables:\n";
  for (const Component& component : components()) {
    text += fmt::format("    - name: systole.{}\n      actions:\n", component.name);
    for (const Named& one : component.actions) text += priced(one.name, picojoules(one.action));
    if (component.name == "array") text += priced("idle_clock", 0);
  }
  return text + "    - name: systole.chip\n      actions:\n" +
         priced("clock", table.static_watts / (1e6 * clock_mhz) / kPico);
}

}  // namespace

std::string accelergy_input(const ActionCounts& actions, std::uint64_t clocks, double clock_mhz,
                            const DeviceSizes& sizes, const std::optional<Table>& table) {
  std::string text = action_counts(actions, clocks, sizes.array_size);
  if (table) text += reference_table(clock_mhz, sizes, *table);
  return text;
}

}  // namespace systole::energy

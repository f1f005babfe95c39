#include "hls/compiler/timing/timing.h"

namespace systole::compiler {
namespace {

constexpr int kTableWords = 16;  // of a memory made of look-up tables, for one table a bit

int log2_up(int count) {
  int bits = 0;
  while ((1 << bits) < count) ++bits;
  return bits;
}

/// From the register that says where to read, through the memory, to the word.
double read_ns(int depth, const DelayModel& model) {
  if (depth <= 1) return 0;
  return model.table_ns(model.native_inputs) * (1 + (log2_up(depth) > log2_up(kTableWords)));
}

bool is_one_of(const std::string& name, std::initializer_list<const char*> endings) {
  for (const std::string ending : endings) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

}  // namespace

EdgeTiming time_cell(const std::string& cell, const std::vector<Leaf>& inputs,
                     const std::vector<Leaf>& outputs, int depth, const DelayModel& model) {
  const double table = model.table_ns(model.native_inputs);
  const bool is_queue = cell == "systole_fifo";
  const bool is_slice = cell == "systole_register_slice";
  // A queue's count and both handshakes meet in one table, if it is wide enough.
  const int count_inputs = log2_up(depth + 1) + 2;
  const double count =
      count_inputs <= model.widest_inputs ? model.table_ns(count_inputs) : 2 * table;
  EdgeTiming edge;
  for (const Leaf& input : inputs) {
    // A handshake moves counters; a word goes straight into a memory or register.
    const bool is_handshake = is_one_of(input.name, {"valid", "ready"});
    edge.set_up.push_back(is_handshake ? (is_queue ? count : 2 * table) : is_slice ? table : 0);
    edge.through.emplace_back(outputs.size(), -1);
  }
  for (const Leaf& output : outputs) {
    const bool is_handshake = is_one_of(output.name, {"valid", "ready"});
    edge.arrival.push_back(is_slice                   ? 0
                           : is_queue && is_handshake ? table * (log2_up(depth + 1) > 4 ? 2 : 1)
                           : is_queue                 ? read_ns(depth, model)
                                                      : model.memory_ns);
  }
  return edge;
}

}  // namespace systole::compiler

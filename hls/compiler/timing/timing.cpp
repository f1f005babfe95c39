#include "hls/compiler/timing/timing.h"

#include <fmt/format.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/schedule/stage_logic.h"
#include "hls/compiler/support/source.h"
#include "hls/compiler/timing/straighten.h"

namespace systole::compiler {
namespace {

constexpr double kNever = BitNetwork::kNever;
constexpr int kRegistersOfAnEnable = 2;  // of a slice, which has one wire for its clock enable

bool is_never(double ns) { return ns < kNever / 2; }

/// An end of paths.
struct End {
  const llvm::Value* value = nullptr;
  Operation operation = Operation::kWriteRegister;
  int leaf = 0;
  int field = 0;       ///< of a submodule
  double more_ns = 0;  ///< logic after the value
  int weight = 1;      ///< loads of each of its bits
};

/// The straightened edges of a module or thread as one network, and the ends in it.
class Logic {
 public:
  explicit Logic(const DelayModel& model) : logic_(model, true), model_(model) {}

  /// `condition_ns` is what decides, besides the edge's own branches, whether its effects happen.
  void add(const llvm::Function& edge, double condition_ns,
           const std::map<int, TimedPipeline>& pipelines) {
    llvm::ValueToValueMapTy values;
    llvm::Function* copy = llvm::CloneFunction(const_cast<llvm::Function*>(&edge), values);
    copies_.emplace_back(copy);
    const auto conditions = straighten(*copy);
    std::vector<std::pair<const llvm::Instruction*, std::size_t>> stores;  // and their ends
    for (const llvm::Instruction& operation : copy->getEntryBlock()) {
      if (operation.isTerminator() || llvm::isa<llvm::DbgInfoIntrinsic>(operation)) continue;
      logic_.add(operation, 0);
      if (is_operation(operation, Operation::kLoad)) {
        for (const auto& [store, stored] : stores) {
          if (may_be_loaded(*store, operation)) loaded_from_[&operation].push_back(stored);
        }
      }
      add_ends(operation, condition_ns, pipelines);
      if (is_operation(operation, Operation::kStore)) {
        stores.emplace_back(&operation, ends_.size() - 1);
      }
      const auto condition = conditions.find(&operation);
      if (condition != conditions.end()) add_enable(operation, *condition->second, condition_ns);
    }
  }

  const std::vector<End>& ends() const { return ends_; }

  /// When an element is there that the same clock has stored, by the latest `reached`; else
  /// `start`.
  double loaded(const llvm::Instruction& load, double start,
                const std::vector<double>& reached) const {
    const auto found = loaded_from_.find(&load);
    if (found == loaded_from_.end() || reached.empty()) return start;
    for (const std::size_t end : found->second) start = std::max(start, reached[end]);
    return start;
  }
  bool loads_what_is_stored() const { return !loaded_from_.empty(); }
  const DelayModel& model() const { return model_; }

  void find_loads() {
    std::vector<BitNetwork::Root> roots;
    for (const End& end : ends_) {
      for (const Bit bit : logic_.bits(*end.value)) roots.push_back({bit, end.weight});
    }
    loads_ = logic_.network().loads(roots);
  }

  /// When each end is reached, from leaves that are there at `start`; kNever for most.
  template <typename Start>
  std::vector<double> reached(const Start& start) {
    const auto start_of = [&](int owner) {
      const llvm::Instruction* operation = logic_.owner(owner);
      return operation ? start(*operation) : kNever;
    };
    done_ = logic_.network().done_ns(start_of, loads_);
    std::vector<double> reached;
    for (const End& end : ends_) {
      const Bit bit = latest_bit(end);
      reached.push_back(is_never(done_[bit >> 1]) ? kNever : done_[bit >> 1] + end.more_ns);
    }
    return reached;
  }

  /// The operations on the way to an end, by the latest `reached`.
  std::vector<const llvm::Instruction*> operations_to(const End& end) {
    std::vector<const llvm::Instruction*> operations;
    for (const int owner : logic_.network().owners_on_path(latest_bit(end), done_)) {
      if (const llvm::Instruction* one = logic_.owner(owner)) operations.push_back(one);
    }
    std::reverse(operations.begin(), operations.end());
    if (const End* stored = operations.empty() ? nullptr : latest_store(*operations.front())) {
      const auto before = operations_to(*stored);
      operations.insert(operations.begin(), before.begin(), before.end());
    }
    return operations;
  }

 private:
  /// Unless both name one element, and different ones.
  static bool may_be_loaded(const llvm::Instruction& store, const llvm::Instruction& load) {
    if (leaf_of(store) != leaf_of(load)) return false;
    const llvm::Value *stored = store.getOperand(1), *loaded = load.getOperand(1);
    return stored == loaded || !llvm::isa<llvm::ConstantInt>(stored) ||
           !llvm::isa<llvm::ConstantInt>(loaded);
  }

  struct Erase {
    void operator()(llvm::Function* function) const { function->eraseFromParent(); }
  };

  /// What an element was last stored by, if it is loaded in the same clock.
  const End* latest_store(const llvm::Instruction& load) {
    const End* latest = nullptr;
    const auto found = loaded_from_.find(&load);
    if (found == loaded_from_.end()) return latest;
    double latest_ns = 0;
    for (const std::size_t end : found->second) {
      const double ns = done_[latest_bit(ends_[end]) >> 1];
      if (ns > latest_ns) latest = &ends_[end];
      latest_ns = std::max(latest_ns, ns);
    }
    return latest;
  }

  Bit latest_bit(const End& end) {
    Bit latest = kZeroBit;
    for (const Bit bit : logic_.bits(*end.value)) {
      if (done_[bit >> 1] > done_[latest >> 1]) latest = bit;
    }
    return latest;
  }

  void add_ends(const llvm::Instruction& operation, double condition_ns,
                const std::map<int, TimedPipeline>& pipelines) {
    using enum Operation;
    const auto end = [&](Operation kind, unsigned argument, double more_ns) {
      ends_.push_back({.value = operation.getOperand(argument),
                       .operation = kind,
                       .leaf = leaf_of(operation),
                       .field = 0,
                       .more_ns = more_ns,
                       .weight = 1});
    };
    const double table = model_.table_ns(model_.native_inputs);
    const double chosen = condition_ns > 0 ? table : 0;  // by the thread's state
    if (is_operation(operation, {kWriteRegister, kWritePort})) {
      end(is_operation(operation, kWritePort) ? kWritePort : kWriteRegister, 2, chosen);
    } else if (is_operation(operation, kStore)) {
      end(kWriteRegister, 1, table);  // which element
      end(kWriteRegister, 2, chosen);
    } else if (is_operation(operation, kInstanceInput)) {
      end(kInstanceInput, 3, 0);
      ends_.back().field = static_cast<int>(constant_argument(operation, 1));
    } else if (is_operation(operation, kPipelineClock)) {
      const Schedule& schedule = pipelines.at(leaf_of(operation)).schedule;
      const double first = schedule.stage_ns.front() - model_.register_ns;
      const auto arguments = llvm::cast<llvm::CallInst>(operation).arg_size();
      end(kPipelineClock, 2, 0);
      ends_.back().weight = std::max(1, schedule.register_bits() / schedule.stages / 2);
      for (unsigned i = 3; i < arguments; ++i) end(kPipelineClock, i, first);
    }
  }

  /// The condition enables the registers that the effect writes.
  void add_enable(const llvm::Instruction& effect, const llvm::Value& condition,
                  double condition_ns) {
    using enum Operation;
    if (!is_operation(effect, {kWriteRegister, kStore})) return;
    const int width = static_cast<int>(width_of(*effect.getOperand(2)));
    ends_.push_back({.value = &condition,
                     .operation = kWriteRegister,
                     .leaf = leaf_of(effect),
                     .field = 0,
                     .more_ns = condition_ns,
                     .weight = (width + kRegistersOfAnEnable - 1) / kRegistersOfAnEnable});
  }

  StageLogic logic_;
  const DelayModel& model_;
  std::vector<std::unique_ptr<llvm::Function, Erase>> copies_;
  std::vector<End> ends_;
  std::map<const llvm::Instruction*, std::vector<std::size_t>> loaded_from_;  ///< ends of stores
  std::vector<int> loads_;
  std::vector<double> done_;
};

/// Where paths start and end, by name.
struct Names {
  const std::vector<Leaf>& registers;
  const std::vector<Leaf>& inputs;
  const std::vector<Leaf>& outputs;
  const std::map<int, Instance>* instances = nullptr;
  const std::map<int, TimedPipeline>* pipelines = nullptr;

  std::string of_field(int leaf, const std::vector<Leaf>& fields, int field) const {
    const std::string name = field < static_cast<int>(fields.size()) ? fields[field].name : "";
    return registers[leaf].name + "." + name;
  }
  std::string start(const llvm::Instruction& operation) const {
    using enum Operation;
    if (!is_any_operation(operation)) return "";
    const int leaf = leaf_of(operation);
    if (is_operation(operation, kReadPort)) return inputs[leaf].name;
    if (is_operation(operation, kInstanceOutput)) {
      return of_field(leaf, instances->at(leaf).outputs,
                      static_cast<int>(constant_argument(operation, 1)));
    }
    return registers[leaf].name;
  }
  std::string end(const End& end) const {
    if (end.operation == Operation::kWritePort) return outputs[end.leaf].name;
    if (end.operation == Operation::kInstanceInput) {
      return of_field(end.leaf, instances->at(end.leaf).inputs, end.field);
    }
    return registers[end.leaf].name;
  }
};

TimedPath describe(Logic& logic, const End& end, double ns, const Names& names) {
  TimedPath path{.ns = ns, .from = "", .to = names.end(end), .positions = {}};
  for (const llvm::Instruction* operation : logic.operations_to(end)) {
    if (path.from.empty()) path.from = names.start(*operation);
    const std::string position = short_position(operation->getDebugLoc());
    if (!position.empty() && (path.positions.empty() || path.positions.back() != position)) {
      path.positions.push_back(position);
    }
  }
  return path;
}

/// When submodules' outputs are there; those that depend on inputs need what reaches these.
class Children {
 public:
  explicit Children(const std::map<int, EdgeTiming>& edges) : edges_(edges) {}

  double start(const llvm::Instruction& output) const {
    const auto key = std::pair(leaf_of(output), static_cast<int>(constant_argument(output, 1)));
    const auto found = starts_.find(key);
    return found == starts_.end() ? kNever : found->second;
  }
  void from_registers() {
    starts_.clear();
    for (const auto& [leaf, edge] : edges_) {
      for (std::size_t o = 0; o < edge.arrival.size(); ++o) {
        if (edge.arrival[o] >= 0) starts_[{leaf, static_cast<int>(o)}] = edge.arrival[o];
      }
    }
  }
  void from_nothing() { starts_.clear(); }

  /// Moves outputs to when the inputs reach them; says whether one is later than before.
  bool pass_through(const std::vector<End>& ends, const std::vector<double>& reached) {
    bool later = false;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].operation != Operation::kInstanceInput || is_never(reached[i])) continue;
      const EdgeTiming& edge = edges_.at(ends[i].leaf);
      if (ends[i].field >= static_cast<int>(edge.through.size())) continue;
      const std::vector<double>& through = edge.through[ends[i].field];
      for (std::size_t o = 0; o < through.size(); ++o) {
        if (through[o] < 0) continue;
        const double now = reached[i] + through[o];
        const auto [at, added] = starts_.try_emplace({ends[i].leaf, static_cast<int>(o)}, now);
        later |= added || at->second < now - 1e-9;
        at->second = std::max(at->second, now);
      }
    }
    return later;
  }
  double set_up(const End& end) const {
    const std::vector<double>& set_up = edges_.at(end.leaf).set_up;
    return end.field < static_cast<int>(set_up.size()) ? set_up[end.field] : 0;
  }

 private:
  const std::map<int, EdgeTiming>& edges_;
  std::map<std::pair<int, int>, double> starts_;
};

/// Until submodules' outputs and stored elements stay; paths around a loop of them end after that
/// many.
constexpr int kRounds = 4;

template <typename Start>
std::vector<double> reach(Logic& logic, Children& children, const Start& start) {
  std::vector<double> reached;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<double> before = reached;
    reached = logic.reached([&](const llvm::Instruction& operation) {
      using enum Operation;
      if (is_operation(operation, kInstanceOutput)) return children.start(operation);
      if (is_operation(operation, kLoad)) return logic.loaded(operation, start(operation), before);
      return start(operation);
    });
    const bool is_later = children.pass_through(logic.ends(), reached);
    if (!is_later && (!logic.loads_what_is_stored() || reached == before)) break;
  }
  return reached;
}

/// The longest of the ends' times to registers, submodules' included, and to each output.
double to_registers(const Logic& logic, const Children& children,
                    const std::vector<double>& reached, std::vector<double>& to_outputs) {
  double longest = -1;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const End& end = logic.ends()[i];
    if (is_never(reached[i])) continue;
    if (end.operation == Operation::kWritePort) {
      to_outputs[end.leaf] = std::max(to_outputs[end.leaf], reached[i]);
    } else if (end.operation != Operation::kInstanceInput) {
      longest = std::max(longest, reached[i]);
    } else if (children.set_up(end) >= 0) {
      longest = std::max(longest, reached[i] + children.set_up(end));
    }
  }
  return longest;
}

ModuleTiming time_logic(Logic& logic, Children& children, const Names& names) {
  logic.find_loads();
  const auto is_port = [](const llvm::Instruction& operation) {
    return is_operation(operation, Operation::kReadPort);
  };
  ModuleTiming timing;
  children.from_registers();
  const std::vector<double> all =
      reach(logic, children, [](const llvm::Instruction&) { return 0.0; });
  std::map<std::string, TimedPath> slowest;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const End& end = logic.ends()[i];
    if (is_never(all[i])) continue;
    const bool enters = end.operation == Operation::kInstanceInput;
    if (enters && children.set_up(end) < 0) continue;
    const double ns = logic.model().register_ns + all[i] + (enters ? children.set_up(end) : 0);
    TimedPath& path = slowest[names.end(end)];
    if (ns > path.ns) path = describe(logic, end, ns, names);
  }
  for (auto& [name, path] : slowest) timing.paths.push_back(std::move(path));
  if (names.pipelines) {
    for (const auto& [leaf, pipeline] : *names.pipelines) {
      const std::vector<double>& stages = pipeline.schedule.stage_ns;
      for (std::size_t i = 0; i < stages.size(); ++i) {
        TimedPath path{.ns = stages[i],
                       .from = fmt::format("{}, stage {}", pipeline.function, i),
                       .to = fmt::format("{}, stage {}", pipeline.function, i + 1),
                       .positions = {}};
        for (const llvm::Instruction* one : pipeline.schedule.paths[i].operations) {
          const std::string position = short_position(one->getDebugLoc());
          if (!position.empty() && (path.positions.empty() || path.positions.back() != position)) {
            path.positions.push_back(position);
          }
        }
        timing.paths.push_back(std::move(path));
      }
    }
  }
  std::sort(timing.paths.begin(), timing.paths.end(), [](const TimedPath& a, const TimedPath& b) {
    return std::tie(b.ns, a.to) < std::tie(a.ns, b.to);
  });

  EdgeTiming& edge = timing.edge;
  edge.arrival.assign(names.outputs.size(), -1);
  children.from_registers();
  to_registers(
      logic, children,
      reach(logic, children,
            [&](const llvm::Instruction& operation) { return is_port(operation) ? kNever : 0.0; }),
      edge.arrival);
  for (std::size_t input = 0; input < names.inputs.size(); ++input) {
    children.from_nothing();
    edge.through.emplace_back(names.outputs.size(), -1);
    edge.set_up.push_back(to_registers(logic, children,
                                       reach(logic, children,
                                             [&](const llvm::Instruction& operation) {
                                               const bool is_it =
                                                   is_port(operation) &&
                                                   leaf_of(operation) == static_cast<int>(input);
                                               return is_it ? 0.0 : kNever;
                                             }),
                                       edge.through.back()));
  }
  return timing;
}

}  // namespace

ModuleTiming time_module(const LoweredModule& module, const std::map<int, EdgeTiming>& children,
                         const std::map<int, TimedPipeline>& pipelines, const DelayModel& model) {
  Logic logic(model);
  logic.add(*module.clock, 0, pipelines);
  Children edges(children);
  return time_logic(logic, edges,
                    {.registers = module.state,
                     .inputs = module.inputs,
                     .outputs = module.outputs,
                     .instances = &module.instances,
                     .pipelines = &pipelines});
}

ModuleTiming time_thread(const LoweredThread& thread, const DelayModel& model) {
  // A state's effects happen where the state is reached and its stream is ready: one table.
  const double decode = model.table_ns(model.native_inputs);
  Logic logic(model);
  for (const ThreadState& state : thread.states) logic.add(*state.edge, decode, {});
  const std::map<int, EdgeTiming> no_edges;
  Children none(no_edges);
  ModuleTiming timing = time_logic(logic, none,
                                   {.registers = thread.registers,
                                    .inputs = thread.ports.inputs,
                                    .outputs = thread.ports.outputs,
                                    .instances = nullptr,
                                    .pipelines = nullptr});
  // The handshakes: the state's own decoding going out; coming in, it enables registers and the
  // next state.
  for (const ThreadStream& stream : thread.ports.streams) {
    timing.edge.arrival[stream.output] = decode;
    if (stream.input >= 0) timing.edge.set_up[stream.input] = 2 * decode;
  }
  for (std::size_t i = 0; i < thread.ports.register_of_output.size(); ++i) {
    if (thread.ports.register_of_output[i] >= 0) timing.edge.arrival[i] = 0;
  }
  return timing;
}

}  // namespace systole::compiler

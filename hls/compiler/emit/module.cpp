#include "hls/compiler/emit/module.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/ports.h"
#include "hls/compiler/emit/process.h"
#include "hls/compiler/emit/signals.h"
#include "hls/compiler/emit/struct_views.h"
#include "hls/compiler/emit/unread_bits.h"
#include "hls/compiler/emit/value_names.h"
#include "hls/compiler/emit/vector_writes.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"
#include "hls/compiler/verilog/cases.h"
#include "hls/compiler/verilog/direct_outputs.h"
#include "hls/compiler/verilog/functions.h"
#include "hls/compiler/verilog/instance_arrays.h"
#include "hls/compiler/verilog/loops.h"
#include "hls/compiler/verilog/picks.h"
#include "hls/compiler/verilog/zeros.h"

namespace systole::compiler {
namespace {

class ModuleEmitter {
 public:
  ModuleEmitter(const LoweredModule& module, const ModuleText& text,
                const std::map<int, ChildModule>& children,
                const std::map<int, LoweredFunction>& functions,
                const std::map<int, Schedule>& schedules)
      : module_(module),
        text_(text),
        children_(children),
        functions_(functions),
        schedules_(schedules),
        flow_(*module.clock),
        printer_([this](const llvm::Value& value, Reference& reference) {
          return look_up(value, reference);
        }) {
    names_.unique("clk_i");
    if (module.reset) names_.unique("rst_ni");
  }

  sv::Module run() {
    ports_.emplace(module_, names_);
    name_state();
    enums_ = EnumTypes(module_, names_);
    printer_.use(enums_);
    printer_.use(tables_);
    tables_.add(*module_.clock);
    if (module_.reset) tables_.add(*module_.reset);
    views_ = StructViews(module_, names_, [this](const auto& value, auto& reference) {
      return look_up(value, reference);
    });
    printer_.use(views_);
    value_names_ = value_names(
        *module_.clock, [this](const auto& call) { return base(call); },
        [this](const auto& like, const auto& bits) { return enums_.enumerator(like, bits); },
        [this](const auto& write) {
          const Leaf& one = module_.state[leaf_of(write)];
          return one.elements() == 1 ? without_underscore(one.name) : "";
        });
    find_combinational();
    sv::Statements wires;
    emit_wires(wires);
    sv::Statements instances;
    emit_instances(module_, children_, instances_, printer_, names_, instances);
    sv::Statements process;
    emit_registers(process);
    sv::Statements outputs;
    emit_outputs(outputs);
    views_.keep_read({wires, instances, process, outputs});
    sv::Statements declarations;
    enums_.declare(declarations);
    views_.declare_types(declarations);
    tables_.declare(declarations);
    declarations.blank();
    declare_state(declarations);
    views_.declare_views(declarations);

    return {.header = header(),
            .name = text_.name,
            .ports = ports_->declarations(),
            .parts = {declarations, wires, instances, process, outputs, ports_->rules(names_)}};
  }

 private:
  // ---- Names ----

  void name_state() {
    std::set<int> used;
    for (llvm::Function* function : module_.edges()) {
      for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
        if (is_operation(instruction, {Operation::kLoad, Operation::kStore})) {
          arrays_.insert(leaf_of(instruction));
          used.insert(leaf_of(instruction));
        }
        if (is_operation(instruction, {Operation::kReadRegister, Operation::kWriteRegister})) {
          used.insert(leaf_of(instruction));
        }
      }
    }
    for (int leaf : used) {
      register_names_[leaf] = names_.unique(without_underscore(module_.state[leaf].name) + "_q");
    }
    for (const auto& [leaf, function] : functions_) {
      pipelines_.emplace(
          leaf, PipelineText(module_.state[leaf], function, schedules_.at(leaf), names_, tables_));
    }
    instances_ = name_instances(module_, names_);
    for (const int leaf : registers_with_unread_bits(*module_.clock)) {
      unused_names_[leaf] = names_.unique("unused_" + without_underscore(module_.state[leaf].name));
    }
  }

  bool look_up(const llvm::Value& value, Reference& reference) const {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
    if (!call || !is_any_operation(*call)) return false;
    const int leaf = leaf_of(*call);
    if (is_operation(*call, Operation::kReadRegister)) {
      reference =
          element_of(register_names_.at(leaf), module_.state[leaf], constant_argument(*call, 1));
      return true;
    }
    if (is_operation(*call, Operation::kReadPort)) {
      reference =
          element_of(ports_->input(leaf), module_.inputs[leaf], constant_argument(*call, 1));
      return true;
    }
    if (is_operation(*call, Operation::kInstanceOutput)) {
      const auto field = constant_argument(*call, 1);
      reference =
          element_of(instances_.at(leaf).outputs[field], module_.instances.at(leaf).outputs[field],
                     constant_argument(*call, 2));
      return true;
    }
    if (is_operation(*call, Operation::kPipelineOutput) && !pipelines_.at(leaf).is_array()) {
      reference = result_of(*call, {});
      return true;
    }
    const auto mirror = mirrors_.find(mirror_key(*call));
    if (mirror == mirrors_.end() || combinational_.count(call) == 0) return false;
    const unsigned width = width_of(*call);
    const auto at = mirror->second.elements.find(constant_argument(*call, 1));
    const std::size_t elements = mirror->second.elements.size();
    reference = {.base = mirror->second.name,
                 .offset = at->second * width,
                 .width = width,
                 .base_width = static_cast<unsigned>(elements * width),
                 .unit = unit_of(width, static_cast<std::int64_t>(elements))};
    return true;
  }

  /// The text of a pipeline's output, of lane `index`.
  Reference result_of(const llvm::CallInst& read, const sv::Expression& index) const {
    return pipelines_.at(leaf_of(read))
        .result(constant_argument(read, 2), constant_argument(read, 3), index);
  }

  /// The base of other values' names: a register, port or submodule output without suffix.
  std::string base(const llvm::CallInst& call) const {
    Reference reference;
    if (!look_up(call, reference)) return "";
    std::string name = reference.base.text;
    if (name.ends_with("_q") || name.ends_with("_i")) name.resize(name.size() - 2);
    const bool is_element = reference.width != reference.base_width;
    return is_element ? fmt::format("{}_{}", name, reference.offset / reference.width) : name;
  }

  // ---- What is combinational ----

  /// A read of an array's element that is needed outside the process.
  bool is_mirrored_read(const llvm::Instruction& instruction) const {
    if (is_operation(instruction, Operation::kLoad)) return true;
    return is_operation(instruction, Operation::kPipelineOutput) &&
           pipelines_.at(leaf_of(instruction)).is_array();
  }

  void need(const llvm::Value* value) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || !combinational_.insert(instruction).second) return;
    if (llvm::isa<llvm::PHINode>(instruction) || !flow_.always_runs(instruction->getParent())) {
      refuse(*instruction,
             "an output or a submodule's input depends on this, which is under a "
             "condition or in a loop; choose it with ?:, or add #pragma unroll");
    }
    if (is_mirrored_read(*instruction)) {
      mirror(llvm::cast<llvm::CallInst>(*instruction));
      return;
    }
    if (is_any_operation(*instruction)) return;
    for (const llvm::Value* operand : instruction->operands()) need(operand);
  }

  struct Mirror {
    std::string name;
    const llvm::CallInst* read = nullptr;       ///< one of the reads it replaces
    std::map<std::int64_t, unsigned> elements;  ///< element -> place in the mirror
  };

  /// An array of registers, or the results of an array of pipelines: leaf, and part of the result.
  using MirrorKey = std::tuple<bool, int, std::int64_t, std::int64_t>;
  static MirrorKey mirror_key(const llvm::CallInst& read) {
    if (!is_operation(read, Operation::kPipelineOutput)) return {true, leaf_of(read), 0, 0};
    return {false, leaf_of(read), constant_argument(read, 2), constant_argument(read, 3)};
  }

  /// The text of the read for lane or element `index`; without one the whole array.
  Reference array_of(const llvm::CallInst& read, const sv::Expression& index) const {
    if (is_operation(read, Operation::kPipelineOutput)) return result_of(read, index);
    const unsigned width = module_.state[leaf_of(read)].width;
    const std::string& name = register_names_.at(leaf_of(read));
    return {index.empty() ? sv::Expression(name) : sv::element(name, index), 0, width, width};
  }

  void mirror(const llvm::CallInst& read) {
    const bool is_load = is_operation(read, Operation::kLoad);
    const int leaf = leaf_of(read);
    if (!llvm::isa<llvm::ConstantInt>(read.getArgOperand(1))) {
      refuse(read,
             "an output or a submodule's input picks a register by a variable index; copy "
             "the element to a register first");
    }
    refuse_earlier_write(read, is_load, leaf);
    Mirror& one = mirrors_[mirror_key(read)];
    one.read = &read;
    one.elements[constant_argument(read, 1)] = 0;
  }

  /// Checks that nothing is written before the read, which means the value before the edge.
  void refuse_earlier_write(const llvm::CallInst& read, bool is_load, int leaf) const {
    for (const llvm::BasicBlock& block : *module_.clock) {
      for (const llvm::Instruction& instruction : block) {
        if (&instruction == &read) return;
        if (is_operation(instruction, is_load ? Operation::kStore : Operation::kPipelineClock) &&
            leaf_of(instruction) == leaf) {
          refuse(read, fmt::format("'{}' is read for an output after it was written; read it "
                                   "before, or keep the new value in a local variable",
                                   module_.state[leaf].name));
        }
      }
    }
  }

  void find_combinational() {
    for (const llvm::Instruction& instruction : llvm::instructions(*module_.clock)) {
      if (is_operation(instruction, Operation::kWritePort)) {
        need(instruction.getOperand(2));
      } else if (is_operation(instruction, Operation::kInstanceInput)) {
        need(instruction.getOperand(3));
      }
    }
    for (auto& [key, one] : mirrors_) {
      unsigned position = 0;
      for (auto& [element, place] : one.elements) place = position++;
      const Reference array = array_of(*one.read, {});
      const std::string base = array.base.text.substr(0, array.base.text.size() - 2);
      const bool is_part = array.width != array.base_width;
      one.name = names_.unique(
          (is_part ? fmt::format("{}_{}", base, array.offset / array.width) : base) + "_seen_q");
    }
    // Values that depend only on these are also computed outside the process.
    for (const llvm::Instruction& instruction : llvm::instructions(*module_.clock)) {
      if (combinational_.count(&instruction) != 0 || is_effect(instruction)) continue;
      bool outside = !llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator() &&
                     !llvm::isa<llvm::DbgInfoIntrinsic>(instruction) &&
                     !is_mirrored_read(instruction) && flow_.always_runs(instruction.getParent());
      if (!is_any_operation(instruction)) {
        for (const llvm::Value* operand : instruction.operands()) {
          outside =
              outside && (llvm::isa<llvm::Constant>(operand) || combinational_.count(operand) != 0);
        }
      }
      if (outside) combinational_.insert(&instruction);
    }
  }

  static bool is_effect(const llvm::Instruction& instruction) {
    return is_operation(instruction,
                        {Operation::kWritePort, Operation::kWriteRegister, Operation::kStore,
                         Operation::kPipelineClock, Operation::kInstanceInput});
  }

  // ---- Text ----

  std::string header() const {
    const bool is_clocked = text_.about.empty();
    std::string result = header_of(
        text_, fmt::format("{}, {}", text_.top,
                           is_clocked ? "one clock() per rising edge" : "its loops in time"));
    result += text_.about;
    for (const auto& [leaf, pipeline] : pipelines_) {
      result += fmt::format(
          "//   Pipeline  {}: {} stages, {} register bits{}, slowest stage {:.1f} ns (estimated)\n",
          pipeline.function().name, pipeline.stages(),
          pipeline.schedule().register_bits() + static_cast<int>(pipeline.result_width()),
          pipeline.is_array() ? fmt::format(" x {} lanes", pipeline.lanes()) : "",
          pipeline.schedule().slowest_ns);
    }
    if (!arrays_.empty() || !pipelines_.empty()) {
      result +=
          "//\n"
          "// Arrays of registers are assigned with `=`, consumers before producers, in the order\n"
          "// of the C++; nothing outside of the one process reads them.\n";
    }
    return result;
  }

  void declare_state(sv::Statements& out) const {
    if (!register_names_.empty()) out.line("// ---- Registers ----");
    for (const auto& [leaf, name] : register_names_) {
      const Leaf& one = module_.state[leaf];
      const bool is_array = arrays_.count(leaf) != 0;
      sv::Statement made = sv::declaration(name, is_array ? one.width : bits_of(one),
                                           is_array ? array_size(one.elements()) : 0);
      made.label = one.position == one.outer_position ? "" : one.outer;
      out.add(std::move(made));
    }
    for (const auto& [leaf, name] : unused_names_) {
      const std::string& unread = register_names_.at(leaf);
      out.define(name, 1, sv::unary("^", unread), "not all bits of " + unread + " are read");
    }
    if (!mirrors_.empty()) out.line("// Elements of arrays, as read outside of the process.");
    for (const auto& [key, one] : mirrors_) {
      const unsigned width = width_of(*one.read);
      out.add(sv::declaration(one.name, static_cast<unsigned>(width * one.elements.size())));
    }
    for (const auto& [leaf, pipeline] : pipelines_) {
      out.blank();
      out.line(fmt::format("// ---- Stages of {} ----", pipeline.function().name));
      pipeline.declare(out);
    }
    if (!module_.instances.empty()) {
      out.blank();
      out.line("// ---- Outputs of submodules ----");
    }
    for (const auto& [leaf, instance] : module_.instances) {
      for (std::size_t field = 0; field < instance.outputs.size(); ++field) {
        const std::string& name = instances_.at(leaf).outputs[field];
        sv::Statement made = sv::declaration(name, bits_of(instance.outputs[field]));
        made.label = instances_.at(leaf).name;
        const std::string type = views_.type_of(name);
        if (!type.empty()) made.text = type;
        out.add(std::move(made));
      }
    }
  }

  /// Combinational values with their own signals, in the order of the source.
  void emit_wires(sv::Statements& out) {
    for (llvm::Instruction& instruction : llvm::instructions(*module_.clock)) {
      if (combinational_.count(&instruction) == 0 || is_any_operation(instruction)) continue;
      if (instruction.hasOneUse() && is_part_of_vector(instruction)) continue;
      const auto text = [&] { return printer_.expression(instruction); };
      const bool deserves = deserves_signal(instruction) && !is_brief(instruction, text);
      if (!deserves && !is_field(instruction)) continue;
      const std::string name = names_.unique(value_names_.at(&instruction));
      const unsigned width = width_of(instruction);
      if (out.empty()) out.line("// ---- Combinational ----");
      out.define(name, width, printer_.expression(instruction));
      printer_.name(instruction, {name, 0, width, width});
    }
  }

  /// Bits of a signal that are one variable of the source, read at several places.
  bool is_field(llvm::Instruction& instruction) const {
    if (!is_wiring(instruction) || !is_one_variable(instruction) ||
        !instruction.hasNUsesOrMore(2) || is_part_of_vector(instruction)) {
      return false;
    }
    const sv::Expression bits = printer_.expression(instruction);
    if (!bits.is(sv::Expression::Kind::kSlice)) return false;
    const bool is_member = std::ranges::all_of(instruction.users(), [&](const llvm::User* user) {
      return !views_
                  .field({.base = bits.operands[0]}, bits.high, bits.low,
                         {llvm::cast<llvm::Instruction>(user)})
                  .empty();
    });
    return !is_member && !names_another(value_names_.at(&instruction).front());
  }

  /// Whether a value that is no field has this name.
  bool names_another(const std::string& name) const {
    return std::any_of(value_names_.begin(), value_names_.end(), [&](const auto& one) {
      const auto& value = *llvm::cast<llvm::Instruction>(one.first);
      return one.second.front() == name && !is_wiring(value) && !is_any_operation(value);
    });
  }

  /// An element of a port or register vector, which is written with its vector.
  bool is_part_of_vector(const llvm::Instruction& instruction) const {
    return std::any_of(instruction.user_begin(), instruction.user_end(), [this](const auto* user) {
      return writes_element(*llvm::cast<llvm::Instruction>(user));
    });
  }
  bool writes_element(const llvm::Instruction& user) const {
    if (is_operation(user, Operation::kWriteRegister)) {
      return module_.state[leaf_of(user)].elements() > 1;
    }
    if (is_operation(user, Operation::kWritePort)) {
      return module_.outputs[leaf_of(user)].elements() > 1;
    }
    if (is_operation(user, Operation::kInstanceInput)) {
      const auto field = constant_argument(user, 1);
      return module_.instances.at(leaf_of(user)).inputs[field].elements() > 1;
    }
    return false;
  }

  void emit_registers(sv::Statements& out) {
    if (register_names_.empty() && pipelines_.empty()) return;
    Temporaries temporaries(names_);
    const ProcessContext context{module_.state,  register_names_, pipelines_,  printer_,
                                 combinational_, value_names_,    temporaries, enums_,
                                 views_,         tables_};
    sv::Statements body = emit_process(*module_.clock, flow_, context);
    if (module_.reset) {
      const ControlFlow reset_flow(*module_.reset);
      std::map<const llvm::Value*, NameChoices> reset_names = value_names(*module_.reset);
      const std::set<const llvm::Value*> none;
      const ProcessContext reset_context{module_.state, register_names_, pipelines_,  printer_,
                                         none,          reset_names,     temporaries, enums_,
                                         views_,        tables_};
      const sv::Statements reset = emit_process(*module_.reset, reset_flow, reset_context);
      if (!reset.empty()) body.branch(sv::unary("!", "rst_ni"), reset);
    }
    // After the reset, so that they show its result.
    for (const auto& [key, one] : mirrors_) write_mirror(one, body);
    temporaries.declare(body);
    const bool blocking = !arrays_.empty() || !pipelines_.empty();
    out.line("// ---- The edge ----");
    if (blocking) out.line("/* verilator lint_off BLKSEQ */");
    out.block("always_ff @(posedge clk_i)", body, "edge_of_clk");
    if (blocking) out.line("/* verilator lint_on BLKSEQ */");
  }

  void write_mirror(const Mirror& mirror, sv::Statements& out) const {
    const auto count = static_cast<unsigned>(mirror.elements.size());
    const auto seen = [&](std::int64_t element) {
      return expression_of(array_of(*mirror.read, sv::plain_number(element)));
    };
    const unsigned width = width_of(*mirror.read);
    constexpr unsigned kLeastInLoop = 3;
    if (count >= kLeastInLoop && mirror.elements.rbegin()->first == count - 1) {
      for (const auto& [element, place] : mirror.elements) {
        out.assign(sv::element_of(mirror.name, place, width, count), "<=", seen(element));
      }
      return;
    }
    std::vector<sv::Expression> elements;
    for (const auto& [element, place] : mirror.elements) {
      elements.insert(elements.begin(), seen(element));
    }
    out.assign(mirror.name, "<=", sv::concatenation(elements));
  }

  void emit_outputs(sv::Statements& out) {
    std::map<int, std::vector<ElementWrite>> outputs;
    for (const llvm::Instruction& instruction : llvm::instructions(*module_.clock)) {
      if (!is_operation(instruction, Operation::kWritePort)) continue;
      const int leaf = leaf_of(instruction);
      outputs[leaf].push_back({constant_argument(instruction, 1), instruction.getOperand(2),
                               &module_.outputs[leaf], &instruction});
    }
    out.line("// ---- Outputs ----");
    for (std::size_t i = 0; i < module_.outputs.size(); ++i) {
      const Leaf& one = module_.outputs[i];
      const std::vector<ElementWrite>& writes = outputs[static_cast<int>(i)];
      if (one.elements() == 1 && writes.size() == 1) {
        const ExpressionBuilder::Use here = printer_.at(writes[0].by);
        out.connect(ports_->output(static_cast<int>(i)), printer_.operand(*writes[0].value, &one));
        continue;
      }
      for (const VectorWrite& write : write_vector(ports_->output(static_cast<int>(i)), one.width,
                                                   one.elements(), writes, printer_)) {
        out.connect(write.target, write.value);
      }
    }
  }

  const LoweredModule& module_;
  const ModuleText& text_;
  const std::map<int, ChildModule>& children_;
  const std::map<int, LoweredFunction>& functions_;
  const std::map<int, Schedule>& schedules_;
  ControlFlow flow_;
  ExpressionBuilder printer_;
  EnumTypes enums_;
  StructViews views_;
  Names names_;
  Tables tables_{names_};
  std::map<const llvm::Value*, NameChoices> value_names_;
  std::optional<Ports> ports_;
  std::map<int, std::string> register_names_;
  std::map<int, std::string> unused_names_;  ///< of registers with unread bits
  std::set<int> arrays_;
  std::map<int, PipelineText> pipelines_;
  std::map<int, InstanceNames> instances_;
  std::set<const llvm::Value*> combinational_;
  std::map<MirrorKey, Mirror> mirrors_;
};

}  // namespace

sv::Module emit_module(const LoweredModule& module, const ModuleText& text,
                       const std::map<int, ChildModule>& children,
                       const std::map<int, LoweredFunction>& functions,
                       const std::map<int, Schedule>& schedules) {
  const sv::Module made = ModuleEmitter(module, text, children, functions, schedules).run();
  const sv::Module gathered =
      sv::with_picks(sv::with_direct_outputs(sv::with_instance_arrays(made)));
  const sv::Module written = sv::with_functions(sv::with_cases(sv::with_loops(gathered)), made);
  return sv::with_joined_zeros(sv::with_output_nets(sv::with_output_registers(written)));
}

}  // namespace systole::compiler

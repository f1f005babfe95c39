#include "hls/compiler/emit/struct_views.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/identifier.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"
#include "hls/compiler/verilog/nets.h"

namespace systole::compiler {
namespace {

using Bits = StructViews::Bits;

/// The bits that only wires bring to the value, zeros above them aside; none for any other value.
std::optional<Bits> bits_of(const llvm::Value& value) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction) return std::nullopt;
  if (is_operation(*instruction,
                   {Operation::kReadRegister, Operation::kReadPort, Operation::kInstanceOutput})) {
    return Bits{llvm::cast<llvm::CallInst>(instruction), width_of(value) - 1, 0};
  }
  if (!is_wiring(*instruction)) return std::nullopt;
  const auto source = bits_of(*instruction->getOperand(0));
  if (!source) return std::nullopt;
  unsigned amount = 0, high = 0, low = 0;
  switch (instruction->getOpcode()) {
    case llvm::Instruction::ZExt:
    case llvm::Instruction::Freeze:
      return source;
    case llvm::Instruction::Trunc:
      high = std::min(source->high, source->low + width_of(value) - 1);
      return Bits{source->read, high, source->low};
    case llvm::Instruction::LShr:
      constant_shift(*instruction, amount);
      if (source->low + amount > source->high) return std::nullopt;
      return Bits{source->read, source->high, source->low + amount};
    case llvm::Instruction::And:
      is_mask(*instruction->getOperand(1), high, low);
      if (low != 0) return std::nullopt;
      return Bits{source->read, std::min(source->high, source->low + high), source->low};
    default:
      return std::nullopt;
  }
}

/// The bits that debug information makes of a value's: shifted down and cut by wires that are gone.
std::optional<Bits> described_bits(const llvm::DbgVariableRecord& record) {
  std::optional<Bits> bits = bits_of(*record.getVariableLocationOp(0));
  std::uint64_t constant = 0;
  for (const auto& step : record.getExpression()->expr_ops()) {
    if (!bits) return bits;
    switch (step.getOp()) {
      case llvm::dwarf::DW_OP_LLVM_fragment:
      case llvm::dwarf::DW_OP_stack_value:
        break;
      case llvm::dwarf::DW_OP_constu:
        constant = step.getArg(0);
        break;
      case llvm::dwarf::DW_OP_shr:
        if (bits->low + constant > bits->high) return std::nullopt;
        bits->low += static_cast<unsigned>(constant);
        break;
      case llvm::dwarf::DW_OP_LLVM_convert:
        bits->high = std::min(bits->high, bits->low + static_cast<unsigned>(step.getArg(0)) - 1);
        break;
      default:
        return std::nullopt;
    }
  }
  return bits;
}

/// A member's name, which may be a keyword.
std::string member_name(const std::string& name) {
  Names words;
  const std::string plain = identifier(without_underscore(name));
  return words.unique(NameChoices{plain, plain + "_"});
}

/// The struct of the user's that a type is, or null.
const llvm::DICompositeType* struct_of(const llvm::DIType* any) {
  const auto* type = llvm::dyn_cast_or_null<llvm::DICompositeType>(strip_type(any));
  const bool is_struct = type && (type->getTag() == llvm::dwarf::DW_TAG_structure_type ||
                                  type->getTag() == llvm::dwarf::DW_TAG_class_type);
  return is_struct && !type->getName().empty() && !is_library(type->getFilename()) ? type : nullptr;
}

/// The members of a struct; none for one that no register could have.
std::vector<Leaf> members_of(const llvm::DICompositeType& type) {
  try {
    return layout_of(&type);
  } catch (const Refusal&) {
    return {};
  }
}

const llvm::DIScope* outer(const llvm::DIScope* scope) {
  const auto* block = llvm::dyn_cast<llvm::DILexicalBlockBase>(scope);
  return block ? block->getScope() : nullptr;
}

/// How far a place in the source is from the variable: less where it is deeper in the calls, and in
/// the blocks of a function. A call's result is near in the statement of the call. None where the
/// place does not see the variable.
std::optional<unsigned> distance(const llvm::DILocation* from, const llvm::DILocation* variable,
                                 const llvm::DIScope* scope) {
  constexpr unsigned kCall = 1000, kResult = 500;
  unsigned depth = 0;
  for (const auto* at = from; at; at = at->getInlinedAt(), depth += kCall) {
    unsigned steps = 0;
    for (const llvm::DIScope* one = at->getScope(); one; one = outer(one), ++steps) {
      if (one == scope && at->getInlinedAt() == variable->getInlinedAt()) return depth + steps;
    }
    for (const auto* call = variable->getInlinedAt(); call; call = call->getInlinedAt()) {
      if (call->getInlinedAt() == at->getInlinedAt() && call->getLine() == at->getLine() &&
          call->getScope()->getSubprogram() == at->getScope()->getSubprogram()) {
        return depth + kResult;
      }
    }
  }
  return std::nullopt;
}

/// Where the source writes the instruction, and the variables that hold it.
std::vector<const llvm::DILocation*> places_of(const llvm::Instruction& instruction) {
  std::vector<const llvm::DILocation*> places;
  if (instruction.getDebugLoc()) places.push_back(instruction.getDebugLoc().get());
  if (instruction.getType()->isVoidTy()) return places;
  for (const auto* record : variable_records(const_cast<llvm::Instruction&>(instruction))) {
    places.push_back(record->getDebugLoc().get());
  }
  return places;
}

/// The signals of which fields are read.
void add_roots(const sv::Expression& one, std::set<std::string>& roots) {
  if (one.is(sv::Expression::Kind::kField)) roots.insert(root_of(one));
  for (const sv::Expression& operand : one.operands) add_roots(operand, roots);
}
}  // namespace

StructViews::StructViews(const LoweredModule& module, Names& names, const Lookup& lookup) {
  for (llvm::Instruction& value : llvm::instructions(*module.clock)) {
    if (is_operation(value, Operation::kInstanceOutput)) add_word(module, value, lookup);
  }
  add_variables(*module.clock, lookup);
  for (auto& [base, uses] : variables_) {
    std::erase_if(uses, [&](const Use& one) { return views_[one.view].places.size() < 2; });
  }
  std::erase_if(variables_, [](const auto& one) { return one.second.empty(); });
  name_views(names);
}

void StructViews::add_word(const LoweredModule& module, const llvm::Instruction& read,
                           const Lookup& lookup) {
  const Instance& instance = module.instances.at(leaf_of(read));
  const auto word = instance.words.find(constant_argument(read, 1));
  Reference signal;
  if (word == instance.words.end() || !lookup(read, signal)) return;
  const auto parameters = module.state[leaf_of(read)].type->getTemplateParams();
  const llvm::DICompositeType* type =
      parameters.empty() ? nullptr : struct_of(parameters[0]->getType());
  if (!type || variables_.count(signal.base.text) != 0) return;
  const Key key(type, signal.width);
  const std::size_t view = view_of(signal.base.text, key);
  views_[view].name = signal.base.text;
  views_[view].is_declared = true;
  const std::string port = instance.outputs[static_cast<std::size_t>(word->first)].name;
  unsigned low = 0;
  for (const Leaf& part : word->second) {
    const unsigned width = bits_of(part);
    const Member member{member_name(part.name.substr(port.size() + 1)), width};
    if (!add_member(key, low, member)) return;
    views_[view].places.insert(low);
    variables_[signal.base.text].push_back({.view = view, .low = low, .width = width});
    low += width;
  }
}

void StructViews::add_variables(llvm::Function& clock, const Lookup& lookup) {
  struct Part {
    const llvm::DbgVariableRecord* record;
    Bits bits;
  };
  using Variable = std::pair<const llvm::DILocalVariable*, const llvm::DILocation*>;
  std::map<Variable, std::vector<Part>> structs;
  std::set<Variable> gathered;  // from several places, which is not how a word is read
  std::vector<Variable> order;
  for (llvm::Instruction& instruction : llvm::instructions(clock)) {
    for (llvm::DbgVariableRecord& one : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
      const bool is_part = one.getExpression()->getFragmentInfo().has_value() &&
                           struct_of(one.getVariable()->getType());
      if (!is_part) continue;
      const Variable variable(one.getVariable(), one.getDebugLoc()->getInlinedAt());
      if (one.getNumVariableLocationOps() != 1) {
        gathered.insert(variable);
        continue;
      }
      const llvm::Value* value = one.getVariableLocationOp(0);
      if (!value || llvm::isa<llvm::Constant>(value)) continue;  // before it is assigned
      const std::optional<Bits> bits = described_bits(one);
      std::vector<Part>& parts = structs[variable];
      if (parts.empty()) order.push_back(variable);
      if (!bits || (!parts.empty() && !parts[0].bits.read->isIdenticalTo(bits->read))) {
        gathered.insert(variable);
      } else {
        parts.push_back({&one, *bits});
      }
    }
  }
  for (const Variable& variable : order) {
    if (gathered.count(variable) != 0) continue;
    for (const Part& part : structs[variable]) add_part(*part.record, part.bits, lookup);
  }
}

void StructViews::add_part(const llvm::DbgVariableRecord& record, const Bits& bits,
                           const Lookup& lookup) {
  Reference signal;
  if (!lookup(*bits.read, signal)) return;
  const bool is_whole = signal.base.is(sv::Expression::Kind::kName) && signal.offset == 0 &&
                        signal.width == signal.base_width && signal.dropped == 0;
  const std::string& base = signal.base.text;
  const bool is_word = std::ranges::any_of(
      views_, [&](const View& one) { return one.is_declared && one.base == base; });
  if (!is_whole || is_word) return;
  const llvm::DILocalVariable& variable = *record.getVariable();
  const Key type(struct_of(variable.getType()), signal.width);
  const std::uint64_t offset = record.getExpression()->getFragmentInfo()->OffsetInBits;
  for (const Leaf& leaf : members_of(*type.first)) {
    const bool is_it = leaf.offset_bytes * 8 == static_cast<std::int64_t>(offset);
    if (!is_it || leaf.kind != LeafKind::kInteger || leaf.elements() != 1) continue;
    if (bits.low >= signal.width) continue;
    const unsigned width = std::min(leaf.width, signal.width - bits.low);
    if (bits.low == 0 && width == signal.width) continue;
    if (!add_member(type, bits.low, {member_name(leaf.name), width})) continue;
    const std::size_t view = view_of(base, type);
    views_[view].places.insert(bits.low);
    views_[view].choices.push_back(identifier(without_underscore(variable.getName().str())));
    variables_[base].push_back({.view = view,
                                .low = bits.low,
                                .width = width,
                                .at = record.getDebugLoc().get(),
                                .scope = variable.getScope()});
  }
}

bool StructViews::add_member(const Key& type, unsigned low, Member member) {
  Type& one = types_[type];
  const auto known = one.members.find(low);
  if (known != one.members.end()) {
    return known->second.name == member.name && known->second.width == member.width;
  }
  for (const auto& [start, other] : one.members) {
    const bool is_apart = start + other.width <= low || low + member.width <= start;
    if (!is_apart || other.name == member.name) return false;
  }
  one.members.emplace(low, std::move(member));
  return true;
}

std::size_t StructViews::view_of(const std::string& base, const Key& type) {
  const auto found = std::find_if(views_.begin(), views_.end(), [&](const View& one) {
    return one.base == base && one.type == type;
  });
  if (found != views_.end()) return static_cast<std::size_t>(found - views_.begin());
  views_.push_back({.name = "", .base = base, .type = type});
  return views_.size() - 1;
}

void StructViews::name_views(Names& names) {
  for (View& view : views_) {
    Type& type = types_.at(view.type);
    if (view.places.size() < 2) continue;
    if (type.name.empty()) type.name = names.unique(snake_case(view.type.first->getName()) + "_t");
    if (view.is_declared) continue;
    view.choices.push_back(snake_case(view.type.first->getName()));
    view.name = names.unique(view.choices);
  }
}

sv::Expression StructViews::field(const Reference& signal, unsigned high, unsigned low,
                                  const Uses& uses) const {
  if (!signal.base.is(sv::Expression::Kind::kName)) return {};
  const auto variables = variables_.find(signal.base.text);
  if (variables == variables_.end()) return {};
  std::vector<const Use*> candidates;
  for (const Use& one : variables->second) {
    if (low >= one.low && high < one.low + one.width) candidates.push_back(&one);
  }
  // Of two that a place sees as well, the one that starts and ends with the bits.
  std::ranges::sort(candidates, {}, [&](const Use* one) {
    return std::tuple(low - one->low + one->width, one->view, one->low);
  });
  const Use* found = chosen(candidates, uses);
  return found ? member(views_[found->view], high, low, found->low) : sv::Expression();
}

const StructViews::Use* StructViews::chosen(const std::vector<const Use*>& candidates,
                                            const Uses& uses) const {
  if (candidates.empty()) return nullptr;
  if (!candidates.front()->at) return candidates.front();  // of a cell's word
  const auto same_bits = [](const Use& one, const Use& other) {
    return one.low == other.low && one.width == other.width;
  };
  for (const llvm::Instruction* use : uses) {
    const Use* best = nullptr;
    unsigned least = ~0U;
    bool is_several = false;
    for (const llvm::DILocation* place : places_of(*use)) {
      for (const Use* one : candidates) {
        const std::optional<unsigned> far = distance(place, one->at, one->scope);
        if (!far || *far > least) continue;
        if (*far == least && !same_bits(*one, *best)) continue;
        is_several = *far == least && (is_several || best->view != one->view);
        least = *far;
        best = one;
      }
    }
    if (best && !is_several) return best;
  }
  return nullptr;
}

sv::Expression StructViews::member(const View& view, unsigned high, unsigned low,
                                   unsigned place) const {
  const Type& type = types_.at(view.type);
  const Member& one = type.members.at(place);
  return sv::slice(sv::field(view.name, one.name, place + one.width - 1, place, view.type.second),
                   high - place, low - place, one.width);
}

void StructViews::keep_read(const std::vector<sv::Statements>& parts) {
  std::set<std::string> roots;
  for (const sv::Statements& part : parts) {
    sv::for_each_expression(part, [&](const sv::Expression& one) { add_roots(one, roots); });
  }
  for (View& view : views_) view.is_read = roots.count(view.name) != 0;
}

std::string StructViews::type_of(const std::string& signal) const {
  for (const View& view : views_) {
    if (view.is_declared && view.is_read && view.name == signal) return types_.at(view.type).name;
  }
  return "";
}

void StructViews::declare_types(sv::Statements& out) const {
  std::set<Key> declared;
  for (const View& view : views_) {
    if (!view.is_read || !declared.insert(view.type).second) continue;
    if (declared.size() == 1) out.line("// ---- Structs ----");
    const Type& type = types_.at(view.type);
    sv::Statements members;
    unsigned top = view.type.second;
    const auto add = [&](unsigned low, const std::string& name) {
      if (low < top) members.add(sv::declaration(name, top - low));
      top = low;
    };
    std::string above = "above_" + type.members.rbegin()->second.name;
    for (auto one = type.members.rbegin(); one != type.members.rend(); ++one) {
      add(one->first + one->second.width, "unread_" + above);
      add(one->first, one->second.name);
      above = "below_" + one->second.name;
    }
    add(0, "unread_" + above);
    out.list("typedef struct packed {", members, fmt::format("}} {};", type.name));
    out.blank();
  }
}

void StructViews::declare_views(sv::Statements& out) const {
  std::vector<sv::Expression> with_unread;
  sv::Statements connections;
  for (const View& view : views_) {
    if (!view.is_read || view.is_declared) continue;
    if (connections.empty()) {
      out.blank();
      out.line("// ---- Words as structs ----");
    }
    const Type& type = types_.at(view.type);
    sv::Statement made = sv::declaration(view.name, view.type.second);
    made.text = type.name;
    out.add(std::move(made));
    connections.connect(view.name, view.base);
    unsigned read = 0;
    for (const unsigned place : view.places) read += type.members.at(place).width;
    if (read < view.type.second) with_unread.emplace_back(view.name);
  }
  out.append(connections);
  if (with_unread.empty()) return;
  out.define("unused_fields", 1, sv::unary("^", sv::concatenation(with_unread)),
             "not all members are read");
}

}  // namespace systole::compiler

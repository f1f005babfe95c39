#include "hls/compiler/frontend/layout.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/Support/Casting.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <cctype>

#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;

llvm::StringRef bare_name(const llvm::DIType* type) {
  return type->getName().take_until([](char c) { return c == '<'; });
}

bool is_type_layer_class(const llvm::DIType* type, llvm::StringRef name) {
  return bare_name(type) == name && is_type_layer(type->getFilename());
}

/// "UInt<28>" -> 28.
unsigned width_of(const llvm::DIType* type) {
  unsigned width = 0;
  type->getName()
      .drop_until([](char c) { return c == '<'; })
      .drop_front()
      .take_while([](char c) { return c >= '0' && c <= '9'; })
      .getAsInteger(10, width);
  return width;
}

/// Whether the type comes with C++, as std::array does: the names of its members are its own.
bool is_of_standard_library(const llvm::DIType* type) {
  return is_library(type->getFilename()) && !is_type_layer(type->getFilename());
}
bool is_of_standard_library(const llvm::DIType* type, llvm::StringRef name) {
  return bare_name(type) == name && is_of_standard_library(type);
}

/// "operand_" below "pe_" -> "pe_operand_". A base class, a Vec's lane, the elements of a
/// std::array and a Float's bits_ add nothing.
std::string join(const std::string& prefix, const llvm::DIType* type, llvm::StringRef member) {
  const bool is_all = member.empty() || is_type_layer_class(type, "Vec") ||
                      is_type_layer_class(type, "Float") || is_of_standard_library(type, "array");
  if (is_all && !prefix.empty()) return prefix;
  const std::string base = without_underscore(prefix);
  return base.empty() ? member.str() : base + "_" + member.str();
}

/// Whether it contains a thread or channel, which cannot become registers of its parent.
bool holds_thread(const llvm::DIType* type) {
  type = strip_type(type);
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(type);
  if (!composite || composite->getTag() == llvm::dwarf::DW_TAG_enumeration_type) return false;
  if (composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
    return holds_thread(composite->getBaseType());
  }
  if (is_type_layer_class(type, "Process") || is_type_layer_class(type, "Channel")) return true;
  return std::ranges::any_of(composite->getElements(), [](const llvm::DINode* element) {
    const auto* member = dyn_cast<llvm::DIDerivedType>(element);
    return member && !member->isStaticMember() && member->getTag() == llvm::dwarf::DW_TAG_member &&
           holds_thread(member->getBaseType());
  });
}

class Walker {
 public:
  std::vector<Leaf> leaves;

  void walk(const llvm::DIType* type, const std::string& name, std::int64_t offset,
            const std::vector<Dimension>& dimensions, const std::string& position) {
    refuse_reference(type, name, position);
    type = strip_type(type);
    if (const auto* basic = dyn_cast<llvm::DIBasicType>(type)) {
      if (basic->getEncoding() == llvm::dwarf::DW_ATE_boolean) {
        add({.kind = LeafKind::kInteger,
             .name = name,
             .offset_bytes = offset,
             .size_bytes = 1,
             .width = 1,
             .dimensions = dimensions,
             .position = position});
        return;
      }
      throw Refusal(
          fmt::format("{}: '{}' is of type {}, which has no width in hardware; use UInt<N>, "
                      "Int<N> or bool",
                      position, name, basic->getName().str()));
    }
    const auto* composite = dyn_cast<llvm::DICompositeType>(type);
    if (!composite) {
      throw Refusal(
          fmt::format("{}: '{}' is a pointer or reference; hold the value itself", position, name));
    }
    if (composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
      walk_array(composite, name, offset, dimensions, position);
      return;
    }
    const auto size = static_cast<std::int64_t>(composite->getSizeInBits() / 8);
    if (is_type_layer_class(type, "UInt") || is_type_layer_class(type, "Int")) {
      add({.kind = LeafKind::kInteger,
           .name = name,
           .offset_bytes = offset,
           .size_bytes = size,
           .width = width_of(type),
           .is_signed = bare_name(type) == "Int",
           .dimensions = dimensions,
           .position = position});
      return;
    }
    if (is_type_layer_class(type, "Pipeline")) {
      add({.kind = LeafKind::kPipeline,
           .name = name,
           .offset_bytes = offset,
           .size_bytes = size,
           .dimensions = dimensions,
           .type = composite,
           .position = position});
      return;
    }
    if (!dimensions.empty() && holds_thread(composite)) {
      walk_elements(composite, without_underscore(name), offset, dimensions, position);
      return;
    }
    if (!name.empty() && dimensions.empty() && !method_of(composite, "clock").empty()) {
      add({.kind = LeafKind::kInstance,
           .name = name,
           .offset_bytes = offset,
           .size_bytes = size,
           .dimensions = {},
           .type = composite,
           .position = position});
      return;
    }
    refuse_standard_type(*composite, name, position);
    if (composite->getTag() == llvm::dwarf::DW_TAG_union_type) {
      throw Refusal(fmt::format("{}: '{}' is a union, whose members share their bits; use UInt<N>",
                                position, name));
    }
    if (composite->getTag() == llvm::dwarf::DW_TAG_enumeration_type) {
      // An enum of a class template is defined where an enumerator is first named.
      if (composite->isForwardDecl()) {
        throw Refusal(fmt::format(
            "{}: '{}' is of an enum of a class template, and no code names an enumerator of '{}', "
            "which leaves its width unknown; name one, in reset() for instance, or declare the "
            "enum outside of the template",
            position, name, composite->getName().str()));
      }
      add({.kind = LeafKind::kInteger,
           .name = name,
           .offset_bytes = offset,
           .size_bytes = size,
           .width = enum_shape(composite).width,
           .dimensions = dimensions,
           .type = composite,
           .position = position});
      return;
    }
    const bool is_beat = is_type_layer_class(type, "Beat") && dimensions.empty();
    if (is_beat) {
      stream_ = name;
      stream_of_ = element_type(composite);
    }
    for (const llvm::DINode* element : composite->getElements()) {
      const auto* member = dyn_cast<llvm::DIDerivedType>(element);
      if (!member || member->isStaticMember()) continue;
      if (member->getName().starts_with("_vptr$")) continue;  // virtual calls are refused
      if (member->getTag() != llvm::dwarf::DW_TAG_member &&
          member->getTag() != llvm::dwarf::DW_TAG_inheritance) {
        continue;
      }
      const std::string at =
          is_library(member->getFilename()) ? position : source_position(*member);
      const bool is_outermost = outer_.empty();
      if (is_outermost) outer_ = without_underscore(member->getName().str());
      if (is_outermost) outer_position_ = at;
      walk(member->getBaseType(), join(name, type, member->getName()),
           offset + static_cast<std::int64_t>(member->getOffsetInBits() / 8), dimensions, at);
      if (is_outermost) outer_.clear();
    }
    if (is_beat) stream_.clear();
  }

 private:
  /// "Vec<systole::hls::UInt<8>, 3>" of "Beat<...>", without the namespaces.
  static std::string element_type(const llvm::DICompositeType* beat) {
    const auto parameters = beat->getTemplateParams();
    if (parameters.empty() || !parameters[0]->getType()) return "";
    std::string text = strip_type(parameters[0]->getType())->getName().str();
    for (std::size_t at = text.find("::"); at != std::string::npos; at = text.find("::")) {
      std::size_t start = at;
      while (start > 0 && (std::isalnum(static_cast<unsigned char>(text[start - 1])) != 0 ||
                           text[start - 1] == '_')) {
        --start;
      }
      text.erase(start, at + 2 - start);
    }
    return text;
  }

  static void refuse_reference(const llvm::DIType* type, const std::string& name,
                               const std::string& position) {
    while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
      const auto tag = derived->getTag();
      if (tag == llvm::dwarf::DW_TAG_reference_type ||
          tag == llvm::dwarf::DW_TAG_rvalue_reference_type) {
        throw Refusal(fmt::format("{}: '{}' is a pointer or reference; hold the value itself",
                                  position, name));
      }
      type = derived->getBaseType();
    }
  }

  /// A std::array has elements, a std::pair members with names; of others hardware would have the
  /// library's own names, in its own order.
  static void refuse_standard_type(const llvm::DICompositeType& type, const std::string& name,
                                   const std::string& position) {
    if (!is_of_standard_library(&type) || type.getName().starts_with("_")) return;
    for (const char* known : {"array", "pair"}) {
      if (bare_name(&type) == known) return;
    }
    throw Refusal(
        fmt::format("{}: '{}' is a std::{}, whose members have no names of yours; use a struct, "
                    "UInt<N>, Vec or std::array",
                    position, name, bare_name(&type).str()));
  }

  void add(Leaf leaf) {
    if (!stream_.empty()) {
      leaf.stream = stream_;
      leaf.stream_of = stream_of_;
    }
    leaf.outer = outer_;
    leaf.outer_position = outer_.empty() ? "" : outer_position_;
    leaves.push_back(std::move(leaf));
  }

  /// "lane_" of two by two becomes "lane_0_0" to "lane_1_1".
  void walk_elements(const llvm::DICompositeType* type, const std::string& name,
                     std::int64_t offset, std::vector<Dimension> dimensions,
                     const std::string& position) {
    if (dimensions.empty()) return walk(type, name, offset, {}, position);
    const Dimension outer = dimensions.front();
    dimensions.erase(dimensions.begin());
    for (std::int64_t i = 0; i < outer.count; ++i) {
      walk_elements(type, fmt::format("{}_{}", name, i), offset + i * outer.stride_bytes,
                    dimensions, position);
    }
  }

  void walk_array(const llvm::DICompositeType* array, const std::string& name, std::int64_t offset,
                  std::vector<Dimension> dimensions, const std::string& position) {
    auto bytes = static_cast<std::int64_t>(array->getSizeInBits() / 8);
    for (const llvm::DINode* element : array->getElements()) {
      const auto* range = llvm::cast<llvm::DISubrange>(element);
      const auto* count = llvm::dyn_cast_if_present<llvm::ConstantInt*>(range->getCount());
      if (!count || count->getSExtValue() <= 0) {
        throw Refusal(fmt::format("{}: '{}' has no fixed size", position, name));
      }
      bytes /= count->getSExtValue();
      dimensions.push_back({count->getSExtValue(), bytes});
    }
    walk(array->getBaseType(), name, offset, dimensions, position);
  }

  std::string stream_;  ///< the current Beat, "" outside one
  std::string stream_of_;
  std::string outer_;  ///< the current member of the struct that is walked
  std::string outer_position_;
};

const llvm::DISubprogram* declared_method(const llvm::DICompositeType* type, const char* method) {
  for (const llvm::DINode* element : type->getElements()) {
    const auto* subprogram = dyn_cast<llvm::DISubprogram>(element);
    if (subprogram && subprogram->getName() == method) return subprogram;
  }
  return nullptr;
}

const llvm::DIType* return_type(const llvm::DISubprogram* subprogram) {
  return subprogram->getType()->getTypeArray()[0];
}

}  // namespace

std::int64_t Leaf::elements() const {
  std::int64_t count = 1;
  for (const Dimension& dimension : dimensions) count *= dimension.count;
  return count;
}

unsigned Leaf::memory_width() const {
  return is_enum() ? static_cast<unsigned>(type->getSizeInBits()) : width;
}

EnumShape enum_shape(const llvm::DICompositeType* type) {
  EnumShape shape{.width = 1, .is_signed = false};
  if (type->getElements().empty()) shape.width = static_cast<unsigned>(type->getSizeInBits());
  for (const llvm::DINode* element : type->getElements()) {
    const auto* enumerator = llvm::cast<llvm::DIEnumerator>(element);
    shape.is_signed =
        shape.is_signed || (!enumerator->isUnsigned() && enumerator->getValue().isNegative());
  }
  for (const llvm::DINode* element : type->getElements()) {
    const llvm::APInt& value = llvm::cast<llvm::DIEnumerator>(element)->getValue();
    shape.width =
        std::max(shape.width, shape.is_signed ? value.getSignificantBits() : value.getActiveBits());
  }
  return shape;
}

const llvm::DIType* strip_type(const llvm::DIType* type) {
  while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    const auto tag = derived->getTag();
    if (tag == llvm::dwarf::DW_TAG_pointer_type) {
      // The walker refuses pointers inside structs; in a signature a pointer is `this`.
      return derived;
    }
    type = derived->getBaseType();
  }
  return type;
}

std::vector<Leaf> layout_of(const llvm::DIType* type) {
  Walker walker;
  if (type) walker.walk(type, "", 0, {}, "");
  return walker.leaves;
}

std::vector<Leaf> leaves_of_value(const llvm::DIType* type, const std::string& name,
                                  const std::string& position) {
  Walker walker;
  walker.walk(strip_type(type), name, 0, {}, position);
  for (const Leaf& leaf : walker.leaves) {
    if (leaf.kind == LeafKind::kInteger) continue;
    throw Refusal(fmt::format("{}: '{}' is a module; a pure function takes and gives values",
                              position, leaf.name));
  }
  return walker.leaves;
}

unsigned element_index(const std::vector<Leaf>& leaves, std::int64_t leaf, std::int64_t element) {
  std::int64_t index = element;
  for (std::int64_t before = 0; before < leaf; ++before) index += leaves[before].elements();
  return static_cast<unsigned>(index);
}

std::string parameter_name(const llvm::DISubprogram& function, unsigned index) {
  for (const llvm::DINode* node : function.getRetainedNodes()) {
    const auto* variable = dyn_cast<llvm::DILocalVariable>(node);
    if (!variable || variable->getArg() != index + 1) continue;
    const std::string name = without_underscore(variable->getName().str());
    if (!name.empty()) return name;
  }
  return fmt::format("argument_{}", index);
}

std::vector<std::string> parameter_names(const llvm::DISubprogram& function) {
  std::vector<std::string> names;
  for (unsigned i = 0; i + 1 < function.getType()->getTypeArray().size(); ++i) {
    const std::string name = parameter_name(function, i);
    if (name == "start" || name == "done") {
      throw Refusal(fmt::format("{}: the module has a port '{}' of its own; rename the parameter",
                                source_position(function), name));
    }
    if (std::ranges::count(names, name) != 0) {
      throw Refusal(
          fmt::format("{}: two parameters would have the port '{}', which is named "
                      "without underscores at its end; rename one",
                      source_position(function), name));
    }
    names.push_back(name);
  }
  return names;
}

std::string variable_path(llvm::Value& value) {
  const llvm::DbgVariableRecord* record = variable_record(value);
  if (!record) return "";
  const llvm::DILocalVariable* variable = record->getVariable();
  const std::string name = without_underscore(variable->getName().str());
  const auto fragment = record->getExpression()->getFragmentInfo();
  if (!fragment) return name;
  std::vector<Leaf> leaves;
  try {
    leaves = layout_of(strip_type(variable->getType()));
  } catch (const Refusal&) {
    return name;  // a local may have a type that no register has
  }
  for (const Leaf& leaf : leaves) {
    if (leaf.offset_bytes * 8 != static_cast<std::int64_t>(fragment->OffsetInBits)) continue;
    return leaf.name.empty() ? name : name + "_" + without_underscore(leaf.name);
  }
  return name;
}

ClockSignature clock_signature(const llvm::Function& clock) {
  const llvm::DISubprogram* subprogram = clock.getSubprogram();
  const auto types = subprogram->getType()->getTypeArray();
  ClockSignature signature;
  const auto is_struct = [](const llvm::DIType* type) {
    const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(strip_type(type));
    return composite && composite->getTag() != llvm::dwarf::DW_TAG_enumeration_type &&
           !is_type_layer_class(composite, "UInt") && !is_type_layer_class(composite, "Int");
  };
  const llvm::DICompositeType* type = class_of(subprogram);
  const llvm::DIType* outputs = types[0];
  if (has_outputs_method(type)) outputs = return_type(declared_method(type, "outputs"));
  if (types.size() != 3 || !is_struct(outputs) || !is_struct(types[2])) {
    throw Refusal(
        fmt::format("{}: clock takes one struct of inputs and returns one struct of "
                    "outputs: Outputs clock(const Inputs& in); or it returns nothing, beside "
                    "Outputs outputs() const",
                    source_position(*subprogram)));
  }
  signature.outputs = strip_type(outputs);
  signature.state = llvm::cast<llvm::DIDerivedType>(types[1])->getBaseType();
  signature.inputs = strip_type(types[2]);
  return signature;
}

const llvm::DICompositeType* class_of(const llvm::DISubprogram* subprogram) {
  return subprogram ? llvm::dyn_cast_or_null<llvm::DICompositeType>(subprogram->getScope())
                    : nullptr;
}

bool is_method(const llvm::DISubprogram* subprogram, const char* type_name, const char* method) {
  const llvm::DICompositeType* type = class_of(subprogram);
  return type && subprogram->getName() == method && is_type_layer_class(type, type_name);
}

std::string method_of(const llvm::DICompositeType* type, const char* method) {
  const llvm::DISubprogram* subprogram = declared_method(type, method);
  return subprogram ? subprogram->getLinkageName().str() : "";
}

bool has_outputs_method(const llvm::DICompositeType* type) {
  const llvm::DISubprogram* clock = declared_method(type, "clock");
  return clock && !return_type(clock) && declared_method(type, "outputs");
}

std::vector<std::int64_t> template_integers(const llvm::DICompositeType* type) {
  std::vector<std::int64_t> integers;
  for (const llvm::DITemplateParameter* parameter : type->getTemplateParams()) {
    const auto* value = dyn_cast<llvm::DITemplateValueParameter>(parameter);
    if (!value) continue;
    const auto* constant = llvm::dyn_cast_or_null<llvm::ConstantAsMetadata>(value->getValue());
    if (!constant) continue;
    if (const auto* integer = dyn_cast<llvm::ConstantInt>(constant->getValue())) {
      integers.push_back(integer->getSExtValue());
    }
  }
  return integers;
}

std::string template_function(const llvm::DICompositeType* type) {
  const llvm::Function* function = function_argument(*type);
  return function ? function->getName().str() : "";
}

const llvm::DISubprogram& pipelined_function(const llvm::DICompositeType& type) {
  return *function_argument(type)->getSubprogram();
}

const llvm::GlobalVariable* template_table(const llvm::DICompositeType* type) {
  for (const llvm::DITemplateParameter* parameter : type->getTemplateParams()) {
    const auto* value = dyn_cast<llvm::DITemplateValueParameter>(parameter);
    const auto* constant =
        value ? llvm::dyn_cast_or_null<llvm::ConstantAsMetadata>(value->getValue()) : nullptr;
    if (!constant) continue;
    const auto* table = dyn_cast<llvm::GlobalVariable>(constant->getValue()->stripPointerCasts());
    if (table && table->isConstant() && table->hasInitializer()) return table;
  }
  return nullptr;
}

}  // namespace systole::compiler

#include "hls/compiler/frontend/thread_ports.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/Casting.h>

#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/frontend/stream_types.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast_or_null;

std::string position_of(const llvm::DISubprogram& thread) { return source_position(thread); }

/// The referenced type; null if the parameter is not a reference.
const llvm::DIType* referenced(const llvm::DIType* type, bool& is_const) {
  bool is_reference = false;
  while (const auto* derived = dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    const auto tag = derived->getTag();
    if (tag == llvm::dwarf::DW_TAG_pointer_type) return nullptr;
    is_reference = is_reference || tag == llvm::dwarf::DW_TAG_reference_type;
    is_const = is_const || tag == llvm::dwarf::DW_TAG_const_type;
    type = derived->getBaseType();
  }
  return is_reference ? type : nullptr;
}

std::string joined(const std::string& name, std::string member) {
  if (member == "lane") member = "";  // a Vec's elements are the port itself
  if (member.starts_with("lane_")) member.erase(0, 5);
  return member.empty() ? name : without_underscore(name) + "_" + member;
}

class Reader {
 public:
  explicit Reader(const llvm::DISubprogram& thread) : thread_(thread) {}

  ThreadPorts run() {
    const auto types = thread_.getType()->getTypeArray();
    for (unsigned i = 1; i < types.size(); ++i) read(types[i], parameter_name(thread_, i - 1));
    return std::move(ports_);
  }

 private:
  void read(const llvm::DIType* type, const std::string& name) {
    bool is_const = false;
    const llvm::DIType* base = referenced(type, is_const);
    if (!base) {
      throw Refusal(fmt::format(
          "{}: '{}' is not a reference; a thread's parameters are StreamIn<T>&, StreamOut<T>&, an "
          "input wire const T&, an output register T& or an end of thread_ends.h",
          position_of(thread_), name));
    }
    ports_.parameters.push_back({.name = name, .leaves = layout_of(base), .targets = {}});
    add(*base, is_const, name, 0);
  }

  /// The ports of a parameter, or of a member `offset` bytes from its start.
  void add(const llvm::DIType& type, bool is_const, const std::string& name, std::int64_t offset) {
    stream_of_ = stream_element(type);
    if (is_library_template(&type, "StreamIn")) {
      add_stream_in(type, name, offset);
    } else if (is_library_template(&type, "StreamOut")) {
      add_stream_out(type, name, offset);
    } else if (is_library_template(&type, "Strobe")) {
      target() = {};
      add_waited(name, offset, -1, add_handshake_output(name));
    } else if (is_library_template(&type, "Driven")) {
      for (Leaf& leaf : layout_of(&type)) {
        llvm::StringRef part = leaf.name;  // "value", "value_low"
        part.consume_front("value");
        part.consume_front("_");
        target().input = add_input(leaf, joined(name, part.str()));
      }
    } else if (is_library_template(&type, "RamEnd") || is_library_template(&type, "PipelineEnd")) {
      for (const llvm::DIDerivedType* member : members_of(type)) {
        add(*strip_type(member->getBaseType()), false, joined(name, member->getName().str()),
            offset + static_cast<std::int64_t>(member->getOffsetInBits() / 8));
      }
    } else if (is_library_template(&type, "Bundle")) {
      add_bundle(type, name, 0);
    } else {
      for (const Leaf& leaf : layout_of(&type)) {
        if (leaf.kind != LeafKind::kInteger) {
          throw Refusal(fmt::format(
              "{}: '{}' holds a submodule; a thread's ports are integers and streams of them",
              position_of(thread_), name));
        }
        target() = is_const ? ThreadLeaf{.input = add_input(leaf, joined(name, leaf.name))}
                            : ThreadLeaf{.reg = add_register(leaf, joined(name, leaf.name))};
      }
    }
  }

  void add_stream_in(const llvm::DIType& type, const std::string& name, std::int64_t offset) {
    int valid = -1;
    for (const Leaf& leaf : layout_of(&type)) {
      ThreadLeaf& place = target();
      if (leaf.name.rfind("beat_", 0) != 0) continue;
      place.input = add_input(of_stream(leaf, name), joined(name, leaf.name.substr(5)));
      if (leaf.name == "beat_valid") valid = place.input;
    }
    add_waited(name, offset, valid, add_handshake_output(joined(name, "ready")));
  }

  void add_stream_out(const llvm::DIType& type, const std::string& name, std::int64_t offset) {
    const int valid = add_handshake_output(joined(name, "valid"));
    ports_.outputs.back() = of_stream(ports_.outputs.back(), name);
    int ready = -1;
    for (const Leaf& leaf : layout_of(&type)) {
      ThreadLeaf& place = target();
      if (leaf.name == "can_take") {
        place.input = ready = add_input(leaf, joined(name, "ready"));
      } else if (leaf.name.rfind("data", 0) == 0) {
        place.reg = add_register(of_stream(leaf, name), joined(name, leaf.name));
      }
    }
    add_waited(name, offset, ready, valid);
  }

  /// The values side by side, numbered if there are several: "argument_0", "argument_1".
  void add_bundle(const llvm::DIType& type, const std::string& name, int index) {
    const auto members = members_of(type);
    if (members.empty()) return;
    const bool is_only = index == 0 && members_of(*strip_type(members[1]->getBaseType())).empty();
    add(*strip_type(members[0]->getBaseType()), false,
        is_only ? name : fmt::format("{}_{}", name, index), 0);
    add_bundle(*strip_type(members[1]->getBaseType()), name, index + 1);
  }

  static std::vector<const llvm::DIDerivedType*> members_of(const llvm::DIType& type) {
    std::vector<const llvm::DIDerivedType*> members;
    for (const llvm::DINode* element : llvm::cast<llvm::DICompositeType>(type).getElements()) {
      const auto* member = llvm::dyn_cast<llvm::DIDerivedType>(element);
      if (member && !member->isStaticMember() && member->getTag() == llvm::dwarf::DW_TAG_member) {
        members.push_back(member);
      }
    }
    return members;
  }

  /// Of the current parameter's next leaf.
  ThreadLeaf& target() { return ports_.parameters.back().targets.emplace_back(); }
  void add_waited(const std::string& name, std::int64_t offset, int input, int output) {
    ports_.streams.push_back({.name = name,
                              .parameter = static_cast<int>(ports_.parameters.size()) - 1,
                              .offset_bytes = offset,
                              .input = input,
                              .output = output});
  }

  Leaf of_stream(Leaf leaf, const std::string& stream) const {
    leaf.stream = stream;
    leaf.stream_of = stream_of_;
    return leaf;
  }
  static Leaf named(Leaf leaf, const std::string& name) {
    leaf.name = name;
    return leaf;
  }
  int add_input(const Leaf& leaf, const std::string& name) {
    ports_.inputs.push_back(named(leaf, name));
    return static_cast<int>(ports_.inputs.size()) - 1;
  }
  int add_register(const Leaf& leaf, const std::string& name) {
    ports_.registers.push_back(named(leaf, name));
    ports_.outputs.push_back(named(leaf, name));
    ports_.register_of_output.push_back(static_cast<int>(ports_.registers.size()) - 1);
    return static_cast<int>(ports_.registers.size()) - 1;
  }
  int add_handshake_output(const std::string& name) {
    Leaf leaf;
    leaf.name = name;
    leaf.width = 1;
    leaf.size_bytes = 1;
    ports_.outputs.push_back(leaf);
    ports_.register_of_output.push_back(-1);
    return static_cast<int>(ports_.outputs.size()) - 1;
  }

  const llvm::DISubprogram& thread_;
  ThreadPorts ports_;
  std::string stream_of_;  ///< the current stream's element type
};

}  // namespace

ThreadPorts thread_ports(const llvm::DISubprogram& thread) { return Reader(thread).run(); }

}  // namespace systole::compiler

#include "hls/compiler/frontend/thread_ports.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/Casting.h>

#include <cctype>

#include "hls/compiler/frontend/signature.h"
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

bool is_stream(const llvm::DIType* type, llvm::StringRef name) {
  return is_type_layer(type->getFilename()) &&
         type->getName().take_until([](char c) { return c == '<'; }) == name;
}

/// "StreamOut<systole::hls::UInt<8> >" -> "UInt<8>".
std::string element_of(const llvm::DIType& stream) {
  const std::string name = stream.getName().drop_until([](char c) { return c == '<'; }).str();
  std::string shown;
  std::size_t word = 0;  // start of the current word in `shown`
  for (std::size_t i = 1; i + 1 < name.size(); ++i) {
    const char c = name[i];
    if (c == ':') {
      shown.erase(word);
    } else if (c != ' ' || (i + 2 < name.size() && name[i + 1] != '>')) {
      shown += c;
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') word = shown.size();
    }
  }
  return shown;
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
          "input wire const T& or an output register T&",
          position_of(thread_), name));
    }
    ThreadPort port;
    port.name = name;
    element_ = element_of(*base);
    port.leaves = layout_of(base);
    if (is_stream(base, "StreamIn")) {
      read_stream_in(port);
    } else if (is_stream(base, "StreamOut")) {
      read_stream_out(port);
    } else {
      port.kind = is_const ? ThreadPortKind::kWire : ThreadPortKind::kRegister;
      for (const Leaf& leaf : port.leaves) {
        if (leaf.kind != LeafKind::kInteger) {
          throw Refusal(fmt::format(
              "{}: '{}' holds a submodule; a thread's ports are integers and streams of them",
              position_of(thread_), name));
        }
        port.targets.push_back(
            is_const ? ThreadLeaf{.input = add_input(leaf, joined(name, leaf.name))}
                     : ThreadLeaf{.reg = add_register(leaf, joined(name, leaf.name))});
      }
    }
    ports_.parameters.push_back(std::move(port));
  }

  void read_stream_in(ThreadPort& port) {
    port.kind = ThreadPortKind::kStreamIn;
    for (const Leaf& leaf : port.leaves) {
      ThreadLeaf target;
      if (leaf.name.rfind("beat_", 0) == 0) {
        target.input = add_input(of_stream(leaf, port), joined(port.name, leaf.name.substr(5)));
        if (leaf.name == "beat_valid") port.handshake_input = target.input;
      }
      port.targets.push_back(target);
    }
    port.handshake_output = add_handshake_output(joined(port.name, "ready"));
  }

  void read_stream_out(ThreadPort& port) {
    port.kind = ThreadPortKind::kStreamOut;
    port.handshake_output = add_handshake_output(joined(port.name, "valid"));
    ports_.outputs.back() = of_stream(ports_.outputs.back(), port);
    for (const Leaf& leaf : port.leaves) {
      ThreadLeaf target;
      if (leaf.name == "can_take") {
        target.input = port.handshake_input = add_input(leaf, joined(port.name, "ready"));
      } else if (leaf.name.rfind("data", 0) == 0) {
        target.reg = add_register(of_stream(leaf, port), joined(port.name, leaf.name));
      }
      port.targets.push_back(target);
    }
  }

  Leaf of_stream(Leaf leaf, const ThreadPort& port) const {
    leaf.stream = port.name;
    leaf.stream_of = element_;
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
  std::string element_;  ///< the stream's element type
};

}  // namespace

ThreadPorts thread_ports(const llvm::DISubprogram& thread) { return Reader(thread).run(); }

}  // namespace systole::compiler

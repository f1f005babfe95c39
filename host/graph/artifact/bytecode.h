#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace systole::graph::artifact {

struct Attribute;

/// A type as the bytecode states it.
struct StatedType {
  std::string name;  ///< "f32", "ui64", "tensor", "function", "token", "tuple", "complex", or text
  std::vector<std::int64_t> shape = {};  ///< of a tensor; < 0: not known
  std::vector<const StatedType*> parts =
      {};                     ///< a tensor's element; a function's arguments, results
  std::size_t arguments = 0;  ///< of a function
};

/// An attribute as the bytecode states it; texts are views into it.
struct Attribute {
  enum class Kind : std::uint8_t {
    kUnit,
    kInteger,
    kFloat,
    kString,
    kSymbol,
    kType,
    kArray,
    kDictionary,
    kTensor,
    kEnum,
    kPlace,  ///< a line of a file
    kText    ///< as MLIR's text writes it
  };
  Kind kind = Kind::kUnit;
  std::int64_t number = 0;     ///< an integer, the bits of a float, an enumerator, a line
  std::string_view text = {};  ///< a string, an enumerator's kind, a tensor's bytes, a file
  const StatedType* type = nullptr;
  /// Of an array, a dictionary, or a location made of others; names are empty but in a dictionary.
  std::vector<std::pair<std::string_view, const Attribute*>> entries = {};
};

struct Block;
using Region = std::vector<Block>;

struct StatedOperation {
  std::string_view dialect, name;  ///< "vhlo", "add_v1"
  const Attribute* location = nullptr;
  std::vector<const Attribute*> properties = {};  ///< in the order of their names, without them
  std::vector<int> operands = {}, results = {};   ///< numbers of values
  std::vector<const StatedType*> types = {};      ///< of results
  std::vector<Region> regions = {};
};

struct Block {
  std::vector<int> arguments = {};
  std::vector<const StatedType*> types = {};
  std::vector<StatedOperation> operations = {};
};

/// The mark that bytecode begins with.
inline constexpr std::string_view kMark = "ML\xefR";

/// A portable artifact of StableHLO, in MLIR's bytecode: operations of the dialects builtin, vhlo
/// and sdy as a tree. Each value has a number of its own.
///
/// Limits   keeps views into `bytes`; MLIR's bytecode up to version 6
/// Errors   GraphError, whatever the bytes
/// Source   mlir.llvm.org/docs/BytecodeFormat; VhloBytecode.cpp of openxla/stablehlo
class Module {
 public:
  explicit Module(std::string_view bytes);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const Block& top() const { return top_; }
  int value_count() const { return value_count_; }

 private:
  struct Attributes;
  std::unique_ptr<Attributes> attributes_;
  Block top_;
  int value_count_ = 0;
};

/// The names of an operation's properties, in the order in which bytecode has them.
std::vector<std::string_view> property_names(std::string_view operation);

}  // namespace systole::graph::artifact

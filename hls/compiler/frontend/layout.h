#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class DICompositeType;
class DISubprogram;
class DIType;
class Function;
class GlobalVariable;
class StringRef;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// One dimension of an array of registers or ports.
struct Dimension {
  std::int64_t count = 1;
  std::int64_t stride_bytes = 0;
};

enum class LeafKind { kInteger, kPipeline, kInstance };

/// A named part of a struct: a register or port (with dimensions, an array of them), a pipeline or
/// a submodule. In an array of submodules with threads each element is a leaf; any other array of
/// submodules becomes arrays of their registers.
struct Leaf {
  LeafKind kind = LeafKind::kInteger;
  std::string name;  ///< path in the source, "pe_operand_activation"
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
  unsigned width = 0;      ///< bits, integers only
  bool is_signed = false;  ///< an Int
  std::vector<Dimension> dimensions;
  const llvm::DICompositeType* type = nullptr;  ///< pipelines, submodules and enums
  std::string stream = "";                      ///< the Beat that it is part of, "sum_in", or ""
  std::string stream_of = "";                   ///< what that is a stream of, "UInt<8>"
  std::string position;                         ///< "file.h:12:5" of the member
  std::string outer = "";           ///< the outermost member that it is part of, "ring"; "" if none
  std::string outer_position = "";  ///< "file.h:9:5" of that

  std::int64_t elements() const;
  /// Bits of an element in C++'s memory: more than `width` for an enum.
  unsigned memory_width() const;
  bool is_enum() const { return kind == LeafKind::kInteger && type != nullptr; }
};

/// An enum in hardware: as many bits as its enumerators need.
struct EnumShape {
  unsigned width = 0;
  bool is_signed = false;  ///< some enumerator is negative
};
EnumShape enum_shape(const llvm::DICompositeType* type);

/// The leaves of a C++ struct in memory order, read from debug information.
///
/// Errors   Refusal for a member without hardware (float, pointer, plain int, bit-field),
///          with its line and what to write instead
std::vector<Leaf> layout_of(const llvm::DIType* type);

/// The user's variable, or member of one, that holds this value: "row", "block_base"; "" if none.
std::string variable_path(llvm::Value& value);

/// The types in the signature of `Outputs clock(const Inputs&)`, or of `void clock(const Inputs&)`
/// and `Outputs outputs() const`.
struct ClockSignature {
  const llvm::DIType* state = nullptr;
  const llvm::DIType* inputs = nullptr;
  const llvm::DIType* outputs = nullptr;
};
ClockSignature clock_signature(const llvm::Function& clock);

/// typedefs, const, references and pointers removed.
const llvm::DIType* strip_type(const llvm::DIType* type);

/// "clock" of struct "Pipeline<...>" -> true for ("Pipeline", "clock"); templates by their bare
/// name.
bool is_method(const llvm::DISubprogram* subprogram, const char* type_name, const char* method);

/// The struct or class that the function is a member of, or null.
const llvm::DICompositeType* class_of(const llvm::DISubprogram* subprogram);

/// The mangled name of a method of the type, or "".
std::string method_of(const llvm::DICompositeType* type, const char* method);

/// Whether the type has `Outputs outputs() const` and `void clock(...)`.
bool has_outputs_method(const llvm::DICompositeType* type);

/// The integer arguments of the template "Ram<..., 512>", in order.
std::vector<std::int64_t> template_integers(const llvm::DICompositeType* type);

/// The constant table in "Rom<&table>", or null.
const llvm::GlobalVariable* template_table(const llvm::DICompositeType* type);

/// The mangled name of the function in "Pipeline<&f, 5>", or "".
std::string template_function(const llvm::DICompositeType* type);

}  // namespace systole::compiler

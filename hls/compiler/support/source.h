#pragma once

#include <optional>
#include <string>

namespace llvm {
class DILocalVariable;
class DebugLoc;
class DILocation;
class DIScope;
class DISubprogram;
class DbgVariableRecord;
class StringRef;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// A file as debug information holds it, as a path from here: absolute where clang has split it at
/// a folder that is not the current one.
std::string path_of(llvm::StringRef directory, llvm::StringRef filename);

/// A line of source without what ends it; nothing where the file or the line is missing.
std::optional<std::string> source_line(const std::string& path, unsigned number);

/// Whether a source file is the type layer (systole/hls/*.h), whose names are not the user's.
bool is_type_layer(llvm::StringRef filename);

/// Whether a source file is the type layer or comes with the C++ compiler: not the user's.
bool is_library(llvm::StringRef filename);

/// The innermost position outside the type layer, or null.
const llvm::DILocation* user_location(const llvm::DebugLoc& location);

/// "mac.h:25", for a comment beside generated code; "" where there is none.
std::string short_position(const llvm::DebugLoc& location);

/// The record that says which of the user's variables holds this value; null where none does.
const llvm::DbgVariableRecord* variable_record(llvm::Value& value);

/// The user's variable that holds this value, from debug information; "" where there is none.
std::string variable_name(llvm::Value& value);

/// What the value is called that a function returns: "opcode_of" returns an opcode, "decode_fence"
/// a fence; "" for an operator and for what shows a module's ports.
std::string result_name(llvm::StringRef function);

/// Whether the function of the library says of a number what a reader would: its exponent, whether
/// it is a NaN.
bool is_accessor(const llvm::DISubprogram& function);

/// Whether the variable stands for what its function returns (name_results.h).
bool is_result(const llvm::DILocalVariable& variable);

/// A member's name without the underscore that marks it: "operand_" -> "operand".
std::string without_underscore(std::string name);

/// A C++ type or function name as an identifier: "SystolicArray<16, 10>" -> "systolic_array".
std::string snake_case(llvm::StringRef name);

}  // namespace systole::compiler

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class DILocalVariable;
class DebugLoc;
class DILocation;
class DIScope;
class DISubprogram;
class DICompositeType;
class DbgVariableRecord;
class Function;
class StringRef;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// The path of a debug record's file from here; absolute if clang split it at a folder other than
/// the current one.
std::string path_of(llvm::StringRef directory, llvm::StringRef filename);

/// A path as the user may write it: below an include folder, not below this machine's root.
std::string shown_file(const std::string& path, const std::vector<std::string>& folders);

/// A source line without its end-of-line; nothing if the file or line is missing.
std::optional<std::string> source_line(const std::string& path, unsigned number);

/// What debug information and clang call the unit that hlsc writes around the user's file.
inline constexpr const char* kEntryFile = "--top";

/// Whether a source file is the type layer (systole/hls/*.h), whose names are not the user's.
bool is_type_layer(llvm::StringRef filename);

/// Whether a source file is the type layer or comes with the C++ compiler: not the user's.
bool is_library(llvm::StringRef filename);

/// The function in "Pipeline<&f, 5>" or "Kernel<&f>"; null if it has none.
const llvm::Function* function_argument(const llvm::DICompositeType& type);

/// The user's function that a library's is about: f of Pipeline<&f, 5>::evaluate and of
/// Kernel<&f>::run; any other itself.
const llvm::DISubprogram& users_function(const llvm::DISubprogram& function);

/// The innermost position outside the type layer, or null.
const llvm::DILocation* user_location(const llvm::DebugLoc& location);

/// "mac.h:25", for a comment beside generated code; "" if unknown.
std::string short_position(const llvm::DebugLoc& location);

/// The debug records of the user's variables that hold this value, or have it as a part.
std::vector<const llvm::DbgVariableRecord*> variable_records(llvm::Value& value);

/// The debug record of the user's variable that holds this value; null if none does.
const llvm::DbgVariableRecord* variable_record(llvm::Value& value);

/// Whether the value is one variable's: bits of a word may be fields of several.
bool is_one_variable(llvm::Value& value);

/// The user's variable that holds this value, from debug information; "" if none does.
std::string variable_name(llvm::Value& value);

/// The name of a function's result: "opcode_of" returns an opcode, "decode_fence" a fence; "" for
/// an operator and for a module's outputs().
std::string result_name(llvm::StringRef function);

/// Whether the library function's name describes a number well: its exponent, whether it is a NaN.
bool is_accessor(const llvm::DISubprogram& function);

/// Whether the variable stands for its function's result (name_results.h).
bool is_result(const llvm::DILocalVariable& variable);

/// A member's name without the underscore that marks it: "operand_" -> "operand".
std::string without_underscore(std::string name);

/// A C++ type or function name as an identifier: "SystolicArray<16, 10>" -> "systolic_array".
std::string snake_case(llvm::StringRef name);

}  // namespace systole::compiler

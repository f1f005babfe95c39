#include "hls/compiler/support/source.h"

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Function.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

namespace systole::compiler {

std::string path_of(llvm::StringRef directory, llvm::StringRef filename) {
  const std::filesystem::path path = filename.str();
  if (path.is_absolute() || directory.str() == std::filesystem::current_path().string()) {
    return path.string();
  }
  return (std::filesystem::path(directory.str()) / path).lexically_normal().string();
}

std::string shown_file(const std::string& path, const std::vector<std::string>& folders) {
  const auto absolute = [](const std::string& one) {
    return std::filesystem::absolute(one).lexically_normal().string();
  };
  const std::string whole = absolute(path);
  for (const std::string& folder : folders) {
    std::string prefix = absolute(folder.empty() ? "." : folder);
    if (!prefix.ends_with('/')) prefix += '/';
    if (whole.starts_with(prefix)) return whole.substr(prefix.size());
  }
  return path;
}

std::optional<std::string> source_line(const std::string& path, unsigned number) {
  // A module of a thousand values asks for a thousand lines.
  static std::map<std::string, std::vector<std::string>> files;
  const auto [file, is_new] = files.try_emplace(path);
  if (is_new) {
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      file->second.push_back(line);
    }
  }
  if (number > file->second.size()) return std::nullopt;
  return number == 0 ? "" : file->second[number - 1];
}

bool is_type_layer(llvm::StringRef filename) {
  // A stalling pipeline is a module like the user's own: its names and lines are worth showing. The
  // operators of Fp32 are the types' own.
  return (filename.contains("systole/hls/") && !filename.ends_with("/stream_pipeline.h")) ||
         filename.ends_with("kernels/fp32_operators.h") || filename == kEntryFile;
}

bool is_library(llvm::StringRef filename) {
  return is_type_layer(filename) || filename.contains("/include/c++/") ||
         filename.contains("/lib/clang/") || filename.contains("/lib/gcc/") ||
         filename.starts_with("/usr/include/");
}

const llvm::Function* function_argument(const llvm::DICompositeType& type) {
  for (const llvm::DITemplateParameter* parameter : type.getTemplateParams()) {
    const auto* value = llvm::dyn_cast<llvm::DITemplateValueParameter>(parameter);
    const auto* constant =
        value ? llvm::dyn_cast_or_null<llvm::ConstantAsMetadata>(value->getValue()) : nullptr;
    if (!constant) continue;
    const auto* function =
        llvm::dyn_cast<llvm::Function>(constant->getValue()->stripPointerCasts());
    if (function) return function;
  }
  return nullptr;
}

const llvm::DISubprogram& users_function(const llvm::DISubprogram& function) {
  if (!is_library(function.getFilename())) return function;
  const auto* type = llvm::dyn_cast_or_null<llvm::DICompositeType>(function.getScope());
  const llvm::Function* given = type ? function_argument(*type) : nullptr;
  return given && given->getSubprogram() ? *given->getSubprogram() : function;
}

const llvm::DILocation* user_location(const llvm::DebugLoc& location) {
  for (const llvm::DILocation* at = location.get(); at; at = at->getInlinedAt()) {
    if (!is_type_layer(at->getFilename()) && at->getLine() != 0) return at;
  }
  return nullptr;
}

std::string short_position(const llvm::DebugLoc& location) {
  const llvm::DILocation* at = user_location(location);
  if (!at) return "";
  return fmt::format("{}:{}", llvm::sys::path::filename(at->getFilename()).str(), at->getLine());
}

/// Whether the expression merely selects a part of the variable, or says that the variable is wider
/// than the value.
static bool is_whole_value(const llvm::DIExpression& expression) {
  std::uint64_t width = 0;
  for (const auto& step : expression.expr_ops()) {
    switch (step.getOp()) {
      case llvm::dwarf::DW_OP_LLVM_fragment:
      case llvm::dwarf::DW_OP_stack_value:
        break;
      case llvm::dwarf::DW_OP_LLVM_convert:
        if (step.getArg(0) < width) return false;
        width = step.getArg(0);
        break;
      default:
        return false;
    }
  }
  return true;
}

std::vector<const llvm::DbgVariableRecord*> variable_records(llvm::Value& value) {
  llvm::SmallVector<llvm::DbgVariableIntrinsic*> intrinsics;
  llvm::SmallVector<llvm::DbgVariableRecord*> records;
  llvm::findDbgUsers(intrinsics, &value, &records);
  std::vector<const llvm::DbgVariableRecord*> users;
  for (const llvm::DbgVariableRecord* record : records) {
    const llvm::DILocalVariable* variable = record->getVariable();
    if (variable->isArtificial()) continue;
    if (is_type_layer(variable->getFilename()) && !is_result(*variable)) continue;
    // The value is the variable itself, not one of its operands.
    if (is_whole_value(*record->getExpression())) users.push_back(record);
  }
  return users;
}

/// The outermost of the user's variables that hold the value, all at one depth of calls.
static std::vector<const llvm::DbgVariableRecord*> outermost_records(llvm::Value& value) {
  std::vector<const llvm::DbgVariableRecord*> best;
  unsigned best_depth = ~0u;
  for (const llvm::DbgVariableRecord* record : variable_records(value)) {
    unsigned depth = 0;
    for (const llvm::DILocation* at = record->getDebugLoc().get(); at; at = at->getInlinedAt()) {
      ++depth;
    }
    if (depth < best_depth) best.clear();
    if (depth <= best_depth) best.push_back(record);
    best_depth = std::min(depth, best_depth);
  }
  return best;
}

const llvm::DbgVariableRecord* variable_record(llvm::Value& value) {
  const auto records = outermost_records(value);
  return records.empty() ? nullptr : records.front();
}

bool is_one_variable(llvm::Value& value) {
  const auto records = outermost_records(value);
  return !records.empty() &&
         std::all_of(records.begin(), records.end(), [&](const llvm::DbgVariableRecord* one) {
           return one->getVariable() == records.front()->getVariable();
         });
}

std::string variable_name(llvm::Value& value) {
  const llvm::DbgVariableRecord* record = variable_record(value);
  return record ? record->getVariable()->getName().str() : "";
}

std::string result_name(llvm::StringRef function) {
  function = function.take_until([](char c) { return c == '<'; });
  if (function.empty() || std::any_of(function.begin(), function.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_';
      })) {
    return "";
  }
  if (function.starts_with("operator") || function == "outputs") return "";
  function.consume_back("_of");
  function.consume_front("decode_");
  return function.str();
}

bool is_accessor(const llvm::DISubprogram& function) {
  return function.getFilename().ends_with("systole/hls/float.h") &&
         (function.getName().starts_with("is_") || function.getName() == "exponent" ||
          function.getName() == "fraction" || function.getName() == "sign");
}

bool is_result(const llvm::DILocalVariable& variable) {
  const llvm::DISubprogram* function = variable.getScope()->getSubprogram();
  return variable.getLine() == function->getLine() && variable.getArg() == 0 &&
         variable.getName() == result_name(function->getName());
}

std::string without_underscore(std::string name) {
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

std::string snake_case(llvm::StringRef name) {
  name = name.take_until([](char c) { return c == '<'; });
  std::string result;
  for (const char c : name) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (upper && !result.empty() && result.back() != '_') result += '_';
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

}  // namespace systole::compiler

#include "hls/compiler/lower/pass_trace.h"

#include <fmt/format.h>
#include <llvm/IR/AssemblyAnnotationWriter.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/Support/FormattedStream.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <sstream>

#include "hls/compiler/frontend/layout.h"
#include "hls/compiler/lower/pass.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

PassTrace& current_trace() {
  static PassTrace trace;
  return trace;
}

std::string names_of_passes() {
  std::string names;
  for (const Pass& pass : passes()) names += (names.empty() ? "" : ", ") + pass.name;
  return names;
}

void check_name(const std::string& name) {
  const bool known = std::any_of(passes().begin(), passes().end(),
                                 [&](const Pass& pass) { return pass.name == name; });
  if (!known) {
    throw Refusal(fmt::format("there is no pass '{}'; the passes are {}", name, names_of_passes()));
  }
}

class Positions : public llvm::AssemblyAnnotationWriter {
 public:
  void printInfoComment(const llvm::Value& value, llvm::formatted_raw_ostream& stream) override {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    if (!instruction) return;
    const llvm::DILocation* at = user_location(instruction->getDebugLoc());
    if (!at) return;
    stream.PadToColumn(kColumn);
    stream << "; " << llvm::sys::path::filename(at->getFilename()) << ":" << at->getLine() << ":"
           << at->getColumn();
  }

 private:
  static constexpr unsigned kColumn = 64;
};

}  // namespace

void trace_passes(const PassTrace& trace) {
  PassTrace checked = trace;
  if (checked.print_after.erase("all") != 0) {
    for (const Pass& pass : passes()) checked.print_after.insert(pass.name);
  }
  for (const std::string& name : checked.print_after) check_name(name);
  if (!checked.stop_after.empty()) check_name(checked.stop_after);
  current_trace() = checked;
}

std::string title_of(const llvm::Function& function) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  if (!subprogram) return function.getName().str();
  const llvm::DICompositeType* type = class_of(subprogram);
  return (type ? type->getName().str() + "::" : "") + subprogram->getName().str();
}

bool traces_passes() {
  return !current_trace().print_after.empty() || !current_trace().stop_after.empty();
}

void show_after(const std::string& name, const llvm::Function& function) {
  const PassTrace& trace = current_trace();
  const bool stops = trace.stop_after == name;
  if (!stops && trace.print_after.count(name) == 0) return;
  const std::string text =
      fmt::format("; {} after {}\n{}", title_of(function), name, readable_ir(function));
  if (stops) throw Stopped(text);
  llvm::errs() << text << "\n";
}

std::string readable_ir(const llvm::Function& function) {
  std::string whole;
  llvm::raw_string_ostream stream(whole);
  Positions positions;
  function.print(stream, &positions);
  std::istringstream lines(stream.str());
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const llvm::StringRef text = llvm::StringRef(line).ltrim();
    if (text.starts_with("#dbg_") || text.starts_with("; Function Attrs")) continue;
    // Drops references to metadata, which is not printed; the comment has the position.
    for (const char* reference : {", !dbg !", " !dbg !"}) {
      const std::size_t at = line.find(reference);
      if (at == std::string::npos) continue;
      std::size_t end = at + std::string(reference).size();
      while (end < line.size() && line[end] >= '0' && line[end] <= '9') ++end;
      line.erase(at, end - at);
    }
    if (!line.empty() || !kept.empty()) kept += line + "\n";
  }
  return kept;
}

}  // namespace systole::compiler

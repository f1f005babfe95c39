#include "hls/compiler/frontend/compile.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <filesystem>
#include <fstream>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

/// A folder of its own for one run's files, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    llvm::SmallString<128> path;
    if (llvm::sys::fs::createUniqueDirectory("hlsc", path)) {
      throw std::runtime_error("cannot create a temporary folder; check TMPDIR");
    }
    path_ = std::string(path);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// A unit that includes the kernel and takes the address of the top's edges, so that clang emits
/// them whether or not the kernel file uses them.
std::string entry_unit(const Source& source) {
  return fmt::format(
      "{2}#include \"{0}\"\n"
      "#line 1 \"--top\"\n"
      "namespace systole::kernels {{}}\n"
      "namespace hlsc_entry {{\n"
      "using namespace systole;\n"
      "using namespace systole::kernels;\n"
      "{1}\n"
      "template <typename T> constexpr auto reset_of() {{\n"
      "  if constexpr (requires(T& top) {{ top.reset(); }}) return &T::reset;\n"
      "  else return nullptr;\n"
      "}}\n"
      "constexpr auto outputs_of(...) {{ return nullptr; }}\n"
      "template <typename T, typename Inputs> constexpr auto outputs_of(void (T::*)(Inputs)) {{\n"
      "  if constexpr (requires {{ &T::outputs; }}) return &T::outputs;\n"
      "  else return nullptr;\n"
      "}}\n"
      "}}\n"
      "[[gnu::used]] auto hlsc_clock = &hlsc_entry::Top::clock;\n"
      "[[gnu::used]] auto hlsc_reset = hlsc_entry::reset_of<hlsc_entry::Top>();\n"
      "[[gnu::used]] auto hlsc_outputs = hlsc_entry::outputs_of(&hlsc_entry::Top::clock);\n",
      source.file,
      source.top_is_function
          ? fmt::format("using Top = systole::hls::Pipeline<&{}, 1>;", source.top)
          : fmt::format("using Top = {};", source.top),
      source.top_is_function ? "#include \"systole/hls/pipeline.h\"\n" : "");
}

std::string read_file(const std::string& path) {
  const auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// clang's messages without the frames of the entry unit's own file.
std::string first_errors(const std::string& messages) {
  std::string kept;
  std::size_t at = 0;
  int count = 0;
  while (at < messages.size() && count < 3) {
    const std::size_t end = std::min(messages.find('\n', at), messages.size());
    std::string line = messages.substr(at, end - at);
    if (const std::size_t word = line.find("error: "); word != std::string::npos) {
      line.erase(word, std::string("error: ").size());
      // The flag that makes it one is hlsc's own.
      if (const std::size_t flag = line.find(" [-W"); flag != std::string::npos) line.erase(flag);
      kept += (kept.empty() ? "" : "\n") + line;
      ++count;
    }
    at = end + 1;
  }
  return kept.empty() ? messages : kept;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// The function that a global holding a (member) function pointer points to.
std::string pointed_function(const llvm::Module& module, const char* global_name) {
  const llvm::GlobalVariable* global = module.getNamedGlobal(global_name);
  if (!global || !global->hasInitializer()) return "";
  const llvm::Constant* value = global->getInitializer();
  if (const auto* pair = llvm::dyn_cast<llvm::ConstantStruct>(value)) value = pair->getOperand(0);
  if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(value)) {
    value = expression->getOperand(0);
  }
  const auto* function = llvm::dyn_cast<llvm::Function>(value);
  return function ? function->getName().str() : "";
}

}  // namespace

Program compile(const Source& source, llvm::LLVMContext& context) {
  if (!std::filesystem::exists(source.file)) {
    throw Refusal(fmt::format("{}: no such file; name the kernel's .h or .cpp", source.file));
  }
  const ScratchFolder scratch;
  const std::string unit = scratch.file("entry.cpp");
  Source absolute = source;
  absolute.file = std::filesystem::absolute(source.file).lexically_normal().string();
  std::ofstream(unit) << entry_unit(absolute);
  const std::string bitcode = scratch.file("entry.bc");
  const std::string messages = scratch.file("messages.txt");

  std::vector<std::string> words = {source.clang,
                                    "-std=c++20",
                                    "-O2",
                                    "-Xclang",
                                    "-disable-llvm-passes",
                                    "-Xclang",
                                    "-disable-lifetime-markers",
                                    "-g",
                                    "-fno-exceptions",
                                    "-fno-rtti",
                                    "-fno-discard-value-names",
                                    "-fno-builtin",
                                    "-fno-strict-aliasing",
                                    "-Wno-bit-int-extension",
                                    "-Werror=uninitialized",
                                    "-Werror=sometimes-uninitialized",
                                    "-Werror=conditional-uninitialized",
                                    "-fno-caret-diagnostics",
                                    "-fno-color-diagnostics",
                                    "-DSYSTOLE_HLSC=1",
                                    "-emit-llvm",
                                    "-c",
                                    unit,
                                    "-o",
                                    bitcode};
  for (const std::string& folder : source.include_folders) words.push_back("-I" + folder);
  std::vector<llvm::StringRef> arguments(words.begin(), words.end());
  const llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(source.clang);
  if (!program) {
    throw Refusal(
        fmt::format("{} is not installed; run scripts/setup or pass --clang", source.clang));
  }
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), std::nullopt,
                                                      llvm::StringRef(messages)};
  const int status =
      llvm::sys::ExecuteAndWait(*program, arguments, /*Env=*/std::nullopt, redirects);
  if (status != 0) {
    const std::string errors =
        replaced(first_errors(read_file(messages)), absolute.file, source.file);
    if (errors.rfind("--top:", 0) != 0) throw Refusal(errors);
    throw Refusal(
        fmt::format("{}: no {} '{}' there ({}); a top is a clocked module's type, or with "
                    "--stages or --clock-mhz a function",
                    source.file, source.top_is_function ? "function" : "type", source.top,
                    errors.substr(0, errors.find('\n'))));
  }

  llvm::SMDiagnostic diagnostic;
  Program result;
  result.module = llvm::parseIRFile(bitcode, diagnostic, context);
  if (!result.module) throw std::runtime_error(diagnostic.getMessage().str());
  result.clock_function = pointed_function(*result.module, "hlsc_clock");
  result.reset_function = pointed_function(*result.module, "hlsc_reset");
  if (result.clock_function.empty()) {
    throw Refusal(
        fmt::format("{}: {} has no clock(inputs) -> outputs; a top is a clocked module "
                    "(a struct with clock) or a Pipeline<&function, stages>",
                    source.file, source.top));
  }
  return result;
}

}  // namespace systole::compiler

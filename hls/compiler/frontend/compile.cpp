#include "hls/compiler/frontend/compile.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <filesystem>
#include <fstream>

#include "hls/compiler/frontend/clang_messages.h"
#include "hls/compiler/frontend/layout.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"
#include "hls/compiler/support/tools.h"

namespace systole::compiler {
namespace {

/// Of a unit: what finds the other members of a top that is a class, and takes their addresses.
constexpr const char* kMemberFunctions =
    "template <typename T> constexpr auto edge_of() {\n"
    "  if constexpr (requires { &T::clock; }) return &T::clock;\n"
    "  else return &T::run;\n"
    "}\n"
    "template <typename T> constexpr auto reset_of() {\n"
    "  if constexpr (requires(T& top) { top.reset(); }) return &T::reset;\n"
    "  else return nullptr;\n"
    "}\n"
    "template <typename T> void construct() {\n"
    "  if constexpr (requires { T(); }) { [[maybe_unused]] T top; }\n"
    "}\n"
    "template <typename T> constexpr auto constructor_of() {\n"
    "  if constexpr (requires { &T::clock; }) return &construct<T>;\n"
    "  else return nullptr;\n"
    "}\n"
    "constexpr auto outputs_of(...) { return nullptr; }\n"
    "template <typename T, typename Inputs> constexpr auto outputs_of(void (T::*)(Inputs)) {\n"
    "  if constexpr (requires { &T::outputs; }) return &T::outputs;\n"
    "  else return nullptr;\n"
    "}\n";

/// The edge and the other members of a unit's top.
std::string members(const char* edge) {
  return fmt::format(
      "[[gnu::used, gnu::nodebug]] auto hlsc_clock = {0};\n"
      "[[gnu::used, gnu::nodebug]] auto hlsc_reset = hlsc_entry::reset_of<hlsc_entry::Top>();\n"
      "[[gnu::used, gnu::nodebug]] auto hlsc_construct = "
      "hlsc_entry::constructor_of<hlsc_entry::Top>();\n"
      "[[gnu::used, gnu::nodebug]] auto hlsc_outputs = hlsc_entry::outputs_of({0});\n",
      edge);
}

/// A unit for a top whose kind only clang can tell: the types around a function come after the
/// kernel file, which is read as it is.
std::string named_unit(const Source& source) {
  return fmt::format(
      "#line 1 \"{2}\"\n"
      "#if __clang_major__ != 19\n"
      "#error this is not clang 19\n"
      "#endif\n"
      "#include \"{0}\"\n"
      "#include \"systole/hls/kernel.h\"\n"
      "#include \"systole/hls/thread.h\"\n"
      "namespace systole::kernels {{}}\n"
      "namespace hlsc_entry {{\n"
      "using namespace systole;\n"
      "using namespace systole::kernels;\n"
      "template <typename T> struct Type {{ using Top = T; }};\n"
      "template <auto kFunction, typename Signature = decltype(kFunction)> struct Function {{\n"
      "  using Top = systole::hls::Kernel<kFunction>;\n"
      "}};\n"
      "template <auto kFunction, typename... Parameters>\n"
      "struct Function<kFunction, systole::hls::Thread (*)(Parameters...)> {{\n"
      "  using Top = systole::hls::Process<kFunction>;\n"
      "}};\n"
      "template <typename T> Type<T> hlsc_named();\n"
      "template <auto kFunction> Function<kFunction> hlsc_named();\n"
      "using Top = decltype(hlsc_named<{1}>())::Top;\n"
      "{3}"
      "}}\n"
      "{4}",
      source.file, source.top, kEntryFile, kMemberFunctions,
      members("hlsc_entry::edge_of<hlsc_entry::Top>()"));
}

/// The same for a function over arrays.
std::string kernel_unit(const Source& source) {
  return fmt::format(
      "#line 1 \"{2}\"\n"
      "#if __clang_major__ != 19\n"
      "#error this is not clang 19\n"
      "#endif\n"
      "#include \"systole/hls/kernel.h\"\n"
      "#include \"{0}\"\n"
      "namespace systole::kernels {{}}\n"
      "namespace hlsc_entry {{\n"
      "using namespace systole;\n"
      "using namespace systole::kernels;\n"
      "using Top = systole::hls::Kernel<&{1}>;\n"
      "}}\n"
      "[[gnu::used, gnu::nodebug]] auto hlsc_clock = &hlsc_entry::Top::run;\n",
      source.file, source.top, kEntryFile);
}

/// A unit that includes the kernel and takes the address of the top's edges, so that clang emits
/// them whether or not the kernel file uses them.
std::string entry_unit(const Source& source) {
  if (source.top_is_kernel) return kernel_unit(source);
  return fmt::format(
      "#line 1 \"{3}\"\n"
      "#if __clang_major__ != 19\n"
      "#error this is not clang 19\n"
      "#endif\n"
      "{2}#include \"{0}\"\n"
      "namespace systole::kernels {{}}\n"
      "namespace hlsc_entry {{\n"
      "using namespace systole;\n"
      "using namespace systole::kernels;\n"
      "{1}\n"
      "{4}"
      "}}\n"
      "{5}",
      source.file,
      source.top_is_function
          ? fmt::format("using Top = systole::hls::Pipeline<&{}, 1>;", source.top)
      : source.top_is_thread ? fmt::format("using Top = systole::hls::Process<&{}>;", source.top)
                             : fmt::format("using Top = {};", source.top),
      source.top_is_function ? "#include \"systole/hls/pipeline.h\"\n"
      : source.top_is_thread ? "#include \"systole/hls/thread.h\"\n"
                             : "",
      kEntryFile, kMemberFunctions, members("&hlsc_entry::Top::clock"));
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

/// The language options of every run of clang.
std::vector<std::string> language_options(const Source& source) {
  std::vector<std::string> words = {"-std=c++20", "-DSYSTOLE_HLSC=1", "-Wno-bit-int-extension",
                                    "-fno-exceptions", "-fno-rtti"};
  for (const std::string& folder : source.include_folders) words.push_back("-I" + folder);
  return words;
}

struct ClangRun {
  int status = 0;
  std::string output;
  std::string errors;
};

ClangRun run_clang(const std::string& program, const std::vector<std::string>& options,
                   const ScratchFolder& scratch) {
  const std::string output = scratch.file("output.txt");
  const std::string errors = scratch.file("errors.txt");
  // LLVM opens both without emptying them.
  for (const std::string& file : {output, errors}) std::filesystem::remove(file);
  std::vector<llvm::StringRef> words = {program};
  words.insert(words.end(), options.begin(), options.end());
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(output),
                                                      llvm::StringRef(errors)};
  ClangRun run;
  run.status = llvm::sys::ExecuteAndWait(program, words, /*Env=*/std::nullopt, redirects);
  run.output = read_text(output);
  run.errors = read_text(errors);
  return run;
}

std::string find_clang(const Source& source) {
  const llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(source.clang);
  if (program) return *program;
  throw Refusal(
      fmt::format("{} is not installed; run scripts/setup or pass --clang", source.clang));
}

/// Refuses another compiler or another version of clang, whose IR would be misread.
void refuse_other_compiler(const std::string& program, const Source& source,
                           const ScratchFolder& scratch) {
  const ClangRun run = run_clang(program, {"--version"}, scratch);
  if (run.status == 0 && run.output.find("clang version 19.") != std::string::npos) return;
  throw Refusal(fmt::format("{} is not clang 19 ('{}'); run scripts/setup or pass --clang",
                            source.clang, run.output.substr(0, run.output.find('\n'))));
}

void check_file(const Source& source) {
  if (!std::filesystem::exists(source.file)) {
    throw Refusal(fmt::format("{}: no such file; name the kernel's .h or .cpp", source.file));
  }
  if (!std::filesystem::is_regular_file(source.file)) {
    throw Refusal(fmt::format("{}: this is no file; name the kernel's .h or .cpp", source.file));
  }
  if (!std::ifstream(source.file)) {
    throw Refusal(fmt::format("{}: cannot be read; check its permissions", source.file));
  }
}

/// Whether the errors are about the top alone, and not the user's file.
bool are_about_top(const std::string& errors) { return errors.starts_with(kEntryFile); }

[[noreturn]] void refuse_source(const Source& source, const std::string& absolute_file,
                                const ClangRun& run) {
  const std::string errors = replaced(clang_errors(run.errors), absolute_file, source.file);
  if (errors.empty()) {
    const std::string first = run.errors.substr(0, run.errors.find('\n'));
    throw std::runtime_error(
        fmt::format("{} ended with {} ('{}')", source.clang, run.status, first));
  }
  if (!are_about_top(errors)) throw Refusal(errors);
  const std::string line = errors.substr(0, errors.find('\n'));
  std::string first = line.substr(line.find(": ") + 2);
  first = replaced(first, fmt::format("'hlsc_entry::Top' (aka '{}')", source.top),
                   fmt::format("'{}'", source.top));
  if (first.find("<overloaded function type>") != std::string::npos) {
    throw Refusal(
        fmt::format("{}: several functions are called '{}', and --top has to name one; give it a "
                    "function of its own that calls the one that is meant",
                    source.file, source.top));
  }
  if (first.find("file not found") != std::string::npos) {
    throw Refusal(fmt::format("{}: {}", source.file, first));
  }
  const auto says = [&](const char* words) { return first.find(words) != std::string::npos; };
  const bool unknown = says("unknown type name") || says("no type named") ||
                       says("use of undeclared") || says("in namespace");
  throw NoSuchTop(fmt::format(
      "{}: there is no {} '{}'{}; a top is a clocked module's type, a thread, a function over "
      "arrays, or with --stages or --clock-mhz a function of values",
      source.file, source.top_is_function ? "function" : "type or function", source.top,
      unknown ? "" : fmt::format(" ({})", first)));
}

/// Compiles a unit to bitcode.
ClangRun compile_unit(const std::string& text, const std::string& bitcode,
                      const std::string& program, const Source& source,
                      const ScratchFolder& scratch) {
  const std::string unit = scratch.file("entry.cpp");
  std::ofstream(unit) << text;
  std::vector<std::string> options = {
      "-O2", "-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-lifetime-markers", "-g",
      // describes also a class that is only referred to
      "-fstandalone-debug", "-fno-discard-value-names", "-fno-builtin", "-fno-strict-aliasing",
      "-fno-delete-null-pointer-checks", "-fno-threadsafe-statics", "-fwrapv",
      // adds a test, naming the array, before each array access
      "-fsanitize=array-bounds", "-fsanitize-trap=array-bounds", "-fstrict-flex-arrays=3",
      "-Werror=return-type", "-Werror=uninitialized", "-Werror=sometimes-uninitialized",
      "-fno-caret-diagnostics", "-fno-color-diagnostics", "-emit-llvm", "-c", unit, "-o", bitcode};
  const std::vector<std::string> language = language_options(source);
  options.insert(options.begin(), language.begin(), language.end());
  return run_clang(program, options, scratch);
}

/// The program in a file of bitcode.
Program read_program(const std::string& bitcode, llvm::LLVMContext& context,
                     const std::string& clang, const Source& source, const ScratchFolder& scratch) {
  llvm::SMDiagnostic diagnostic;
  Program result;
  // Nothing at all would be an empty module.
  if (!bitcode.empty()) {
    result.module = llvm::parseIR(llvm::MemoryBufferRef(bitcode, kEntryFile), diagnostic, context);
  }
  if (!result.module) {
    refuse_other_compiler(clang, source, scratch);
    throw std::runtime_error(diagnostic.getMessage().str());
  }
  result.clock_function = pointed_function(*result.module, "hlsc_clock");
  result.reset_function = pointed_function(*result.module, "hlsc_reset");
  return result;
}

bool is_kernel(const Program& program) {
  const llvm::Function* edge = program.module->getFunction(program.clock_function);
  return edge && is_method(edge->getSubprogram(), "Kernel", "run");
}

}  // namespace

Program compile(const Source& source, llvm::LLVMContext& context) {
  check_file(source);
  const std::string program = find_clang(source);
  const ScratchFolder scratch;
  Source absolute = source;
  absolute.file = std::filesystem::absolute(source.file).lexically_normal().string();
  const std::string bitcode = scratch.file("entry.bc");
  if (source.top_is_kernel && !source.kernel_bitcode->empty()) {
    return read_program(*source.kernel_bitcode, context, program, source, scratch);
  }
  if (!source.top_is_function && !source.top_is_thread && !source.top_is_kernel &&
      compile_unit(named_unit(absolute), bitcode, program, source, scratch).status == 0) {
    const std::string read = read_text(bitcode);
    Program named = read_program(read, context, program, source, scratch);
    if (is_kernel(named)) {
      *source.kernel_bitcode = read;
      throw NoSuchTop(fmt::format("{}: '{}' is a function over arrays", source.file, source.top));
    }
    if (!named.clock_function.empty()) return named;
  }

  // Where the name alone does not do, clang's messages are about the one kind that it was told.
  const ClangRun run = compile_unit(entry_unit(absolute), bitcode, program, source, scratch);
  if (run.status != 0) {
    refuse_other_compiler(program, source, scratch);
    if (!source.top_is_function && !source.top_is_thread && !source.top_is_kernel &&
        are_about_top(clang_errors(run.errors))) {
      // A name that is not a type may be a thread.
      Source thread = source;
      thread.top_is_thread = true;
      try {
        return compile(thread, context);
      } catch (const NoSuchTop&) {
      }
    }
    refuse_source(source, absolute.file, run);
  }

  Program result = read_program(read_text(bitcode), context, program, source, scratch);
  if (result.clock_function.empty()) {
    throw Refusal(
        fmt::format("{}: {} has no clock(inputs) -> outputs; a top is a clocked module "
                    "(a struct with clock) or a Pipeline<&function, stages>",
                    source.file, source.top));
  }
  return result;
}

std::string reproducer(const Source& source) {
  check_file(source);
  const std::string program = find_clang(source);
  const ScratchFolder scratch;
  std::vector<std::string> options = language_options(source);
  options.insert(options.end(), {"-E", "-x", "c++", source.file});
  const ClangRun run = run_clang(program, options, scratch);
  if (run.status != 0) {
    refuse_other_compiler(program, source, scratch);
    refuse_source(source, source.file, run);
  }
  return run.output;
}

}  // namespace systole::compiler

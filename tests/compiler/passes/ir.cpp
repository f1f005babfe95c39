#include "tests/compiler/passes/ir.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/SourceMgr.h>

#include <sstream>
#include <stdexcept>

#include "hls/compiler/lower/pass_trace.h"

namespace systole::tests {
namespace {

constexpr const char* kOperations = R"(
declare i8 @hls.read_port.i8_32_64(i32, i64) nounwind speculatable willreturn memory(none)
declare i1 @hls.read_port.i1_32_64(i32, i64) nounwind speculatable willreturn memory(none)
declare void @hls.write_port._32_64_8(i32, i64, i8) nounwind willreturn memory(inaccessiblemem: readwrite)
declare i8 @hls.read_register.i8_32_64(i32, i64) nounwind speculatable willreturn memory(none)
declare void @hls.write_register._32_64_8(i32, i64, i8) nounwind willreturn memory(inaccessiblemem: readwrite)
declare i8 @hls.load.i8_32_64(i32, i64) nounwind speculatable willreturn memory(inaccessiblemem: read)
declare void @hls.store._32_64_8(i32, i64, i8) nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @hls.store._32_64_1(i32, i64, i1) nounwind willreturn memory(inaccessiblemem: readwrite)
declare i8 @hls.pipeline_output.i8_32_64(i32, i64) nounwind speculatable willreturn memory(inaccessiblemem: read)
declare void @hls.pipeline_clock._32_64_8(i32, i64, i8) nounwind willreturn memory(inaccessiblemem: readwrite)
)";

}  // namespace

Ir::Ir(const std::string& text) {
  llvm::SMDiagnostic error;
  module_ = llvm::parseAssemblyString(kOperations + text, error, context_);
  if (!module_) {
    throw std::invalid_argument(error.getMessage().str() + ": " + error.getLineContents().str());
  }
}

llvm::Function& Ir::function(const std::string& name) { return *module_->getFunction(name); }

std::string Ir::body(const std::string& name) {
  std::istringstream lines(compiler::readable_ir(function(name)));
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (line.empty() || line == "}" || line.rfind("define ", 0) == 0) continue;
    if (const std::size_t comment = line.find(';'); comment != std::string::npos) {
      line.erase(comment);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    result += line + "\n";
  }
  return result;
}

}  // namespace systole::tests

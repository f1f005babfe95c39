#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Whether this is another struct's clock(), outputs() or reset(), which stays a call until it is
/// known whether the struct is a submodule.
bool is_edge(const llvm::Function& function);

/// Pipeline's clock().
bool is_pipeline_clock(const llvm::Function& function);

/// Whether calls of the function are lowered as calls: edges, and Pipeline's members.
bool stays_call(const llvm::Function& function);

}  // namespace systole::compiler

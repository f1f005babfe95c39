#pragma once

#include "hls/compiler/analyses/address.h"

namespace llvm {
class IRBuilderBase;
class LoadInst;
}  // namespace llvm

namespace systole::compiler {

/// An element of a constant table at a variable index, as a look-up in the same clock.
///
/// before  %x = load i8, ptr (getelementptr [4 x i8], ptr @table, i64 0, i64 %i)
/// after   %x = pick.table(%i, 3, 1, 4, 1)
///
/// Errors   Refusal for a global that is no constant table
llvm::Value* read_table(llvm::LoadInst& load, const Address& where);

/// The same at an address of a known table.
llvm::Value* table_element(llvm::IRBuilderBase& builder, const Address& where, unsigned width);

}  // namespace systole::compiler

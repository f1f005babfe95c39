#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Gives counters of loops over registers the 32 bits of SystemVerilog's `int`, which is what they
/// become, and with them the indices that they count: std::size_t and long have 64.
///
/// before  %i = phi i64 [3, ...], [%j, ...]         after  %i = phi i32 [3, ...], [%j, ...]
///         %k = sub i64 %i, 1                               %w = sext i32 %i to i64
///         %x = call i8 @hls.load(2, %k)                    %k = sub i64 %w, 1
///         %j = add i64 %i, -1                              %n = trunc i64 %k to i32
///                                                          %x = call i8 @hls.load(2, zext %n)
///                                                          %j = add nsw i32 %i, -1
void cut_counters(llvm::Function& function);

}  // namespace systole::compiler

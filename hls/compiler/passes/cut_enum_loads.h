#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

struct ThreadPorts;

/// Gives an enum that a thread reads from a port the bits that its enumerators need, so that what
/// is kept of it over a wait has no more.
///
/// before  %e = load i8, ptr %mode     after  %b = load i8, ptr %mode; %c = trunc %b to i3
///                                            %e = zext i3 %c to i8
void cut_enum_loads(llvm::Function& thread, const ThreadPorts& ports);

}  // namespace systole::compiler

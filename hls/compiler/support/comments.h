#pragma once

#include <string>
#include <vector>

namespace systole::compiler {

/// What the user's file says about a declaration at "file.h:12:5". A file that cannot be read, as
/// of a preprocessed kernel, says nothing.
///
/// A member's comment, as one line: the `///<` after it with the lines that continue it, or else
/// the `///` lines above it.
std::string member_comment(const std::string& position);
/// The lines of the `///` comment above a class or function, without their marks.
std::vector<std::string> declaration_comment(const std::string& position);

/// A comment of SystemVerilog, each line with its mark and at most `columns` wide.
std::vector<std::string> comment_lines(const std::string& text, std::size_t columns);

}  // namespace systole::compiler

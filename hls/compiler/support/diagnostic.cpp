#include "hls/compiler/support/diagnostic.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include <cctype>
#include <optional>
#include <sstream>

#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The column of the word in the line, from 1; 0 if absent.
std::size_t column_of(const std::string& line, const std::string& word) {
  for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(line[at - 1])) && (end == line.size() || !is_word(line[end]))) {
      return at + 1;
    }
  }
  return 0;
}

std::string named_position(const llvm::DIFile* file, unsigned number, const std::string& name) {
  if (!file) return "";
  const std::string path = path_of(file->getDirectory(), file->getFilename());
  const std::optional<std::string> line = source_line(path, number);
  const std::size_t column = line && !name.empty() ? column_of(*line, name) : 0;
  return column == 0 ? fmt::format("{}:{}", path, number)
                     : fmt::format("{}:{}:{}", path, number, column);
}

struct Position {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;  ///< 0 if the message names none
};

/// "file.h:12:5: text" or "file.h:12: text".
std::optional<Position> position_in(const std::string& message) {
  const auto number = [&](std::size_t& at) {
    unsigned value = 0;
    const std::size_t start = at;
    while (at < message.size() && at < start + 9 &&
           std::isdigit(static_cast<unsigned char>(message[at])) != 0) {
      value = 10 * value + static_cast<unsigned>(message[at++] - '0');
    }
    return at < message.size() && message[at] == ':' ? value : 0;
  };
  for (std::size_t colon = message.find(':'); colon != std::string::npos;
       colon = message.find(':', colon + 1)) {
    std::size_t at = colon + 1;
    const unsigned line = number(at);
    if (line == 0) continue;
    ++at;
    return Position{message.substr(0, colon), line, number(at)};
  }
  return std::nullopt;
}

}  // namespace

std::string source_position(const llvm::Instruction& instruction) {
  const llvm::DILocation* location = user_location(instruction.getDebugLoc());
  // The user's line that calls the library is the cause.
  while (location && is_library(location->getFilename())) {
    location = user_location(location->getInlinedAt());
  }
  if (location) {
    return fmt::format("{}:{}:{}", path_of(location->getDirectory(), location->getFilename()),
                       location->getLine(), location->getColumn());
  }
  const llvm::Function* function = instruction.getFunction();
  const llvm::DISubprogram* subprogram = function ? function->getSubprogram() : nullptr;
  return subprogram ? source_position(*subprogram) : "";
}

std::string source_position(const llvm::DISubprogram& function) {
  const llvm::DISubprogram& named = users_function(function);
  return named_position(named.getFile(), named.getLine(), named.getName().str());
}

std::string source_position(const llvm::DIDerivedType& member) {
  return named_position(member.getFile(), member.getLine(), member.getName().str());
}

std::string source_position(const llvm::DICompositeType& type) {
  const std::string name = type.getName().take_until([](char c) { return c == '<'; }).str();
  return named_position(type.getFile(), type.getLine(), name);
}

void refuse(const llvm::Instruction& instruction, const std::string& message) {
  const std::string position = source_position(instruction);
  throw Refusal(position.empty() ? message : position + ": " + message);
}

std::string at_users_place(const std::string& message, const std::string& file) {
  std::istringstream stream(message);
  std::string result;
  for (std::string text; std::getline(stream, text);) {
    result += result.empty() ? "" : "\n";
    const std::optional<Position> position = position_in(text);
    if (position && is_library(position->file)) {
      const std::size_t end = text.find(": ");
      result += file + (end == std::string::npos ? "" : text.substr(end));
    } else {
      result += text;
    }
  }
  return result;
}

std::string with_source_lines(const std::string& message) {
  std::istringstream stream(message);
  std::string result;
  for (std::string text; std::getline(stream, text);) {
    result += (result.empty() ? "" : "\n") + text;
    const std::optional<Position> position = position_in(text);
    const std::optional<std::string> line =
        position ? source_line(position->file, position->line) : std::nullopt;
    if (!line) continue;
    result += "\n  " + *line;
    if (position->column == 0 || position->column > line->size() + 1) continue;
    result += "\n  ";
    // Tabs stay tabs, so that the caret is below its column whatever the tab width.
    for (std::size_t i = 0; i + 1 < position->column; ++i)
      result += (*line)[i] == '\t' ? '\t' : ' ';
    result += '^';
  }
  return result;
}

}  // namespace systole::compiler

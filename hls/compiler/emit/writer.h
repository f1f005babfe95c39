#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace systole::compiler {

/// Lines of one begin/end block: its declarations come first, then its statements.
class Writer {
 public:
  explicit Writer(int indent = 0) : indent_(indent) {}

  /// A statement; one longer than 100 columns is broken after a comma or an operator.
  void line(const std::string& text);
  void blank();
  void declare(const std::string& text);
  /// A nested block: `head begin`, its content one step in, `end`.
  void block(const std::string& head, const Writer& content, const std::string& label = "");
  /// `else`, and what `content` says: `else if` where that is one `if` and no more.
  void else_block(const Writer& content);
  /// Another writer's content at this place.
  void append(const Writer& content);

  bool empty() const { return declarations_.empty() && lines_.empty(); }
  std::string text() const;
  Writer nested() const { return Writer(indent_ + 1); }

 private:
  bool is_one_if() const;
  static std::string unbroken(const std::string& text);
  static std::string broken(const std::string& text, int indent);
  int indent_ = 0;
  std::vector<std::string> declarations_;
  std::vector<std::string> lines_;
};

/// "logic", "logic [15:0]".
std::string logic_type(unsigned width);

/// " [128]" for 96 elements: a power of two, so that simulation needs no index checks. Unused
/// elements cost no hardware.
std::string array_dimension(std::int64_t elements);

}  // namespace systole::compiler

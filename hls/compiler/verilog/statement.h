#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hls/compiler/verilog/expression.h"

namespace systole::compiler::sv {

struct Statement;

/// How the label of a loop starts that simulators take apart.
inline constexpr const char* kEach = "each_";

/// The content of a module, a process or a block: its declarations come first.
class Statements {
 public:
  Statements();
  ~Statements();
  Statements(const Statements&);
  Statements(Statements&&) noexcept;
  Statements& operator=(const Statements&);
  Statements& operator=(Statements&&) noexcept;

  /// A line of any other text: a comment, a directive.
  void line(const std::string& text);
  void blank();
  void declare(Statement statement);
  void add(Statement statement);
  /// `assign target = value;`
  void connect(Expression target, Expression value);
  /// `wire [7:0] name = value;`
  void define(const std::string& name, unsigned width, Expression value,
              const std::string& comment = "");
  /// `target sign value;`, with `=` or `<=`
  void assign(Expression target, const char* sign, Expression value,
              const std::string& comment = "");
  /// `if (condition) begin : label`; nothing without a condition but a block.
  void branch(Expression condition, Statements then, Statements otherwise = {},
              const std::string& label = "");
  /// `head begin : label`, its content one step in, `end`.
  void block(const std::string& head, Statements content, const std::string& label = "");
  /// Two lines with others between them, one step in.
  void list(const std::string& head, Statements content, const std::string& tail);
  /// What others say, at this place.
  void append(const Statements& content);

  bool empty() const;
  const std::vector<Statement>& declarations() const { return declarations_; }
  const std::vector<Statement>& statements() const { return statements_; }
  std::vector<Statement>& statements() { return statements_; }

 private:
  std::vector<Statement> declarations_;
  std::vector<Statement> statements_;
};

/// A statement or declaration.
struct Statement {
  enum class Kind {
    kLine,         ///< text
    kDeclaration,  ///< logic of `width` bits, `elements` times where that is not 0; in a row, those
                   ///< with one label stand together
    kConnection,   ///< assign target = value
    kNet,          ///< wire of `width` bits, which is value
    kAssignment,   ///< target text value
    kIf,           ///< value is the condition; one arm, or two
    kCase,         ///< value is the selector
    kBlock,        ///< text before `begin`, one arm
    kList,         ///< text before, label after it, one arm
    kInstance,     ///< text is the module with its parameters, label the name
  };
  struct Arm {
    std::vector<Expression> labels;  ///< of a case; none for its default
    Statements body;
  };
  struct Port {
    std::string name;
    Expression value;
    unsigned width = 1;
    std::string group = "";  ///< ports of one group share lines; so do inputs, and outputs, of none
  };

  Kind kind = Kind::kLine;
  std::string text;
  std::string label = "";
  std::string comment = "";  ///< after the statement
  Expression target = {};
  Expression value = {};
  unsigned width = 0;
  unsigned elements = 0;
  std::vector<Arm> arms = {};
  std::vector<Port> ports = {};

  bool is_loop() const { return kind == Kind::kBlock && text.starts_with("for"); }
  /// Whether it is a loop that simulators keep, as vector code.
  bool is_lanes() const {
    return is_loop() && text.starts_with("for (int") && !label.starts_with(kEach);
  }
};

/// A signal: "logic [15:0] name;". `type` is an enum's name, or "".
Statement declaration(const std::string& name, unsigned width, unsigned elements = 0,
                      const std::string& comment = "");

/// "logic", "logic [15:0]"; "wire" for a net.
std::string logic_type(unsigned width, const char* kind = "logic");

/// Whether an expression that is read in one of the statements contains this kind.
bool contains(const Statements& statements, Expression::Kind kind);

/// Lines of at most 100 columns where blanks allow it, `indent` steps in.
std::string to_text(const Statements& statements, int indent);

}  // namespace systole::compiler::sv

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class APInt;
}

namespace systole::compiler::sv {

/// An expression of SystemVerilog: a tree that can be compared, searched and printed.
struct Expression {
  enum class Kind {
    kNone,
    kName,
    kNumber,         ///< "8'd3"; without a width, "3"
    kUnary,          ///< text is the operator
    kBinary,         ///< text is the operator
    kChoice,         ///< condition, first, second
    kConcatenation,  ///< the highest part first
    kReplication,    ///< width times
    kElement,        ///< base, index
    kSlice,          ///< of base: bits [high:low]; with an index those of an element
    kPart,           ///< of base: width bits from an index
    kField,          ///< text is the member of base, which is a struct: its bits [high:low]
    kCast,           ///< to width bits
    kCall,           ///< text is the function
  };

  Expression() = default;
  Expression(std::string name) : kind(Kind::kName), text(std::move(name)) {}  // NOLINT: a name
  Expression(const char* name) : Expression(std::string(name)) {}             // NOLINT: a name

  bool empty() const { return kind == Kind::kNone; }
  bool is(Kind one) const { return kind == one; }
  bool operator==(const Expression&) const = default;

  Kind kind = Kind::kNone;
  std::string text;    ///< a name, a number's digits with their base, an operator, a function
  unsigned width = 0;  ///< of a number, a part or a cast; how often a replication repeats
  unsigned high = 0;   ///< of a slice or a field
  unsigned low = 0;
  unsigned whole = 0;  ///< bits of a slice's or field's base
  unsigned unit = 0;   ///< bits of one of the base's elements; 0 where it has none of its own
  std::vector<Expression> operands;
};

/// Operators leave out what says nothing: `!!`, and a constant beside `&&` or `||`.
Expression unary(const char* sign, Expression operand);
Expression binary(Expression left, const char* sign, Expression right);
Expression choice(Expression condition, Expression first, Expression second);
Expression replication(unsigned copies, Expression operand);
Expression element(Expression base, Expression index);
/// Bits [high:low] of a base of `whole` bits: the base where they are all.
/// Elements of `unit` bits print as "base[2*8 +: 8]".
Expression slice(Expression base, unsigned high, unsigned low, unsigned whole, unsigned unit = 0);
/// `width` bits from bit `low` on of an element, of `unit` bits, at an index that is no constant.
Expression slice_of(Expression base, Expression index, unsigned unit, unsigned low, unsigned width);
Expression part(Expression base, Expression index, unsigned width);
/// An element of a vector of elements of `width` bits: one of `count`, or by an index.
Expression element_of(Expression vector, unsigned i, unsigned width, unsigned count);
Expression element_of(Expression vector, Expression index, unsigned width);
/// "base.member", which is bits [high:low] of a struct of `whole` bits.
Expression field(Expression base, const std::string& member, unsigned high, unsigned low,
                 unsigned whole);
Expression cast(unsigned width, Expression operand);
Expression call(const char* function, Expression operand);
Expression call(const char* function, std::vector<Expression> operands);

/// "3", an index or a count.
Expression plain_number(std::int64_t value);
/// "28'hfffffff", "8'd3", "1'b0".
Expression literal_of(const llvm::APInt& value);
/// "27'sd1433", "-27'sd53".
Expression signed_literal(const llvm::APInt& value);
Expression zeros(unsigned width);
/// The value of an unsigned number that has a width.
llvm::APInt value_of(const Expression& number);

/// "{a, b, c}": concatenations inside are spelled out, neighbours of one signal and zeros are one
/// part, and one part alone is itself.
Expression concatenation(const std::vector<Expression>& parts);

/// The same, and one number where all parts are numbers.
Expression constant_concatenation(const std::vector<Expression>& parts);

/// Two neighbours as one expression of both, `high` above `low`: zeros, parts of one signal,
/// choices on one condition between such; none for any other.
Expression joined(const Expression& high, const Expression& low);

/// Whether a part of the expression is of this kind.
bool contains(const Expression& expression, Expression::Kind kind);

/// The signal of which the expression is an element, a slice or a field; "" for any other.
std::string root_of(const Expression& expression);

/// Whether it is a member of an enum, which alone is named with a capital letter.
bool is_enumerator(const Expression& expression);

/// In parentheses where an operator is another's operand, but not along a chain of one operator.
std::string to_text(const Expression& expression);

/// Whether the operand is in parentheses below its operator.
bool is_enclosed(const Expression& parent, std::size_t operand);

}  // namespace systole::compiler::sv

#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "host/graph/operation.h"

namespace systole::graph {

/// Reads tokens of MLIR text, skips spaces and comments, and tracks the position.
///
/// Errors   GraphError, "line:column: expected ..."
class Scanner {
 public:
  explicit Scanner(std::string_view text);

  bool at_end() const { return place_ == text_.size(); }
  std::size_t place() const { return place_; }

  /// Whether this word or punctuation comes next; accept consumes it, expect requires it. A word
  /// does not match the beginning of a longer one.
  bool sees(std::string_view what) const;
  bool accept(std::string_view what);
  void expect(std::string_view what);
  template <typename... More>
  void expect(std::string_view what, const More&... more) {
    expect(what);
    expect(more...);
  }

  /// Calls work() for each item of a comma-separated list of one or more.
  template <typename Work>
  void items(const Work& work) {
    do {
      work();
    } while (accept(","));
  }
  /// The same of a list that may be empty, up to and including `end`.
  template <typename Work>
  void list(std::string_view end, const Work& work) {
    if (accept(end)) return;
    items(work);
    expect(end);
  }

  std::string_view name();      ///< [A-Za-z_][A-Za-z0-9_.$-]*
  std::string_view value_id();  ///< %name or %number, with #number if present
  std::string_view symbol();    ///< the name after @, which may be quoted: a function's is Python's
  std::string_view string();    ///< between quotes; escapes are not resolved
  std::int64_t integer();
  Integers integers(std::string_view end = "]");  ///< a list of them, up to and including `end`
  std::string_view number();  ///< digits, sign, point, exponent; or 0x...; or true, false
  /// tensor<2x3xf32>; errors begin with the operation, if one is named.
  Type type(std::string_view operation = {});
  /// One, or several in parentheses.
  std::vector<Type> types(std::string_view operation = {});
  /// As type(), with elements that Type lacks, such as i64.
  Shape shape(std::string_view& element);
  std::string_view until(char end);  ///< everything before `end`
  /// Consumes a value of any form, up to a comma or closing bracket outside it, and returns it.
  std::string_view any_value();
  /// Consumes an opening bracket and everything up to its partner, and returns it.
  std::string_view group();
  /// Continues at an earlier place.
  void move_to(std::size_t place) { place_ = place; }

  std::string line_and_column(std::size_t place) const;  ///< "20:10", from 1
  [[noreturn]] void fail(const std::string& what) const { fail_at(place_, what); }
  [[noreturn]] void fail_at(std::size_t place, const std::string& what) const;

 private:
  void skip();
  std::size_t find_end(bool of_group) const;
  std::string_view take(std::size_t length);

  std::string_view text_;
  std::vector<std::size_t> lines_ = {0};  ///< where they begin
  std::size_t place_ = 0;
};

}  // namespace systole::graph

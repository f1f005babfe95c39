#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hls/compiler/verilog/nets.h"

namespace systole::compiler::sv {

/// The counter of loops.
inline constexpr const char* kCounter = "i";
/// "for (genvar i = 0; i < 4; i++)"
std::string loop_head(const char* type, std::int64_t start, std::size_t turns);

/// Finds the form of which statements are the turns of a loop, the first of them at `start`. A net
/// that is read once, or whose value is short, may stand as its value; a constant that one bit
/// switches on may be missing where it is 0.
class CommonForm {
 public:
  template <class Node>
  using Alike = std::vector<const Node*>;

  CommonForm(const std::map<std::string, Net>& nets, const std::map<std::string, unsigned>& widths,
             std::int64_t start)
      : nets_(nets), widths_(widths), start_(start) {}

  std::optional<Statement> of(const Alike<Statement>& all);
  /// Without `may_expand` names stay.
  std::optional<Expression> of(const Alike<Expression>& all, bool may_expand);

  bool varies = false;  ///< whether something follows from the index

 private:
  /// A constant where a bit is 1, and 0 elsewhere; for 0 the bit is not known.
  struct Switched;

  std::optional<Statements> of_bodies(std::vector<Statements>& bodies);
  std::optional<Expression> formula(const std::vector<std::int64_t>& values);
  std::optional<Expression> number_of(unsigned width, const std::vector<std::int64_t>& values);
  std::optional<Expression> of_numbers(const Alike<Expression>& all);
  std::optional<Expression> of_slices(const Alike<Expression>& all);
  std::optional<Expression> of_operands(const Alike<Expression>& all);
  std::optional<Switched> switched(const Expression& one) const;
  std::optional<Expression> choice_of(const std::vector<Switched>& all);
  std::optional<Expression> of_switched(const Alike<Expression>& all);
  std::optional<Expression> of_partly_switched(const Alike<Expression>& all);
  std::optional<Expression> of_values(const Alike<Expression>& all);

  const std::map<std::string, Net>& nets_;
  const std::map<std::string, unsigned>& widths_;
  const std::int64_t start_;
};

}  // namespace systole::compiler::sv

#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "host/compiler/kernels/kernel_writer.h"
#include "host/compiler/refusal.h"

namespace systole::lowering {

/// What each value of a kernel holds of its rows x cols, found from the roots down.
class Extents {
 public:
  /// Refuses shapes that do not fit into rows and columns, operations that the vector engine does
  /// not have, and a root of i8 that is also read.
  static OrRefusal<Extents> find(const Surroundings& around, std::span<const Root> roots);

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  Extent of(int value) const { return extents_.at(value); }
  bool has(int value) const { return extents_.contains(value); }
  const std::map<int, Extent>& all() const { return extents_; }

  /// How a root concatenates its operands row by row, if it does.
  std::optional<JoinedRows> joined(int value) const;
  /// Whether the value is read, not computed.
  bool is_read(int value) const;
  /// Whether a computed value is the result of adding up rows.
  bool is_accumulated(int value) const;
  /// Whether a value is known only after all rows.
  bool is_total(int value) const;
  /// How many operations of the kernel read a value.
  int uses(int value) const {
    const auto found = uses_.find(value);
    return found == uses_.end() ? 0 : found->second;
  }

 private:
  using Found = std::map<int, Extent>;

  Extents(const Surroundings& around, std::span<const Root> roots)
      : around_(around), roots_(roots) {}
  bool find();  ///< false: refusal_ says why
  void visit(int value, std::map<int, bool>& seen);
  void widen(const graph::Shape& shape, bool has_rows);
  bool assign_root(int value);
  bool assign(int value, Extent extent, Found& found);
  bool assign_operands(const graph::Operation& operation, Extent extent, Found& found);
  std::optional<Extent> broadcast_from(const graph::Call& call) const;
  OrRefusal<Extent> reduced_from(const graph::Call& call, Extent extent) const;
  bool refuse(Refusal refusal);
  bool refuse(const graph::Call& call, std::string_view why) {
    return refuse(Refusal::of(call, why));
  }
  std::int64_t count(Extent extent) const;
  /// Whether two extents hold the same: those of a single row or column.
  bool are_alike(Extent a, Extent b) const;
  bool is_known(int value) const;

  const Surroundings& around_;
  std::span<const Root> roots_;
  std::int64_t rows_ = 1, cols_ = 1, elements_ = 0;
  bool has_rows_ = false;  ///< whether these matter, or elements alone do
  Found extents_;
  std::map<int, int> uses_;
  Refusal refusal_;
};

}  // namespace systole::lowering

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/distribute/communicator.h"

namespace systole {

/// The ranks over which a line of cores goes on: the cores of rank r + 1 stand above those of rank
/// r.
///
/// Limits   all ranks make the same calls in the same order
/// Errors   RankError when another rank has left
class LineRanks {
 public:
  LineRanks() : LineRanks(single_rank()) {}
  explicit LineRanks(std::shared_ptr<Communicator> ranks) : ranks_(std::move(ranks)) {}

  int rank() const { return ranks_->rank(); }
  int size() const { return ranks_->size(); }
  bool is_one() const { return size() == 1; }
  bool has_below() const { return rank() > 0; }
  bool has_above() const { return rank() + 1 < size(); }

  /// For the neighbours and from them; each takes as many bytes as it is sent. Those of a neighbour
  /// that does not exist are left alone.
  struct Messages {
    std::span<const std::byte> to_below, to_above;
    std::span<std::byte> from_below, from_above;
  };
  void exchange(const Messages& messages) const;

  /// Whether all ranks say so.
  bool all(bool own) const;
  bool any(bool own) const { return !all(!own); }
  /// Every rank's block, which all have the same size, rank 0's first.
  template <typename T>
  std::vector<T> gather(std::span<const T> block) const {
    return systole::gather(*ranks_, block);
  }
  /// The lowest rank's words that are not empty, on every rank.
  std::string first_words(const std::string& own) const;

 private:
  std::shared_ptr<Communicator> ranks_;
};

}  // namespace systole

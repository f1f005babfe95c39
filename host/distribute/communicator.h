#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace systole {

/// Another rank has left the run or does something different, so the run cannot continue.
class RankError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One of several ranks that train a model together: a process under MPI, or a thread.
///
/// Limits   rank 0..size()-1; what one rank sends, the other receives, in the same order and of the
///          same size; calls come from one thread at a time
/// Timing   every call blocks until the other rank has taken part; none blocks for a rank that has
///          left
/// Errors   RankError when the other rank has left or sends another size; std::invalid_argument for
///          this rank and for ranks out of range
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::string kind() const = 0;  ///< "one process", "threads", "MPI"

  virtual void send(int to, std::span<const std::byte> message) = 0;
  virtual void receive(int from, std::span<std::byte> message) = 0;

  /// Tells the others that this rank leaves, so that they fail with `why` instead of waiting for
  /// it. Destroying a communicator leaves as well.
  virtual void leave(const std::string& why) noexcept = 0;

  bool is_first() const { return rank() == 0; }
};

/// A run of one rank.
std::shared_ptr<Communicator> single_rank();

/// The ranks that `mpirun` started, or a single rank.
///
/// Limits   MPI starts once in a process and ends with it: every call gives the same communicator
/// Errors   std::runtime_error where mpirun has started several ranks and this build has no MPI
std::shared_ptr<Communicator> launched_ranks();

/// Throws RankError on every rank unless all ranks give the same text; `what` names it.
void need_agreement(Communicator& communicator, const std::string& what, const std::string& text);

/// Fills in `all` on every rank: rank r gives the `size` bytes from `position` on, the ranks' parts
/// follow one another, and the last ends where `all` does.
void gather_in_place(Communicator& communicator, std::span<std::byte> all, std::size_t position,
                     std::size_t size);

/// Every rank's block, rank 0's first, on every rank, whatever the sizes.
std::vector<std::vector<std::byte>> gather_blocks(Communicator& communicator,
                                                  std::span<const std::byte> block);

/// Every rank's block, rank 0's first, on every rank. All blocks have the same size.
template <typename T>
std::vector<T> gather(Communicator& communicator, std::span<const T> block) {
  const auto rank = static_cast<std::size_t>(communicator.rank());
  std::vector<T> all(block.size() * static_cast<std::size_t>(communicator.size()));
  std::copy(block.begin(), block.end(),
            all.begin() + static_cast<std::ptrdiff_t>(rank * block.size()));
  gather_in_place(communicator, std::as_writable_bytes(std::span<T>(all)),
                  rank * block.size_bytes(), block.size_bytes());
  return all;
}

}  // namespace systole

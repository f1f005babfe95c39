#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/compiler/program/kernel_commands.h"
#include "host/compiler/schedule/memory_uses.h"
#include "host/compiler/schedule/product_lowering.h"

namespace systole::lowering {

/// The order in which the vector engine does the parts of kernels.
///
/// A kernel that others wait for is added at once. An update of parameters may wait: its parts fill
/// the time in which the engine would stand idle, and come at the latest before someone uses their
/// memory. Of the parts that may come next, those of the smallest kernel are first.
class KernelOrder {
 public:
  KernelOrder(ProductLowering& lowering, MemoryUses& uses) : lowering_(lowering), uses_(uses) {}

  /// Limits   settled for its memory
  void add(std::vector<KernelPart> parts);
  /// Likewise, of a kernel with one program; `kernel` is its number.
  void add_later(std::vector<KernelPart> parts, std::size_t kernel);

  /// Adds the waiting parts that must come before somebody who reads and writes this.
  void settle(std::span<const MemorySpan> reads, std::span<const MemorySpan> writes);
  /// Adds all waiting parts.
  void settle();

  /// The longest time, estimated and without waits for neighbours, in which a link stands still
  /// between two of its streams, were what was added to be done again and again; 0 without links.
  std::int64_t longest_stretch() const;

 private:
  struct Waiting {
    KernelPart part;  ///< without its programs
    std::size_t kernel = 0;
    std::int64_t kernel_clocks = 0;
    std::int64_t ready = 0;  ///< when all it waits for is done
  };
  /// When a link was in use, in clocks.
  struct LinkTimes {
    std::optional<std::int64_t> first;
    std::int64_t last = 0, longest = 0;

    void use(std::int64_t start, std::int64_t end);
  };
  static constexpr std::size_t kNoKernel = ~std::size_t{0};

  void set_program(std::size_t kernel, std::vector<device::CommandWord> program);
  void place(KernelPart part);
  void place_waiting(std::size_t number);
  void fill(std::int64_t until);
  template <typename May>
  std::size_t next(const May& may) const;
  std::int64_t free() const { return lowering_.streams().times().free(kVectors); }
  std::int64_t ready(const KernelPart& part) const;

  ProductLowering& lowering_;
  MemoryUses& uses_;
  std::vector<Waiting> waiting_;
  std::vector<std::vector<device::CommandWord>> programs_;  ///< by kernel
  std::size_t loaded_ = kNoKernel;                          ///< whose program the engine has
  LinkTimes above_, below_;
  std::vector<MemorySpan> summed_;  ///< what parts read that do not signal when they have
};

}  // namespace systole::lowering

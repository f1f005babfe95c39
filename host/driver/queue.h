#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "host/driver/device.h"
#include "host/driver/matmul.h"
#include "host/driver/memory.h"

namespace systole {

/// Where a product is queued among those that still wait.
enum class Place : std::uint8_t {
  kEnd,    ///< after all of them
  kAhead,  ///< before those that were queued with kAhead since the last kEnd: the newest runs
           ///< first, and fills the time in which the device waits for what came before
};

/// Matrix products for one device. They wait until somebody needs a result, and then run together,
/// as one program.
///
/// Limits   a product queued with kAhead reads nothing that those it overtakes write, and writes
///          nothing that they read
/// Timing   matmul costs no device time. A copy is done when it returns; products that wait run
///          first where the copy touches what they read or write. wait returns when all have run.
///          Products keep their buffers alive while they wait; those that nobody waits for never
///          run
/// Errors   a caller's mistake (size, shape, type, overlap) throws std::invalid_argument with the
///          shapes in the message, before anything is queued. A device's fault is a DeviceError
///          from the call that runs the products; all that waited are dropped then, and the queue
///          is usable afterwards
class Queue {
 public:
  void copy_to_device(std::span<const std::byte> source, const Buffer& destination);
  void copy_to_host(const Buffer& source, std::span<std::byte> destination);
  void matmul(const Matmul& matmul, const Epilogue& epilogue = {}, Place place = Place::kEnd);
  void wait();

  /// Anything contiguous, of trivially copyable elements: a vector, an array, a span. It may be
  /// shorter than the buffer, whose first bytes are then copied.
  template <std::ranges::contiguous_range Range>
  void copy_to_device(const Range& source, const Buffer& destination) {
    copy_to_device(std::span<const std::byte>(std::as_bytes(std::span(source))), destination);
  }
  template <std::ranges::borrowed_range Range>
    requires std::ranges::contiguous_range<Range>
  void copy_to_host(const Buffer& source, Range&& destination) {
    copy_to_host(source, std::span<std::byte>(std::as_writable_bytes(std::span(destination))));
  }

 private:
  friend class Device;
  explicit Queue(std::shared_ptr<Backend> backend);

  std::shared_ptr<Backend> backend_;
  Memory& memory_;
  std::vector<Product> products_;
  std::vector<std::array<Buffer, 6>> buffers_;  ///< of each product, in any order
  std::size_t ahead_ = 0;                       ///< where kAhead places the next product
};

}  // namespace systole

#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "host/device/device.h"
#include "host/device/matmul.h"
#include "host/device/memory.h"

namespace systole {

/// A lazy queue of matrix products for one device. They run together, as one program, once a
/// result is needed.
///
/// Timing   matmul only queues. Copies are synchronous; one that touches a buffer of a queued
///          product runs the queue first. wait runs the queue. Queued products keep their buffers
///          alive; those that nobody waits for never run
/// Errors   a caller's mistake (size, shape, type, overlap) throws std::invalid_argument with the
///          shapes in the message, before anything is queued. A device fault is a DeviceError from
///          the call that runs the queue; the queue is then empty and usable
class Queue {
 public:
  void copy_to_device(std::span<const std::byte> source, const Buffer& destination);
  void copy_to_host(const Buffer& source, std::span<std::byte> destination);
  void matmul(const Matmul& matmul, const Epilogue& epilogue = {});
  void wait();

  /// Copies any contiguous range of trivially copyable elements: a vector, an array, a span. A
  /// range shorter than the buffer copies the buffer's first bytes.
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
};

}  // namespace systole

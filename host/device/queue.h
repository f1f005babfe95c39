#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "host/device/device.h"
#include "host/device/matmul.h"
#include "host/device/memory.h"

namespace systole {

/// A product's place among those already queued.
enum class Place : std::uint8_t {
  kEnd,    ///< last
  kAhead,  ///< before all queued with kAhead since the last kEnd: the newest runs first and fills
           ///< the time in which the device waits for earlier products
};

/// A lazy queue of matrix products for one device. They run together, as one program, once a
/// result is needed.
///
/// Limits   a product queued with kAhead must not read anything written by the products it
///          overtakes, nor write anything they read
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
  void matmul(const Matmul& matmul, const Epilogue& epilogue = {}, Place place = Place::kEnd);
  void wait();

  /// Runs the queue and delivers what it makes of `result`'s first bytes, without a copy where
  /// device memory is this process's. The buffer's own bytes are then unspecified.
  void wait_into(const Buffer& result, std::span<std::byte> destination);

  /// A buffer's first bytes to fill in place of copy_to_device; empty where they lie elsewhere.
  std::span<std::byte> in_place(const Buffer& destination, std::size_t size_bytes);

  /// Copies any contiguous range of trivially copyable elements: a vector, an array, a span. A
  /// range
  /// shorter than the buffer copies the buffer's first bytes.
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
  void need_room(std::string_view call, const Buffer& destination, std::size_t size_bytes);

  std::shared_ptr<Backend> backend_;
  Memory& memory_;
  std::vector<Product> products_;
  std::vector<std::array<Buffer, 6>> buffers_;  ///< of each product, in any order
  std::size_t ahead_ = 0;                       ///< where kAhead places the next product
};

}  // namespace systole

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "host/driver/device.h"
#include "host/driver/matmul.h"

namespace systole {

/// Work that a queue has accepted.
class Event {
 public:
  /// Returns when this work and all before it in its queue is done.
  /// Errors   DeviceError with the device's fault, once; the queue is usable afterwards
  void wait();

 private:
  friend class Queue;
  struct State;
  std::shared_ptr<State> state_;
  std::uint64_t ticket_ = 0;
};

/// Commands for one device, executed in order.
///
/// Limits   a host span handed to a copy must stay alive and unchanged until its event is waited for
/// Timing   work runs inside wait(); accepting it costs no device time
/// Errors   a caller's mistake (size, shape, type, overlap) throws std::invalid_argument with the
///          shapes in the message, before anything is queued; a device's fault surfaces at wait()
class Queue {
 public:
  Event copy_to_device(std::span<const std::byte> source, const Buffer& destination);
  Event copy_to_host(const Buffer& source, std::span<std::byte> destination);
  Event matmul(const Matmul& product);
  void wait();  ///< for everything accepted so far

  /// Typed spans of trivially copyable elements.
  template <typename T>
  Event copy_to_device(std::span<const T> source, const Buffer& destination) {
    return copy_to_device(std::as_bytes(source), destination);
  }
  template <typename T>
  Event copy_to_host(const Buffer& source, std::span<T> destination) {
    return copy_to_host(source, std::as_writable_bytes(destination));
  }

 private:
  friend class Device;
  explicit Queue(std::shared_ptr<Backend> backend);
  std::shared_ptr<Event::State> state_;
};

}  // namespace systole

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>

#include "host/driver/device.h"
#include "host/driver/product.h"

namespace systole {

/// Work that a queue has accepted.
class Event {
 public:
  /// Returns when this work and all before it in its queue is done.
  /// Errors   DeviceError with the device's fault, once, from the wait that meets it. What was
  ///          accepted behind the faulty command is dropped, as it may depend on it: waiting for a
  ///          dropped event throws DeviceError too. The queue is usable afterwards.
  void wait();

 private:
  friend class Queue;
  struct Command;
  struct State;
  std::shared_ptr<State> state_;
  std::uint64_t ticket_ = 0;
};

/// Commands for one device, executed in order.
///
/// Limits   a host span handed to a copy must stay alive and unchanged until its event is waited
///          for; it may be shorter than the buffer, whose first bytes are then copied
/// Timing   work runs inside wait(); accepting it costs no device time. Products that follow one
///          another with nothing between are handed to the device together, as one program.
///          Accepted work keeps its buffers alive; work that nobody waits for never runs
/// Errors   a caller's mistake (size, shape, type, overlap) throws std::invalid_argument with the
///          shapes in the message, before anything is queued; a device's fault surfaces at wait()
class Queue {
 public:
  Event copy_to_device(std::span<const std::byte> source, const Buffer& destination);
  Event copy_to_host(const Buffer& source, std::span<std::byte> destination);
  Event matmul(const Matmul& matmul, const Epilogue& epilogue = {});
  /// Work of the host at its place in the queue: it sees what was copied before it, and what is
  /// behind it sees what it did. What it throws comes out of wait() as a fault does.
  Event host_task(std::function<void()> task);
  void wait();  ///< for everything accepted so far

  /// Anything contiguous that outlives the statement: a vector, an array, a span, of trivially
  /// copyable elements.
  template <std::ranges::borrowed_range Range>
    requires std::ranges::contiguous_range<Range>
  Event copy_to_device(Range&& source, const Buffer& destination) {
    return copy_to_device(bytes_of<const std::byte>(source), destination);
  }
  template <std::ranges::borrowed_range Range>
    requires std::ranges::contiguous_range<Range>
  Event copy_to_host(const Buffer& source, Range&& destination) {
    return copy_to_host(source, bytes_of<std::byte>(destination));
  }

 private:
  friend class Device;
  explicit Queue(std::shared_ptr<Backend> backend);
  template <typename Byte>
  static std::span<Byte> bytes_of(auto& range) {
    using Element = std::ranges::range_value_t<decltype(range)>;
    static_assert(std::is_trivially_copyable_v<Element>);
    return {reinterpret_cast<Byte*>(std::ranges::data(range)),
            std::ranges::size(range) * sizeof(Element)};
  }
  Event accept(Event::Command command);
  std::shared_ptr<Event::State> state_;
};

}  // namespace systole

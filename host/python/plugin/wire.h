#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/python/core/core.h"

// Messages of protocol buffers as bytes, so that no copy of TensorFlow's classes is linked.
namespace systole::tensorflow {

/// One field of a message.
///
/// Source   https://protobuf.dev/programming-guides/encoding
struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;  ///< of a varint
  std::string_view bytes;   ///< of a string, a message or packed numbers
  std::string_view whole;   ///< with its tag
};

/// Reads a message from its front.
///
/// Errors   Failure for bytes that are no message
class Wire {
 public:
  explicit Wire(std::string_view bytes) : bytes_(bytes) {}

  bool done() const { return bytes_.empty(); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    throw Failure(Code::kInternal, "a number of a graph has more than 64 bits");
  }

  Field field() {
    const std::string_view before = bytes_;
    const std::uint64_t tag = varint();
    Field field{.number = tag >> 3, .value = 0, .bytes = {}, .whole = {}};
    switch (tag & 7) {
      case 0:
        field.value = varint();
        break;
      case 1:
        take(8);
        break;
      case 2:
        field.bytes = take(varint());
        break;
      case 5:
        take(4);
        break;
      default:
        throw Failure(Code::kInternal, "a field of a graph has an unknown kind");
    }
    field.whole = before.substr(0, before.size() - bytes_.size());
    return field;
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size()) throw Failure(Code::kInternal, "a graph ends within a field");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

/// Calls each(field) for each field of a message.
template <typename Each>
void for_each_field(std::string_view message, const Each& each) {
  for (Wire wire(message); !wire.done();) each(wire.field());
}

/// Adds a string or a message as a field.
inline void append_field(std::string& message, std::uint64_t number, std::string_view bytes) {
  const auto varint = [&](std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) message += static_cast<char>(value | 0x80);
    message += static_cast<char>(value);
  };
  varint(number << 3 | 2);
  varint(bytes.size());
  message += bytes;
}

}  // namespace systole::tensorflow

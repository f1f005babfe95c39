#include "host/graph/artifact/cursor.h"

#include <fmt/format.h>

#include <bit>

#include "host/graph/operation.h"

namespace systole::graph::artifact {

void fail(std::string_view what) { throw GraphError(fmt::format("bytecode: {}", what)); }

std::string_view Cursor::take(std::uint64_t size) {
  if (size > bytes_.size()) fail("it ends too early");
  const std::string_view taken = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return taken;
}

std::uint64_t Cursor::number() {
  const std::uint8_t first = byte();
  const int more = first == 0 ? 8 : std::countr_zero(first);
  const std::string_view bytes = take(static_cast<std::uint64_t>(more));
  std::uint64_t value = 0;
  for (int i = more; i-- > 0;) {
    value = value << 8 | static_cast<std::uint8_t>(bytes[static_cast<std::size_t>(i)]);
  }
  return more == 8 ? value : value << (7 - more) | std::uint64_t{first} >> (more + 1);
}

std::int64_t Cursor::signed_number() {
  const std::uint64_t value = number();
  return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
}

std::uint64_t Cursor::flagged(bool& flag) {
  const std::uint64_t value = number();
  flag = (value & 1) != 0;
  return value >> 1;
}

std::uint64_t Cursor::checked(std::uint64_t count) const {
  if (count > bytes_.size()) fail("a count is larger than the file");
  return count;
}

std::string_view Cursor::text() {
  const std::size_t end = bytes_.find('\0');
  if (end == std::string_view::npos) fail("a string does not end");
  const std::string_view taken = take(end);
  take(1);
  return taken;
}

std::string_view Cursor::section(unsigned& id, std::string_view whole) {
  const std::uint8_t first = byte();
  id = first & 0x7fU;
  const std::uint64_t size = number();
  if ((first & 0x80U) != 0) {
    const std::uint64_t alignment = number();
    if (!std::has_single_bit(alignment)) fail("an alignment is no power of two");
    while (static_cast<std::uint64_t>(bytes_.data() - whole.data()) % alignment != 0) take(1);
  }
  return take(size);
}

}  // namespace systole::graph::artifact

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace systole::tests {

/// One reader of bytes that somebody else wrote.
struct Reader {
  std::string name;  ///< also of its folder in tests/fuzz/corpus

  /// Reads the bytes. Returns whether the reader accepted them; what it accepts it must be able to
  /// use.
  ///
  /// Errors   anything but the reader's own documented refusal escapes, and is a fault
  bool (*accepts)(std::span<const std::uint8_t> bytes);

  /// Small inputs that the reader accepts, to start from.
  std::vector<std::vector<std::uint8_t>> (*seeds)();
};

/// Every reader of foreign bytes that the programs have.
std::span<const Reader> readers();

const Reader& reader(const std::string& name);

}  // namespace systole::tests

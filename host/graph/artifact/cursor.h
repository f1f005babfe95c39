#pragma once

#include <cstdint>
#include <string_view>

namespace systole::graph::artifact {

/// Reads numbers, strings and sections of bytecode, one after the other.
///
/// Errors   GraphError where the bytes end too early, or are not what they should be
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }
  std::string_view take(std::uint64_t size);
  std::uint8_t byte() { return static_cast<std::uint8_t>(take(1)[0]); }

  /// The zeros below the lowest one of the first byte count the bytes that follow.
  std::uint64_t number();
  std::int64_t signed_number();
  /// A number whose lowest bit is a flag.
  std::uint64_t flagged(bool& flag);
  /// Of things that take a byte or more each, so it is bounded by the bytes that are left.
  std::uint64_t count() { return checked(number()); }
  std::uint64_t flagged_count(bool& flag) { return checked(flagged(flag)); }
  /// Up to a zero.
  std::string_view text();
  /// A section's bytes; `whole` is the file, by which it is aligned.
  std::string_view section(unsigned& id, std::string_view whole);

 private:
  std::uint64_t checked(std::uint64_t count) const;

  std::string_view bytes_;
};

/// Throws a GraphError that names the bytecode.
[[noreturn]] void fail(std::string_view what);

}  // namespace systole::graph::artifact

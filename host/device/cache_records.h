#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace systole {

/// A text under its identity as it lies in a file of DiskCache, in readable form:
///
///     systole cache 2: 97 bytes, 18 bytes, 5c0f...
///     clocks of a program
///     ...
///
///     cycles 425104
///     ...
///
/// with the lengths of identity and text, and half of the digest of both and their lengths.
std::string record_of(std::string_view identity, std::string_view text);

/// What a file of records holds.
struct ReadRecords {
  std::size_t end = 0;      ///< of the last whole record
  std::size_t damaged = 0;  ///< bytes before `end` that belong to no whole record
};

/// Calls `found(identity, text)` for each whole record, in order. Bytes after `end` may be a record
/// that is being written.
ReadRecords read_records(std::string_view bytes,
                         const std::function<void(std::string_view, std::string_view)>& found);

}  // namespace systole

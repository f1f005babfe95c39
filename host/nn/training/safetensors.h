#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/nn/numbers/shape.h"

namespace systole::nn {

/// A checkpoint that is missing, damaged or of another kind. One line: path, what is wrong.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One array of a safetensors file, little-endian, row-major.
struct StoredTensor {
  std::string type;  ///< "F32", "F64", "BF16", "I64", ...
  Shape shape;       ///< empty: a scalar
  std::vector<std::uint8_t> bytes;
};

/// The content of a safetensors file.
struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::map<std::string, StoredTensor> tensors;
};

/// The bytes of a file: the header's length in 8 little-endian bytes; the JSON header; the data.
///
/// Numbers  the header is padded with blanks so that the data begin at a multiple of 8 bytes;
///          wider types come first, so every array is aligned to its type. Equal contents give
///          equal bytes
/// Source   the format section of https://github.com/huggingface/safetensors
std::vector<std::uint8_t> to_bytes(const Safetensors& content);

/// Reads a file that any conforming writer wrote.
///
/// Limits   a header of at most 100,000,000 bytes; types of whole bytes
/// Errors   CheckpointError beginning with `name` for truncated or trailing bytes, a malformed
///          header, arrays that overlap, leave holes or lie outside, and sizes that do not fit type
///          and shape
Safetensors parse_safetensors(std::span<const std::uint8_t> bytes, const std::string& name);

}  // namespace systole::nn

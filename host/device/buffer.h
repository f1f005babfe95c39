#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace systole {

class Backend;

/// A block of device memory, freed with the last copy of this handle. Cheap to copy; two are equal
/// if they name the same block.
///
/// Units    bytes; address() is the device's, never a host pointer
/// Errors   Device::allocate throws std::invalid_argument for a size < 1
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<Backend> backend, std::uint64_t address, std::int64_t size_bytes);

  std::uint64_t address() const { return block_ ? block_->address : 0; }
  std::int64_t size_bytes() const { return block_ ? block_->size_bytes : 0; }
  explicit operator bool() const { return block_ != nullptr; }

  /// Whether the buffer lies in this backend's memory; an empty one lies in none.
  bool belongs_to(const Backend& backend) const {
    return block_ && block_->backend.get() == &backend;
  }
  friend bool operator==(const Buffer& a, const Buffer& b) { return a.block_ == b.block_; }

 private:
  struct Block {
    std::shared_ptr<Backend> backend;
    std::uint64_t address;
    std::int64_t size_bytes;
    Block(std::shared_ptr<Backend> owner, std::uint64_t start, std::int64_t size);
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block();
  };
  std::shared_ptr<const Block> block_;
};

/// Checks an argument of `call`; both names are for the message.
///
/// Errors   std::invalid_argument for an empty buffer and for one of another device
void check_buffer(std::string_view call, std::string_view name, const Buffer& buffer,
                  const Backend& backend);

}  // namespace systole

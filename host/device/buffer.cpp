#include "host/device/buffer.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "host/device/backend.h"

namespace systole {

Buffer::Buffer(std::shared_ptr<Backend> backend, std::uint64_t address, std::int64_t size_bytes)
    : block_(std::make_shared<const Block>(std::move(backend), address, size_bytes)) {}

Buffer::Block::Block(std::shared_ptr<Backend> owner, std::uint64_t start, std::int64_t size)
    : backend(std::move(owner)), address(start), size_bytes(size) {}

Buffer::Block::~Block() { backend->memory().free(address); }

void check_buffer(std::string_view call, std::string_view name, const Buffer& buffer,
                  const Backend& backend) {
  if (!buffer) {
    throw std::invalid_argument(fmt::format("{}: {} has no buffer; allocate one", call, name));
  }
  if (!buffer.belongs_to(backend)) {
    throw std::invalid_argument(
        fmt::format("{}: {} is a buffer of another device, not of the queue's '{}'", call, name,
                    backend.info().name));
  }
}

}  // namespace systole

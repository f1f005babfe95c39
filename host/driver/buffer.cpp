#include "host/driver/buffer.h"

#include <utility>

#include "host/driver/backend.h"

namespace systole {

Buffer::Buffer(std::shared_ptr<Backend> backend, std::uint64_t address, std::int64_t size_bytes)
    : block_(std::make_shared<const Block>(std::move(backend), address, size_bytes)) {}

Buffer::Block::Block(std::shared_ptr<Backend> owner, std::uint64_t start, std::int64_t size)
    : backend(std::move(owner)), address(start), size_bytes(size) {}

Buffer::Block::~Block() { backend->free(address); }

}  // namespace systole

// Values on cores, and their copies.
#include <algorithm>
#include <cstring>
#include <span>

#include "host/python/pjrt_plugin/objects.h"

namespace systole::pjrt {

using abi::Buffer;
using abi::Error;

namespace {

const std::shared_ptr<Storage>& storage_of(const Buffer& buffer) {
  if (buffer.storage == nullptr) {
    throw python::Failure(python::Code::kInvalidArgument, "the array was donated or deleted");
  }
  return buffer.storage;
}

bool is_dense(const abi::ClientBufferFromHost& from, std::size_t element) {
  auto stride = static_cast<std::int64_t>(element);
  for (std::size_t d = from.dimension_count; d-- > 0 && from.byte_strides != nullptr;) {
    if (from.byte_strides[d] != stride && from.dimensions[d] != 1) return false;
    stride *= from.dimensions[d];
  }
  return true;
}

// Elements at byte strides, which may be negative or 0.
void copy_strided(const abi::ClientBufferFromHost& from, std::size_t element, std::byte* to,
                  std::size_t size) {
  std::vector<std::int64_t> index(from.dimension_count, 0);
  for (std::size_t at = 0; at < size; at += element) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * from.byte_strides[d];
    std::memcpy(to + at, static_cast<const std::byte*>(from.data) + offset, element);
    for (std::size_t d = index.size(); d-- > 0 && ++index[d] == from.dimensions[d];) index[d] = 0;
  }
}

void make_from_host(abi::ClientBufferFromHost& from) {
  const systole_element type = element_of(from.type);
  std::size_t size = size_of(type);
  for (std::size_t d = 0; d < from.dimension_count; ++d) {
    size *= static_cast<std::size_t>(from.dimensions[d]);
  }
  auto storage = std::make_shared<Storage>(size);
  if (is_dense(from, size_of(type))) {
    if (size > 0) std::memcpy(storage->host(), from.data, size);
  } else {
    copy_strided(from, size_of(type), storage->host(), size);
  }
  abi::Device* device = from.memory != nullptr ? from.memory->device : from.device;
  if (device == nullptr) device = from.client->devices[0];
  from.buffer =
      new Buffer(*device, type, {from.dimensions, from.dimensions + from.dimension_count}, storage);
  from.done_with_host_buffer = happened();
}

// Of another core, or of the same: values do not change, so a copy shares them.
Buffer* copy(const Buffer& buffer, abi::Device& to) {
  return new Buffer(to, buffer.element, buffer.dimensions, storage_of(buffer));
}

void copy_to_host(abi::BufferToHost& arguments) {
  const Buffer& buffer = *arguments.source;
  if (arguments.destination == nullptr) {
    arguments.size = buffer.size;
    return;
  }
  if (arguments.size < buffer.size) {
    throw python::Failure(python::Code::kInvalidArgument, "the destination is too small");
  }
  const std::shared_ptr<Storage> storage = storage_of(buffer);
  const auto lock = lock_storages();
  if (buffer.size > 0) std::memcpy(arguments.destination, storage->host(), buffer.size);
  arguments.event = happened();
}

template <auto kMember>
Error* list(auto* arguments) {
  return tell(arguments, arguments->object->*kMember);
}

}  // namespace

void set_buffers(abi::Api& api) {
  api.client_buffer_from_host = [](abi::ClientBufferFromHost* arguments) -> Error* {
    return guarded([&] { make_from_host(*arguments); });
  };
  api.buffer_destroy = [](abi::BufferDestroy* arguments) -> Error* {
    delete arguments->buffer;
    return nullptr;
  };
  api.buffer_element_type = [](abi::Query<Buffer, abi::BufferType>* arguments) -> Error* {
    arguments->value = type_of(arguments->object->element);
    return nullptr;
  };
  api.buffer_dimensions = list<&Buffer::dimensions>;
  api.buffer_unpadded_dimensions = list<&Buffer::dimensions>;
  api.buffer_dynamic_dimensions =
      [](abi::ListQuery<Buffer, const std::size_t>* arguments) -> Error* {
    return tell(arguments, std::span<const std::size_t>());
  };
  api.buffer_memory_layout = [](abi::Query<Buffer, abi::MemoryLayout>* arguments) -> Error* {
    arguments->value = {};
    arguments->value.tiled.minor_to_major = arguments->object->minor_to_major.data();
    arguments->value.tiled.minor_to_major_count = arguments->object->minor_to_major.size();
    return nullptr;
  };
  api.buffer_size = [](abi::Query<Buffer, std::size_t>* arguments) -> Error* {
    arguments->value = arguments->object->size;
    return nullptr;
  };
  api.buffer_device = [](abi::Query<Buffer, abi::Device*>* arguments) -> Error* {
    arguments->value = arguments->object->device;
    return nullptr;
  };
  api.buffer_memory = [](abi::Query<Buffer, abi::Memory*>* arguments) -> Error* {
    arguments->value = &arguments->object->device->memory;
    return nullptr;
  };
  api.buffer_delete = [](abi::Command<Buffer>* arguments) -> Error* {
    arguments->object->storage.reset();
    return nullptr;
  };
  api.buffer_is_deleted = [](abi::Query<Buffer, bool>* arguments) -> Error* {
    arguments->value = arguments->object->storage == nullptr;
    return nullptr;
  };
  api.buffer_is_on_cpu = [](abi::Query<Buffer, bool>* arguments) -> Error* {
    arguments->value = false;
    return nullptr;
  };
  api.buffer_ready_event = [](abi::Query<Buffer, abi::Event*>* arguments) -> Error* {
    arguments->value = happened();
    return nullptr;
  };
  api.buffer_unsafe_pointer = [](abi::Query<Buffer, std::uintptr_t>* arguments) -> Error* {
    return guarded([&] {
      const std::shared_ptr<Storage> storage = storage_of(*arguments->object);
      const auto lock = lock_storages();
      arguments->value = reinterpret_cast<std::uintptr_t>(storage->host());
    });
  };
  api.buffer_copy_to_device = [](abi::BufferCopy<abi::Device>* arguments) -> Error* {
    return guarded([&] { arguments->copy = copy(*arguments->buffer, *arguments->to); });
  };
  api.buffer_copy_to_memory = [](abi::BufferCopy<abi::Memory>* arguments) -> Error* {
    return guarded([&] { arguments->copy = copy(*arguments->buffer, *arguments->to->device); });
  };
  api.buffer_to_host = [](abi::BufferToHost* arguments) -> Error* {
    return guarded([&] { copy_to_host(*arguments); });
  };
}

abi::Buffer::Buffer(Device& where, systole_element type, std::vector<std::int64_t> shape,
                    std::shared_ptr<Storage> values)
    : device(&where),
      element(type),
      dimensions(std::move(shape)),
      storage(std::move(values)),
      size(storage->size()) {
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    minor_to_major.push_back(static_cast<std::int64_t>(d));
  }
}

}  // namespace systole::pjrt

// The client, its cores and their memories.
#include <fmt/format.h>

#include <span>
#include <string_view>

#include "host/python/pjrt_plugin/objects.h"

namespace systole::pjrt {

using abi::Error;

namespace {

constexpr std::string_view kPlatform = "systole", kKind = "Systole core", kMemory = "device";

Error* find_device(abi::ClientLookup* arguments) {
  return guarded([&] { arguments->device = arguments->client->core(arguments->id); });
}

}  // namespace

void set_client(abi::Api& api) {
  api.client_create = [](abi::ClientCreate* arguments) -> Error* {
    return guarded([&] { arguments->client = new abi::Client(python::core_count()); });
  };
  api.client_destroy = [](abi::Command<abi::Client>* arguments) -> Error* {
    delete arguments->object;
    return nullptr;
  };
  api.client_platform_name = [](abi::ClientPlatformName* arguments) -> Error* {
    arguments->name = kPlatform.data();
    arguments->name_size = kPlatform.size();
    return nullptr;
  };
  api.client_platform_version = [](abi::ClientPlatformVersion* arguments) -> Error* {
    const std::string_view version = systole_version();
    arguments->version = version.data();
    arguments->version_size = version.size();
    return nullptr;
  };
  api.client_process_index = [](abi::Query<abi::Client, int>* arguments) -> Error* {
    arguments->value = 0;
    return nullptr;
  };
  api.client_devices = [](abi::ListQuery<abi::Client, abi::Device* const>* arguments) -> Error* {
    return tell(arguments, arguments->object->devices);
  };
  api.client_addressable_devices = [](abi::ClientAddressableDevices* arguments) -> Error* {
    arguments->devices = arguments->client->devices.data();
    arguments->count = arguments->client->devices.size();
    return nullptr;
  };
  api.client_addressable_memories =
      [](abi::ListQuery<abi::Client, abi::Memory* const>* arguments) -> Error* {
    return tell(arguments, arguments->object->memories);
  };
  api.client_lookup_device = find_device;
  api.client_lookup_addressable_device = find_device;
  api.client_default_assignment = [](abi::ClientDefaultAssignment* arguments) -> Error* {
    for (std::size_t i = 0; i < arguments->size; ++i) arguments->devices[i] = static_cast<int>(i);
    return nullptr;
  };
}

void set_devices(abi::Api& api) {
  using Description = abi::DeviceDescription;
  api.device_description_id = [](abi::Query<Description, int>* arguments) -> Error* {
    arguments->value = arguments->object->id;
    return nullptr;
  };
  api.device_description_process_index = [](abi::Query<Description, int>* arguments) -> Error* {
    arguments->value = 0;
    return nullptr;
  };
  api.device_description_attributes =
      [](abi::CountedQuery<Description, const abi::NamedValue>* arguments) -> Error* {
    return tell(arguments, std::span<const abi::NamedValue>());
  };
  api.device_description_kind = [](abi::DeviceDescriptionKind* arguments) -> Error* {
    arguments->kind = kKind.data();
    arguments->kind_size = kKind.size();
    return nullptr;
  };
  const auto name = [](abi::TextQuery<Description>* arguments) -> Error* {
    return tell(arguments, arguments->object->name);
  };
  api.device_description_debug_string = name;
  api.device_description_to_string = name;
  api.device_get_description = [](abi::DeviceGetDescription* arguments) -> Error* {
    arguments->description = &arguments->device->description;
    return nullptr;
  };
  api.device_is_addressable = [](abi::Query<abi::Device, bool>* arguments) -> Error* {
    arguments->value = true;
    return nullptr;
  };
  api.device_local_hardware_id = [](abi::Query<abi::Device, int>* arguments) -> Error* {
    arguments->value = arguments->object->description.id;
    return nullptr;
  };
  api.device_addressable_memories =
      [](abi::ListQuery<abi::Device, abi::Memory* const>* arguments) -> Error* {
    return tell(arguments, std::span(arguments->object->memories));
  };
  api.device_default_memory = [](abi::Query<abi::Device, abi::Memory*>* arguments) -> Error* {
    arguments->value = &arguments->object->memory;
    return nullptr;
  };
  api.memory_id = [](abi::Query<abi::Memory, int>* arguments) -> Error* {
    arguments->value = arguments->object->id;
    return nullptr;
  };
  api.memory_kind = [](abi::TextQuery<abi::Memory>* arguments) -> Error* {
    return tell(arguments, kMemory);
  };
  api.memory_kind_id = [](abi::Query<abi::Memory, int>* arguments) -> Error* {
    arguments->value = 0;
    return nullptr;
  };
  const auto memory_name = [](abi::TextQuery<abi::Memory>* arguments) -> Error* {
    return tell(arguments, arguments->object->name);
  };
  api.memory_debug_string = memory_name;
  api.memory_to_string = memory_name;
  api.memory_addressable_by_devices =
      [](abi::ListQuery<abi::Memory, abi::Device* const>* arguments) -> Error* {
    return tell(arguments, std::span(arguments->object->device->self));
  };
}

namespace abi {

Device::Device(Client& its_client, int id)
    : client(its_client),
      description{.id = id, .name = fmt::format("systole:{}", id)},
      memory{.id = id, .device = this, .name = fmt::format("memory of systole:{}", id)},
      memories{&memory},
      self{this} {}

Client::Client(int count) {
  for (int i = 0; i < count; ++i) {
    cores.push_back(std::make_unique<Device>(*this, i));
    devices.push_back(cores.back().get());
    memories.push_back(&cores.back()->memory);
  }
}

Device* Client::core(std::int64_t id) const {
  if (id >= 0 && id < std::ssize(devices)) return devices[static_cast<std::size_t>(id)];
  throw python::Failure(
      python::Code::kInvalidArgument,
      fmt::format("there is no core {}: $SYSTOLE_DEVICE names {}", id, devices.size()));
}

std::shared_ptr<OpenedCores> Client::opened(const std::vector<std::int64_t>& ids) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<OpenedCores>& cores = opened_[ids];
  if (cores == nullptr) cores = std::make_shared<OpenedCores>(ids.size());
  return cores;
}

}  // namespace abi
}  // namespace systole::pjrt

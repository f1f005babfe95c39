#include "host/pjrt/client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <stdexcept>

#include "host/device/device.h"
#include "host/pjrt/plugin.h"

namespace systole::pjrt {

namespace {

std::string text(const char* data, std::size_t size) {
  return data == nullptr ? std::string() : std::string(data, size);
}

std::string value_of(const abi::NamedValue& value) {
  switch (value.kind) {
    case abi::ValueKind::kString:
      return text(value.string, value.value_size);
    case abi::ValueKind::kInteger:
      return std::to_string(value.integer);
    case abi::ValueKind::kIntegers:
      return fmt::format("{}", fmt::join(std::span(value.integers, value.value_size), "."));
    case abi::ValueKind::kFloat:
      return fmt::format("{}", value.number);
    case abi::ValueKind::kBool:
      return value.flag ? "true" : "false";
  }
  return {};
}

void destroy_buffer(const Plugin& plugin, abi::Buffer* buffer) {
  abi::BufferDestroy destroy{.buffer = buffer};
  plugin.api().buffer_destroy(&destroy);
}
void destroy_event(const Plugin& plugin, abi::Event* event) {
  abi::EventDestroy destroy{.event = event};
  plugin.api().event_destroy(&destroy);
}
void destroy_executable(const Plugin& plugin, abi::LoadedExecutable* executable) {
  abi::LoadedExecutableDestroy destroy{.executable = executable};
  plugin.api().loaded_executable_destroy(&destroy);
}

void destroy_unloaded(const Plugin& plugin, abi::Executable* executable) {
  abi::ExecutableDestroy destroy{.executable = executable};
  plugin.api().executable_destroy(&destroy);
}

// CompileOptionsProto{executable_build_options{device_ordinal: -1, num_replicas: 1,
// num_partitions: 1}}.
constexpr std::string_view kOneDevice(
    "\x1a\x0f\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x01\x28\x01", 17);
constexpr std::string_view kMlir = "mlir";

}  // namespace

Client::Client(const std::string& path) : plugin_(std::make_unique<Plugin>(path)) {
  const abi::Api& api = plugin_->api();
  abi::ClientCreate create;
  plugin_->call(api.client_create, create, "has no device to open");
  client_ = create.client;
  abi::ClientAddressableDevices devices{.client = client_};
  plugin_->call(api.client_addressable_devices, devices, "cannot list its devices");
  devices_ = {devices.devices, devices.count};
  if (devices_.empty()) throw DeviceError(fmt::format("the plugin '{}' has no device", path));
}

Client& Client::open(const std::string& path) {
  // Never destroyed: what a plugin's library does when a process ends is its own.
  static auto& clients = *new std::map<std::string, std::unique_ptr<Client>>;
  std::error_code error;
  const std::string known = std::filesystem::weakly_canonical(path, error).string();
  std::unique_ptr<Client>& client = clients[error ? path : known];
  if (!client) client.reset(new Client(path));
  return *client;
}

ClientInfo Client::info() const {
  const abi::Api& api = plugin_->api();
  abi::ClientPlatformName name{.client = client_};
  plugin_->call(api.client_platform_name, name, "has no platform");
  abi::ClientPlatformVersion version{.client = client_};
  plugin_->call(api.client_platform_version, version, "has no platform");
  abi::DeviceGetDescription description{.device = devices_[0]};
  plugin_->call(api.device_get_description, description, "does not describe its device");
  abi::DeviceDescriptionKind kind{.description = description.description};
  plugin_->call(api.device_description_kind, kind, "does not describe its device");
  abi::PluginAttributes attributes;
  plugin_->call(api.plugin_attributes, attributes, "has no attributes");
  ClientInfo info{.path = plugin_->path(),
                  .platform = text(name.name, name.name_size),
                  .platform_version = text(version.version, version.version_size),
                  .device = text(kind.kind, kind.kind_size),
                  .api = fmt::format("{}.{}", api.version.major_version, api.version.minor_version),
                  .devices = std::ssize(devices_)};
  for (std::size_t i = 0; i < attributes.count; ++i) {
    const abi::NamedValue& value = attributes.attributes[i];
    info.attributes[text(value.name, value.name_size)] = value_of(value);
  }
  return info;
}

Executable Client::compile(const std::string& text) const {
  const abi::Api& api = plugin_->api();
  const abi::Program program{.code = text.data(),
                             .code_size = text.size(),
                             .format = kMlir.data(),
                             .format_size = kMlir.size()};
  abi::ClientCompile compile{.client = client_,
                             .program = &program,
                             .options = kOneDevice.data(),
                             .options_size = kOneDevice.size()};
  plugin_->call(api.client_compile, compile, "does not compile the step");
  Executable result{.loaded = {*plugin_, destroy_executable, compile.executable}};
  abi::LoadedExecutableGetExecutable get{.loaded = compile.executable};
  plugin_->call(api.loaded_executable_get_executable, get, "does not describe the step");
  const Handle<abi::Executable> unloaded(*plugin_, destroy_unloaded, get.executable);
  abi::ExecutableNumOutputs count{.executable = get.executable};
  plugin_->call(api.executable_num_outputs, count, "does not describe the step");
  result.outputs = count.count;
  return result;
}

Buffer Client::put(abi::BufferType type, std::span<const std::int64_t> shape, const void* values,
                   Event& done) const {
  abi::ClientBufferFromHost put{.client = client_,
                                .data = values,
                                .type = type,
                                .dimensions = shape.data(),
                                .dimension_count = shape.size(),
                                .host_buffer = abi::HostBuffer::kUntilTransferCompletes,
                                .device = devices_[0]};
  plugin_->call(plugin_->api().client_buffer_from_host, put, "cannot copy a tensor to its device");
  done = Event(*plugin_, destroy_event, put.done_with_host_buffer);
  return {*plugin_, destroy_buffer, put.buffer};
}

std::vector<Buffer> Client::run(const Executable& executable, std::span<abi::Buffer* const> inputs,
                                Event& done) const {
  std::vector<abi::Buffer*> results(executable.outputs, nullptr);
  abi::Buffer* const* input_list = inputs.data();
  abi::Buffer** output_list = results.data();
  abi::Event* event = nullptr;
  abi::ExecuteOptions options;
  abi::LoadedExecutableExecute execute{.executable = executable.loaded.get(),
                                       .options = &options,
                                       .inputs = &input_list,
                                       .device_count = 1,
                                       .input_count = inputs.size(),
                                       .outputs = &output_list,
                                       .done = &event};
  plugin_->call(plugin_->api().loaded_executable_execute, execute, "cannot run the step");
  done = Event(*plugin_, destroy_event, event);
  std::vector<Buffer> buffers;
  for (abi::Buffer* buffer : results) buffers.emplace_back(*plugin_, destroy_buffer, buffer);
  return buffers;
}

void Client::await(Event event) const {
  if (!event) return;
  abi::EventAwait await{.event = event.get()};
  plugin_->call(plugin_->api().event_await, await, "failed in its work");
}

void Client::read(const Buffer& buffer, std::span<std::byte> values) const {
  abi::BufferToHost copy{
      .source = buffer.get(), .destination = values.data(), .size = values.size()};
  plugin_->call(plugin_->api().buffer_to_host, copy, "cannot copy a tensor from its device");
  await(Event(*plugin_, destroy_event, copy.event));
}

}  // namespace systole::pjrt

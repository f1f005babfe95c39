#pragma once

#include <cstddef>
#include <cstdint>

/// PJRT's C API: the functions that our client calls and our plugin has, at their places in a
/// plugin's table. abi_queries.h has those that only ask.
///
/// A plugin exports `GetPjrtApi`, which returns a table of functions. Each takes one struct of
/// arguments and results, which begins with its size, and returns an error or null. Sizes and
/// positions are the whole binary interface; names are this project's. Handles belong to the
/// caller, who destroys them; texts belong to the object that they were asked of.
///
/// Units    sizes in bytes; dimensions in elements, row-major
/// Limits   major version 0, minor version 90 or later: later versions only append
/// Source   github.com/openxla/xla, xla/pjrt/c/pjrt_c_api.h, version 0.90 (Apache-2.0);
///          tests/pjrt/abi_test.cpp compares every size and position with that header
namespace systole::pjrt::abi {

inline constexpr int kMajorVersion = 0;
inline constexpr int kLeastMinorVersion = 90;

// What a plugin hands out.
struct Error;
struct Event;
struct Client;
struct Device;
struct DeviceDescription;
struct Memory;
struct Executable;
struct LoadedExecutable;
struct Buffer;

/// Begins every struct.
struct Head {
  std::size_t size;            ///< of the whole struct
  void* extensions = nullptr;  ///< none
};

enum class ErrorCode : std::int32_t {
  kInvalidArgument = 3,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kUnimplemented = 12,
  kInternal = 13
};

struct ErrorDestroy {
  Head head{sizeof(ErrorDestroy)};
  Error* error = nullptr;
};

struct ErrorMessage {
  Head head{sizeof(ErrorMessage)};
  const Error* error = nullptr;
  const char* message = nullptr;  ///< out, as the error's
  std::size_t message_size = 0;   ///< out
};

struct ErrorGetCode {
  Head head{sizeof(ErrorGetCode)};
  const Error* error = nullptr;
  ErrorCode code = {};  ///< out
};

struct PluginInitialize {
  Head head{sizeof(PluginInitialize)};
};

enum class ValueKind : std::int32_t { kString, kInteger, kIntegers, kFloat, kBool };

/// A plugin's attribute, or an option of a client.
struct NamedValue {
  Head head{sizeof(NamedValue)};
  const char* name = nullptr;
  std::size_t name_size = 0;
  ValueKind kind = ValueKind::kString;
  union {
    const char* string = nullptr;
    std::int64_t integer;
    const std::int64_t* integers;
    float number;
    bool flag;
  };
  std::size_t value_size = 0;  ///< of a string or a list; 1 for the others
};

struct PluginAttributes {
  Head head{sizeof(PluginAttributes)};
  const NamedValue* attributes = nullptr;  ///< out, the plugin's
  std::size_t count = 0;                   ///< out
};

struct EventDestroy {
  Head head{sizeof(EventDestroy)};
  Event* event = nullptr;
};

/// Blocks until the event has happened; returns its error.
struct EventAwait {
  Head head{sizeof(EventAwait)};
  Event* event = nullptr;
};

struct ClientCreate {
  Head head{sizeof(ClientCreate)};
  const NamedValue* options = nullptr;
  std::size_t option_count = 0;
  void* key_value_store[4] = {};  ///< of several processes: none
  Client* client = nullptr;       ///< out
  void* key_value_try[2] = {};    ///< likewise
};

struct ClientPlatformName {
  Head head{sizeof(ClientPlatformName)};
  Client* client = nullptr;
  const char* name = nullptr;  ///< out: "cpu", "cuda", "tpu"
  std::size_t name_size = 0;   ///< out
};

struct ClientPlatformVersion {
  Head head{sizeof(ClientPlatformVersion)};
  Client* client = nullptr;
  const char* version = nullptr;  ///< out
  std::size_t version_size = 0;   ///< out
};

struct ClientAddressableDevices {
  Head head{sizeof(ClientAddressableDevices)};
  Client* client = nullptr;
  Device* const* devices = nullptr;  ///< out, the client's
  std::size_t count = 0;             ///< out
};

struct Program {
  Head head{sizeof(Program)};
  const char* code = nullptr;
  std::size_t code_size = 0;
  const char* format = nullptr;  ///< "mlir": StableHLO, as text or bytecode
  std::size_t format_size = 0;
};

struct ClientCompile {
  Head head{sizeof(ClientCompile)};
  Client* client = nullptr;
  const Program* program = nullptr;
  const char* options = nullptr;  ///< a serialized CompileOptionsProto
  std::size_t options_size = 0;
  LoadedExecutable* executable = nullptr;  ///< out
};

enum class BufferType : std::int32_t {
  kPred = 1,
  kS8 = 2,
  kS32 = 4,
  kU8 = 6,
  kU32 = 8,
  kF32 = 11,
  kBf16 = 13
};

/// How long the host's memory holds still.
enum class HostBuffer : std::int32_t { kOnlyDuringCall, kUntilTransferCompletes };

struct ClientBufferFromHost {
  Head head{sizeof(ClientBufferFromHost)};
  Client* client = nullptr;
  const void* data = nullptr;
  BufferType type = {};
  const std::int64_t* dimensions = nullptr;
  std::size_t dimension_count = 0;
  const std::int64_t* byte_strides = nullptr;  ///< null: dense
  std::size_t byte_stride_count = 0;
  HostBuffer host_buffer = HostBuffer::kOnlyDuringCall;
  Device* device = nullptr;
  Memory* memory = nullptr;  ///< null: the device's own
  void* layout = nullptr;
  Event* done_with_host_buffer = nullptr;  ///< out
  Buffer* buffer = nullptr;                ///< out
};

struct DeviceGetDescription {
  Head head{sizeof(DeviceGetDescription)};
  Device* device = nullptr;
  DeviceDescription* description = nullptr;  ///< out, the device's
};

struct DeviceDescriptionKind {
  Head head{sizeof(DeviceDescriptionKind)};
  DeviceDescription* description = nullptr;
  const char* kind = nullptr;  ///< out: "NVIDIA H200"
  std::size_t kind_size = 0;   ///< out
};

struct ExecutableDestroy {
  Head head{sizeof(ExecutableDestroy)};
  Executable* executable = nullptr;
};

struct ExecutableNumOutputs {
  Head head{sizeof(ExecutableNumOutputs)};
  Executable* executable = nullptr;
  std::size_t count = 0;  ///< out
};

struct LoadedExecutableDestroy {
  Head head{sizeof(LoadedExecutableDestroy)};
  LoadedExecutable* executable = nullptr;
};

struct LoadedExecutableGetExecutable {
  Head head{sizeof(LoadedExecutableGetExecutable)};
  LoadedExecutable* loaded = nullptr;
  Executable* executable = nullptr;  ///< out
};

struct ExecuteOptions {
  Head head{sizeof(ExecuteOptions)};
  void* callbacks[2] = {};
  std::size_t callback_counts[2] = {};
  int launch_id = 0;
  const std::int64_t* never_donated = nullptr;  ///< indices of inputs
  std::size_t never_donated_count = 0;
  void* context = nullptr;
  const char* call_location = nullptr;
  std::size_t task_count = 0;
  int* task_ids = nullptr;
  std::int64_t* incarnation_ids = nullptr;
};

/// Enqueues a run. An input that the program aliases with an output is consumed.
struct LoadedExecutableExecute {
  Head head{sizeof(LoadedExecutableExecute)};
  LoadedExecutable* executable = nullptr;
  ExecuteOptions* options = nullptr;
  Buffer* const* const* inputs = nullptr;  ///< by device, then by argument
  std::size_t device_count = 0;
  std::size_t input_count = 0;
  Buffer** const* outputs = nullptr;  ///< by device, then by result; filled in
  Event** done = nullptr;             ///< by device; filled in
  Device* device = nullptr;           ///< null: the one that it was compiled for
};

struct BufferDestroy {
  Head head{sizeof(BufferDestroy)};
  Buffer* buffer = nullptr;
};

/// Copies to the host, dense and row-major; with destination null, says how many bytes that is.
struct BufferToHost {
  Head head{sizeof(BufferToHost)};
  Buffer* source = nullptr;
  void* layout = nullptr;
  void* destination = nullptr;
  std::size_t size = 0;    ///< of the destination; out if that is null
  Event* event = nullptr;  ///< out
};

}  // namespace systole::pjrt::abi

#include "host/pjrt/abi_queries.h"

namespace systole::pjrt::abi {

struct ApiVersion {
  Head head{sizeof(ApiVersion)};
  int major_version = 0;
  int minor_version = 0;
};

template <typename Arguments>
using Function = Error* (*)(Arguments*);
using Unused = void*;

/// A plugin's table; size tells how long it is.
struct Api {
  Head head{sizeof(Api)};
  ApiVersion version;
  void (*error_destroy)(ErrorDestroy*) = nullptr;
  void (*error_message)(ErrorMessage*) = nullptr;
  Function<ErrorGetCode> error_get_code = nullptr;
  Function<PluginInitialize> plugin_initialize = nullptr;
  Function<PluginAttributes> plugin_attributes = nullptr;
  Function<EventDestroy> event_destroy = nullptr;
  Function<Query<Event, bool>> event_is_ready = nullptr;
  Function<EventAwait> event_error = nullptr;
  Function<EventAwait> event_await = nullptr;
  Function<EventOnReady> event_on_ready = nullptr;
  Function<ClientCreate> client_create = nullptr;
  Function<Command<Client>> client_destroy = nullptr;
  Function<ClientPlatformName> client_platform_name = nullptr;
  Function<Query<Client, int>> client_process_index = nullptr;
  Function<ClientPlatformVersion> client_platform_version = nullptr;
  Function<ListQuery<Client, Device* const>> client_devices = nullptr;
  Function<ClientAddressableDevices> client_addressable_devices = nullptr;
  Function<ClientLookup> client_lookup_device = nullptr;
  Function<ClientLookup> client_lookup_addressable_device = nullptr;
  Function<ListQuery<Client, Memory* const>> client_addressable_memories = nullptr;
  Function<ClientCompile> client_compile = nullptr;
  Function<ClientDefaultAssignment> client_default_assignment = nullptr;
  Function<ClientBufferFromHost> client_buffer_from_host = nullptr;
  Function<Query<DeviceDescription, int>> device_description_id = nullptr;
  Function<Query<DeviceDescription, int>> device_description_process_index = nullptr;
  Function<CountedQuery<DeviceDescription, const NamedValue>> device_description_attributes =
      nullptr;
  Function<DeviceDescriptionKind> device_description_kind = nullptr;
  Function<TextQuery<DeviceDescription>> device_description_debug_string = nullptr;
  Function<TextQuery<DeviceDescription>> device_description_to_string = nullptr;
  Function<DeviceGetDescription> device_get_description = nullptr;
  Function<Query<Device, bool>> device_is_addressable = nullptr;
  Function<Query<Device, int>> device_local_hardware_id = nullptr;
  Function<ListQuery<Device, Memory* const>> device_addressable_memories = nullptr;
  Function<Query<Device, Memory*>> device_default_memory = nullptr;
  Unused device_memory_stats = nullptr;
  Function<Query<Memory, int>> memory_id = nullptr;
  Function<TextQuery<Memory>> memory_kind = nullptr;
  Function<TextQuery<Memory>> memory_debug_string = nullptr;
  Function<TextQuery<Memory>> memory_to_string = nullptr;
  Function<ListQuery<Memory, Device* const>> memory_addressable_by_devices = nullptr;
  Function<ExecutableDestroy> executable_destroy = nullptr;
  Function<TextQuery<Executable>> executable_name = nullptr;
  Function<Query<Executable, std::size_t>> executable_num_replicas = nullptr;
  Function<Query<Executable, std::size_t>> executable_num_partitions = nullptr;
  Function<ExecutableNumOutputs> executable_num_outputs = nullptr;
  Function<Query<Executable, std::int64_t>> executable_code_bytes = nullptr;
  Unused executable_cost_analysis = nullptr;
  Function<ExecutableOutputMemoryKinds> executable_output_memory_kinds = nullptr;
  /// Fills in a program; with its `code` null, says how many bytes that takes.
  Function<Query<Executable, Program*>> executable_optimized_program = nullptr;
  Unused executable_serialize = nullptr;
  Function<LoadedExecutableDestroy> loaded_executable_destroy = nullptr;
  Function<LoadedExecutableGetExecutable> loaded_executable_get_executable = nullptr;
  Function<ListQuery<LoadedExecutable, Device* const>> loaded_executable_addressable_devices =
      nullptr;
  Function<Command<LoadedExecutable>> loaded_executable_delete = nullptr;
  Function<Query<LoadedExecutable, bool>> loaded_executable_is_deleted = nullptr;
  Function<LoadedExecutableExecute> loaded_executable_execute = nullptr;
  Unused executable_deserialize = nullptr;
  Function<TextQuery<LoadedExecutable>> loaded_executable_fingerprint = nullptr;
  Function<BufferDestroy> buffer_destroy = nullptr;
  Function<Query<Buffer, BufferType>> buffer_element_type = nullptr;
  Function<ListQuery<Buffer, const std::int64_t>> buffer_dimensions = nullptr;
  Function<ListQuery<Buffer, const std::int64_t>> buffer_unpadded_dimensions = nullptr;
  Function<ListQuery<Buffer, const std::size_t>> buffer_dynamic_dimensions = nullptr;
  Function<Query<Buffer, MemoryLayout>> buffer_memory_layout = nullptr;
  Function<Query<Buffer, std::size_t>> buffer_size = nullptr;
  Function<Query<Buffer, Device*>> buffer_device = nullptr;
  Function<Query<Buffer, Memory*>> buffer_memory = nullptr;
  Function<Command<Buffer>> buffer_delete = nullptr;
  Function<Query<Buffer, bool>> buffer_is_deleted = nullptr;
  Function<BufferCopy<Device>> buffer_copy_to_device = nullptr;
  Function<BufferToHost> buffer_to_host = nullptr;
  Function<Query<Buffer, bool>> buffer_is_on_cpu = nullptr;
  Function<Query<Buffer, Event*>> buffer_ready_event = nullptr;
  Function<Query<Buffer, std::uintptr_t>> buffer_unsafe_pointer = nullptr;
  Unused buffer_references[3] = {};
  Unused streams[5] = {};
  Unused topologies[7] = {};
  Unused compile = nullptr;
  Function<ListQuery<Executable, const BufferType>> executable_output_types = nullptr;
  Function<ExecutableOutputDimensions> executable_output_dimensions = nullptr;
  Function<BufferCopy<Memory>> buffer_copy_to_memory = nullptr;
  Unused client_view = nullptr;
  Function<TextQuery<Executable>> executable_fingerprint = nullptr;
  Unused topology_and_statistics[2] = {};
  Function<Query<Memory, int>> memory_kind_id = nullptr;
  Unused contexts_and_transfers[14] = {};
  Unused later_buffers[5] = {};
  Function<LoadedExecutableGetAssignment> loaded_executable_get_assignment = nullptr;
  Unused later[10] = {};
};

using GetApi = const Api* (*)();
inline constexpr const char* kGetApi = "GetPjrtApi";

}  // namespace systole::pjrt::abi

// The cores as devices of TensorFlow: their memory is this process's, so copies are memcpy and
// every stream is empty when a call returns.
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <tuple>

#include "host/python/plugin/context.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

struct SP_Event_st {};
struct SP_Timer_st {
  std::chrono::steady_clock::time_point start, stop;
};

namespace systole::tensorflow {
namespace {

constexpr std::size_t kAlignment = 64;

// TensorFlow may hold a core more than once; it closes with the last.
std::mutex cores_mutex;
std::array<std::weak_ptr<Core>, kMostCores> open_cores;

using Handle = std::shared_ptr<Core>;

Core& core_of(const SP_Device* device) { return **static_cast<Handle*>(device->device_handle); }

void set_ok(TF_Status* status) { TF_SetStatus(status, TF_OK, ""); }

// A function of any arguments, the last a status, that has nothing to do.
constexpr auto succeed = [](auto... arguments) {
  set_ok(std::get<sizeof...(arguments) - 1>(std::tuple(arguments...)));
};

void* allocate(std::uint64_t size) {
  return std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
}

// A wrong $SYSTOLE_DEVICE is refused when TensorFlow opens the core: here, its text would be lost.
void get_device_count(const SP_Platform*, int* count, TF_Status* status) {
  *count = 1;
  guarded([&] { *count = core_count(); }, [](const Failure&) {});
  set_ok(status);
}

void create_device(const SP_Platform*, SE_CreateDeviceParams* params, TF_Status* status) {
  set_ok(status);
  guarded(
      [&] {
        const std::lock_guard lock(cores_mutex);
        core_count();
        auto& open = open_cores.at(static_cast<std::size_t>(params->ordinal));
        Handle core = open.lock();
        if (core == nullptr) open = core = std::make_shared<Core>();
        params->device->device_handle = new Handle(std::move(core));
        params->device->hardware_name = "Systole";
        params->device->device_vendor = "Systole";
        params->device->pci_bus_id = "";
      },
      [&](const Failure& failure) { Status::fill(status, failure); });
}

void destroy_device(const SP_Platform*, SP_Device* device) {
  delete static_cast<Handle*>(device->device_handle);
  device->device_handle = nullptr;
}

void fill_memory(SP_StreamExecutor& executor) {
  executor.allocate = [](const SP_Device*, std::uint64_t size, std::int64_t,
                         SP_DeviceMemoryBase* memory) {
    memory->struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE;
    memory->opaque = allocate(size);
    memory->size = memory->opaque == nullptr ? 0 : size;
  };
  executor.deallocate = [](const SP_Device*, SP_DeviceMemoryBase* memory) {
    std::free(memory->opaque);
    memory->opaque = nullptr;
    memory->size = 0;
  };
  executor.host_memory_allocate = [](const SP_Device*, std::uint64_t size) {
    return allocate(size);
  };
  executor.host_memory_deallocate = [](const SP_Device*, void* memory) { std::free(memory); };
  executor.get_allocator_stats = [](const SP_Device*, SP_AllocatorStats*) -> TF_Bool { return 0; };
  executor.device_memory_usage = [](const SP_Device*, std::int64_t* free,
                                    std::int64_t* total) -> TF_Bool {
    const std::int64_t page = sysconf(_SC_PAGESIZE);
    *free = page * sysconf(_SC_AVPHYS_PAGES);
    *total = page * sysconf(_SC_PHYS_PAGES);
    return 1;
  };
  executor.mem_zero = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* to, std::uint64_t size,
                         TF_Status* status) {
    std::memset(to->opaque, 0, size);
    set_ok(status);
  };
  executor.memset = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* to, std::uint8_t pattern,
                       std::uint64_t size, TF_Status* status) {
    std::memset(to->opaque, pattern, size);
    set_ok(status);
  };
  executor.memset32 = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* to,
                         std::uint32_t pattern, std::uint64_t size, TF_Status* status) {
    std::fill_n(static_cast<std::uint32_t*>(to->opaque), size / sizeof pattern, pattern);
    set_ok(status);
  };
}

void copy_to_host(const SP_Device* device, void* to, const SP_DeviceMemoryBase* from,
                  std::uint64_t size, TF_Status* status) {
  std::memcpy(to, from->opaque, size);
  core_of(device).count_copy(true);
  set_ok(status);
}

void copy_to_device(const SP_Device* device, SP_DeviceMemoryBase* to, const void* from,
                    std::uint64_t size, TF_Status* status) {
  std::memcpy(to->opaque, from, size);
  core_of(device).count_copy(false);
  set_ok(status);
}

void copy_on_device(const SP_Device*, SP_DeviceMemoryBase* to, const SP_DeviceMemoryBase* from,
                    std::uint64_t size, TF_Status* status) {
  std::memcpy(to->opaque, from->opaque, size);
  set_ok(status);
}

// The same for a call that names a stream.
template <auto kCopy>
constexpr auto on_stream =
    [](const SP_Device* device, SP_Stream, auto... copied) { kCopy(device, copied...); };

void fill_copies(SP_StreamExecutor& executor) {
  executor.sync_memcpy_dtoh = copy_to_host;
  executor.sync_memcpy_htod = copy_to_device;
  executor.sync_memcpy_dtod = copy_on_device;
  executor.memcpy_dtoh = on_stream<copy_to_host>;
  executor.memcpy_htod = on_stream<copy_to_device>;
  executor.memcpy_dtod = on_stream<copy_on_device>;
}

void fill_streams(SP_StreamExecutor& executor) {
  executor.create_stream = [](const SP_Device* device, SP_Stream* stream, TF_Status* status) {
    *stream = new SP_Stream_st{&core_of(device)};
    set_ok(status);
  };
  executor.destroy_stream = [](const SP_Device*, SP_Stream stream) { delete stream; };
  executor.create_stream_dependency = succeed;
  executor.get_stream_status = succeed;
  executor.create_event = [](const SP_Device*, SP_Event* event, TF_Status* status) {
    *event = new SP_Event_st;
    set_ok(status);
  };
  executor.destroy_event = [](const SP_Device*, SP_Event event) { delete event; };
  executor.get_event_status = [](const SP_Device*, SP_Event) { return SE_EVENT_COMPLETE; };
  executor.record_event = succeed;
  executor.wait_for_event = succeed;
  executor.block_host_for_event = succeed;
  executor.block_host_until_done = succeed;
  executor.synchronize_all_activity = succeed;
  executor.host_callback = [](const SP_Device*, SP_Stream, SE_StatusCallbackFn callback,
                              void* argument) -> TF_Bool {
    const Status status;
    callback(argument, status);
    return TF_GetCode(status) == TF_OK;
  };
}

void fill_timers(SP_StreamExecutor& executor) {
  executor.create_timer = [](const SP_Device*, SP_Timer* timer, TF_Status* status) {
    *timer = new SP_Timer_st;
    set_ok(status);
  };
  executor.destroy_timer = [](const SP_Device*, SP_Timer timer) { delete timer; };
  executor.start_timer = [](const SP_Device*, SP_Stream, SP_Timer timer, TF_Status* status) {
    timer->start = std::chrono::steady_clock::now();
    set_ok(status);
  };
  executor.stop_timer = [](const SP_Device*, SP_Stream, SP_Timer timer, TF_Status* status) {
    timer->stop = std::chrono::steady_clock::now();
    set_ok(status);
  };
}

void fill(SP_PlatformFns& functions) {
  functions.get_device_count = get_device_count;
  functions.create_device = create_device;
  functions.destroy_device = destroy_device;
  functions.create_device_fns = [](const SP_Platform*, SE_CreateDeviceFnsParams* params,
                                   TF_Status* status) {
    params->device_fns->struct_size = SP_DEVICE_FNS_STRUCT_SIZE;
    set_ok(status);
  };
  functions.destroy_device_fns = [](const SP_Platform*, SP_DeviceFns*) {};
  functions.create_stream_executor = [](const SP_Platform*, SE_CreateStreamExecutorParams* params,
                                        TF_Status* status) {
    params->stream_executor->struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE;
    fill_memory(*params->stream_executor);
    fill_copies(*params->stream_executor);
    fill_streams(*params->stream_executor);
    fill_timers(*params->stream_executor);
    set_ok(status);
  };
  functions.destroy_stream_executor = [](const SP_Platform*, SP_StreamExecutor*) {};
  functions.create_timer_fns = [](const SP_Platform*, SP_TimerFns* timers, TF_Status* status) {
    timers->nanoseconds = [](SP_Timer timer) {
      return static_cast<std::uint64_t>(
          std::chrono::nanoseconds(timer->stop - timer->start).count());
    };
    set_ok(status);
  };
  functions.destroy_timer_fns = [](const SP_Platform*, SP_TimerFns*) {};
}

}  // namespace
}  // namespace systole::tensorflow

using namespace systole::tensorflow;

extern "C" {

SYSTOLE_API void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status) {
  params->platform->struct_size = SP_PLATFORM_STRUCT_SIZE;
  params->platform->name = kDeviceType;
  params->platform->type = kDeviceType;
  params->platform->use_bfc_allocator = 1;
  params->platform->force_memory_growth = 1;
  params->platform_fns->struct_size = SP_PLATFORM_FNS_STRUCT_SIZE;
  fill(*params->platform_fns);
  params->destroy_platform = [](SP_Platform*) {};
  params->destroy_platform_fns = [](SP_PlatformFns*) {};
  TF_SetStatus(status, TF_OK, "");
}

SYSTOLE_API void TF_InitKernel() {
  add_adam();
  add_products();
  add_convolutions();
  add_elementwise();
  add_pooling();
  add_reductions();
}

/// Returns 0, or 1 for a core that is not open.
SYSTOLE_API int32_t systole_tensorflow_count(int32_t core, systole_core_counters* counters) {
  const std::lock_guard lock(cores_mutex);
  const auto index = static_cast<std::size_t>(core);
  const Handle open = index < open_cores.size() ? open_cores[index].lock() : nullptr;
  if (open == nullptr) return 1;
  *counters = open->counters();
  return 0;
}
}

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "host/pjrt/abi.h"
#include "host/python/core/core.h"
#include "host/python/pjrt_plugin/compile_options.h"
#include "host/python/pjrt_plugin/program.h"

/// What the plugin's handles stand for.
namespace systole::pjrt::abi {

struct Error {
  ErrorCode code = {};
  std::string message;
};

/// Calls end when their work is done, so every event has happened.
struct Event {};

/// The memory of a core.
struct Memory {
  int id = 0;
  Device* device = nullptr;
  std::string name = {};
};

struct DeviceDescription {
  int id = 0;
  std::string name = {};
};

struct Device {
  Device(Client& client, int id);

  Client& client;
  DeviceDescription description;
  Memory memory;
  Memory* memories[1];
  Device* self[1];
};

struct Client {
  explicit Client(int cores);

  std::vector<std::unique_ptr<Device>> cores;
  std::vector<Device*> devices;
  std::vector<Memory*> memories;

  /// Errors   python::Failure for a number that no core has
  Device* core(std::int64_t id) const;
  /// Those that run a program together, in this order.
  std::shared_ptr<OpenedCores> opened(const std::vector<std::int64_t>& ids);

 private:
  std::mutex mutex_;
  std::map<std::vector<std::int64_t>, std::shared_ptr<OpenedCores>> opened_;
};

/// A value on a core.
struct Buffer {
  Device* device = nullptr;
  systole_element element = {};
  std::vector<std::int64_t> dimensions;
  std::vector<std::int64_t> minor_to_major;
  std::shared_ptr<Storage> storage;  ///< null if it was deleted or donated
  std::size_t size = 0;

  Buffer(Device& where, systole_element element, std::vector<std::int64_t> shape,
         std::shared_ptr<Storage> storage);
};

/// A program and where it runs.
struct Compiled {
  CompileOptions options;
  std::shared_ptr<pjrt::Program> program;
  /// Of several devices: how parameters and results lie on them, a HloModuleProtoWithConfig.
  std::string shardings;
};

struct Executable {
  std::shared_ptr<const Compiled> compiled;
  const pjrt::Program& program() const { return *compiled->program; }
};

struct LoadedExecutable {
  std::shared_ptr<const Compiled> compiled;
  std::vector<Device*> devices;
  bool is_deleted = false;
};

}  // namespace systole::pjrt::abi

namespace systole::pjrt {

/// The one event.
abi::Event* happened();

/// Answers a query with items, or with a text's characters.
template <typename Query, typename Items>
abi::Error* tell(Query* query, const Items& items) {
  query->items = items.data();
  query->count = items.size();
  return nullptr;
}

/// Calls `work`; its exceptions become PJRT's errors.
template <typename Work>
abi::Error* guarded(const Work& work) {
  abi::Error* error = nullptr;
  python::guarded(work, [&](const python::Failure& failure) {
    error = new abi::Error{static_cast<abi::ErrorCode>(failure.code()), failure.what()};
  });
  return error;
}

// A part of the table each.
void set_client(abi::Api& api);
void set_devices(abi::Api& api);
void set_executables(abi::Api& api);
void set_buffers(abi::Api& api);

}  // namespace systole::pjrt

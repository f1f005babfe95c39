#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/pjrt/abi.h"

namespace systole::pjrt {

class Plugin;

/// A plugin's object, destroyed with this.
template <typename T>
class Handle {
 public:
  using Destroy = void (*)(const Plugin& plugin, T* object);

  Handle() = default;
  Handle(const Plugin& plugin, Destroy destroy, T* object)
      : plugin_(&plugin), destroy_(destroy), object_(object) {}
  Handle(Handle&& other) noexcept { *this = std::move(other); }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(plugin_, other.plugin_);
    std::swap(destroy_, other.destroy_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_ != nullptr) destroy_(*plugin_, object_);
  }
  T* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  const Plugin* plugin_ = nullptr;
  Destroy destroy_ = nullptr;
  T* object_ = nullptr;
};

using Buffer = Handle<abi::Buffer>;  ///< a tensor in the device's memory
using Event = Handle<abi::Event>;

/// A step that a plugin has compiled for its device.
struct Executable {
  Handle<abi::LoadedExecutable> loaded = {};
  std::size_t outputs = 0;
};

/// What a plugin says of itself and its device.
struct ClientInfo {
  std::string path;
  std::string platform;          ///< "cpu", "cuda", "tpu"
  std::string platform_version;  ///< "cuda 13000"
  std::string device;            ///< "NVIDIA H200"
  std::string api;               ///< of the plugin: "0.112"
  std::map<std::string, std::string> attributes = {};
  std::int64_t devices = 0;  ///< of this process; the first one is used
};

/// The first device of a plugin: compiles StableHLO, holds tensors, runs steps. NVIDIA's plugin is
/// jax_plugins/xla_cuda13/xla_cuda_plugin.so of the package jax-cuda13-pjrt.
///
/// Shapes   tensors are dense and row-major
/// Timing   put and run return before the work is done; its errors come with await or read. One
///          thread drives a client
/// Errors   DeviceError with the plugin's text, in one line; MemoryFull where it says that memory
///          is exhausted
class Client {
 public:
  /// The client of this plugin. A process has one for each path, until it ends: some plugins cannot
  /// be opened twice. For libtpu, sets TPU_SKIP_MDS_QUERY=1 where the environment does not have it:
  /// it else waits for a cloud's metadata server.
  ///
  /// Errors   std::invalid_argument for a file that is missing or not a plugin, and for an older
  ///          API; DeviceError for a plugin without a device
  static Client& open(const std::string& path);

  ClientInfo info() const;

  /// Compiles a module's function @main, for one device.
  Executable compile(const std::string& text) const;

  /// Copies a tensor to the device; `done` is ready when `values` may change.
  Buffer put(abi::BufferType type, std::span<const std::int64_t> shape, const void* values,
             Event& done) const;

  /// Enqueues a run, after those before; `done` is ready when it has ended. An input that the text
  /// gives to an output is consumed.
  std::vector<Buffer> run(const Executable& executable, std::span<abi::Buffer* const> inputs,
                          Event& done) const;

  void await(Event event) const;
  /// Waits for a tensor and copies it to the host.
  ///
  /// Limits   `values` has the tensor's size
  void read(const Buffer& buffer, std::span<std::byte> values) const;

 private:
  explicit Client(const std::string& path);

  std::unique_ptr<Plugin> plugin_;
  abi::Client* client_ = nullptr;
  std::span<abi::Device* const> devices_;
};

}  // namespace systole::pjrt

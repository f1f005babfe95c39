// A PJRT plugin: what JAX, Flax and Keras compile runs on the cores that $SYSTOLE_DEVICE names.
//
// Calls are synchronous. A function that the plugin lacks gives an error, which JAX passes on where
// it needs it.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "host/python/pjrt_plugin/exported.h"
#include "host/python/pjrt_plugin/objects.h"

namespace systole::pjrt {
namespace {

using abi::Api;
using abi::Error;

// What the functions that are not here give.
Error* missing(void*) {
  return new Error{abi::ErrorCode::kUnimplemented,
                   "Systole's plugin does not have this function of PJRT"};
}

void set_errors(Api& api) {
  api.error_destroy = [](abi::ErrorDestroy* arguments) { delete arguments->error; };
  api.error_message = [](abi::ErrorMessage* arguments) {
    arguments->message = arguments->error->message.data();
    arguments->message_size = arguments->error->message.size();
  };
  api.error_get_code = [](abi::ErrorGetCode* arguments) -> Error* {
    arguments->code = arguments->error->code;
    return nullptr;
  };
}

// JAX writes programs in the version of StableHLO that the plugin names, or in its own if that is
// older: 1.13.0 has the algorithms of products and the accuracy of functions, and does not change.
Error* attributes(abi::PluginAttributes* arguments) {
  static constexpr std::array<std::int64_t, 3> kCurrent{1, 13, 0}, kLeast{0, 9, 0};
  static const auto kAttributes = [] {
    std::array<abi::NamedValue, 2> values;
    const auto set = [](abi::NamedValue& value, std::string_view name,
                        const std::array<std::int64_t, 3>& version) {
      value.name = name.data();
      value.name_size = name.size();
      value.kind = abi::ValueKind::kIntegers;
      value.integers = version.data();
      value.value_size = version.size();
    };
    set(values[0], "stablehlo_current_version", kCurrent);
    set(values[1], "stablehlo_minimum_version", kLeast);
    return values;
  }();
  arguments->attributes = kAttributes.data();
  arguments->count = kAttributes.size();
  return nullptr;
}

void set_events(Api& api) {
  api.event_destroy = [](abi::EventDestroy*) -> Error* { return nullptr; };
  api.event_is_ready = [](abi::Query<abi::Event, bool>* arguments) -> Error* {
    arguments->value = true;
    return nullptr;
  };
  api.event_error = [](abi::EventAwait*) -> Error* { return nullptr; };
  api.event_await = [](abi::EventAwait*) -> Error* { return nullptr; };
  api.event_on_ready = [](abi::EventOnReady* arguments) -> Error* {
    arguments->callback(nullptr, arguments->user);
    return nullptr;
  };
}

Api table() {
  Api api;
  const auto first = offsetof(Api, error_destroy);
  for (std::size_t at = first; at < sizeof(Api); at += sizeof(abi::Unused)) {
    Error* (*const function)(void*) = missing;
    std::memcpy(reinterpret_cast<std::byte*>(&api) + at, &function, sizeof(function));
  }
  api.version = {.major_version = abi::kMajorVersion, .minor_version = abi::kLeastMinorVersion};
  set_errors(api);
  api.plugin_initialize = [](abi::PluginInitialize*) -> Error* { return nullptr; };
  api.plugin_attributes = attributes;
  set_events(api);
  set_client(api);
  set_devices(api);
  set_executables(api);
  set_buffers(api);
  return api;
}

}  // namespace

abi::Event* happened() {
  static abi::Event event;
  return &event;
}

}  // namespace systole::pjrt

extern "C" {

SYSTOLE_API const systole::pjrt::abi::Api* GetPjrtApi() {
  static const systole::pjrt::abi::Api kApi = systole::pjrt::table();
  return &kApi;
}

std::int64_t systole_pjrt_last_run(systole_step* step, const char** device, const char** on_host) {
  thread_local systole::pjrt::LastRun run;
  run = systole::pjrt::last_run();
  *step = run.step;
  *device = run.device.c_str();
  *on_host = run.on_host.c_str();
  return run.number;
}

const char* systole_pjrt_fallback(std::int64_t index) {
  const std::string* found = systole::pjrt::fallback(static_cast<std::size_t>(index));
  return found == nullptr ? nullptr : found->c_str();
}
}

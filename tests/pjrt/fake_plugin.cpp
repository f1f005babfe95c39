// A PJRT plugin that does nothing but fail, as the environment's FAKE_PJRT says.
#include <cstdlib>
#include <cstring>
#include <string>

#include "host/pjrt/abi.h"

namespace systole::pjrt::abi {

struct Error {
  std::string message;
  ErrorCode code = {};
};

namespace {

constexpr int kInternal = 13;

bool fails(const char* how) {
  const char* word = std::getenv("FAKE_PJRT");
  return word != nullptr && std::strcmp(word, how) == 0;
}

Error* fail(const char* message, ErrorCode code = static_cast<ErrorCode>(kInternal)) {
  return new Error{message, code};
}

template <typename T>
T* object() {
  static char bytes = 0;
  return reinterpret_cast<T*>(&bytes);
}

Api table() {
  Api api;
  api.version.minor_version = kLeastMinorVersion;
  api.error_destroy = [](ErrorDestroy* arguments) { delete arguments->error; };
  api.error_message = [](ErrorMessage* arguments) {
    arguments->message = arguments->error->message.data();
    arguments->message_size = arguments->error->message.size();
  };
  api.error_get_code = [](ErrorGetCode* arguments) -> Error* {
    arguments->code = arguments->error->code;
    return nullptr;
  };
  api.plugin_initialize = [](PluginInitialize*) -> Error* { return nullptr; };
  api.plugin_attributes = [](PluginAttributes*) -> Error* { return nullptr; };
  api.client_create = [](ClientCreate* arguments) -> Error* {
    if (fails("no_gpu")) return fail("FAILED_PRECONDITION: No visible GPU devices.\n  at x.cc:1\n");
    arguments->client = object<Client>();
    return nullptr;
  };
  api.client_addressable_devices = [](ClientAddressableDevices* arguments) -> Error* {
    static Device* device = object<Device>();
    arguments->devices = &device;
    arguments->count = fails("no_device") ? 0 : 1;
    return nullptr;
  };
  api.client_platform_name = [](ClientPlatformName* arguments) -> Error* {
    arguments->name = std::getenv("TPU_SKIP_MDS_QUERY");  // what the test looks at
    arguments->name_size = std::strlen(arguments->name);
    return nullptr;
  };
  api.client_platform_version = [](ClientPlatformVersion*) -> Error* { return nullptr; };
  api.device_get_description = [](DeviceGetDescription*) -> Error* { return nullptr; };
  api.device_description_kind = [](DeviceDescriptionKind*) -> Error* { return nullptr; };
  api.client_compile = [](ClientCompile*) -> Error* {
    return fail("UNIMPLEMENTED: no such\noperation");
  };
  api.client_buffer_from_host = [](ClientBufferFromHost*) -> Error* {
    return fail("RESOURCE_EXHAUSTED: Out of memory", ErrorCode::kResourceExhausted);
  };
  if (fails("old_major")) api.version.major_version = -1;
  if (fails("old_minor")) api.version.minor_version = kLeastMinorVersion - 1;
  if (fails("short")) api.head.size = sizeof(Api) - 8;
  return api;
}

}  // namespace
}  // namespace systole::pjrt::abi

extern "C" const systole::pjrt::abi::Api* GetPjrtApi() {
  static const systole::pjrt::abi::Api api = systole::pjrt::abi::table();
  return systole::pjrt::abi::fails("no_table") ? nullptr : &api;
}

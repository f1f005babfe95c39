#include "host/pjrt/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "host/device/device.h"

namespace systole::pjrt {
namespace {

// A text without its line breaks, which begins with what matters.
std::string one_line(std::string_view text) {
  constexpr std::size_t kMost = 600;
  std::string line;
  for (const char c : text) {
    const bool is_space = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!is_space) line += c;
    if (is_space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  if (line.size() > kMost) line = line.substr(0, kMost) + "...";
  return line;
}

abi::GetApi load(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) {
    throw std::invalid_argument(
        fmt::format("no PJRT plugin at '{}': name the plugin's library, as in "
                    "pjrt:/path/to/xla_cuda_plugin.so",
                    path));
  }
  // Without a slash the loader would look elsewhere.
  const std::string absolute = std::filesystem::absolute(path).string();
  void* library = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw std::invalid_argument(
        fmt::format("'{}' is no PJRT plugin: {}", path, one_line(dlerror())));
  }
  const auto get_api = reinterpret_cast<abi::GetApi>(dlsym(library, abi::kGetApi));
  if (get_api == nullptr) {
    dlclose(library);
    throw std::invalid_argument(
        fmt::format("'{}' is no PJRT plugin: it has no function {}", path, abi::kGetApi));
  }
  return get_api;
}

}  // namespace

Plugin::Plugin(const std::string& path) : path_(path) {
  // libtpu asks a metadata server that only a cloud has, for minutes.
  setenv("TPU_SKIP_MDS_QUERY", "1", 0);
  api_ = load(path)();
  if (api_ == nullptr) {
    throw std::invalid_argument(
        fmt::format("'{}' is no PJRT plugin: {} returns nothing", path, abi::kGetApi));
  }
  const auto [major, minor] = std::pair(api_->version.major_version, api_->version.minor_version);
  if (major != abi::kMajorVersion || minor < abi::kLeastMinorVersion ||
      api_->head.size < sizeof(abi::Api)) {
    throw std::invalid_argument(fmt::format(
        "the plugin '{}' has PJRT {}.{}, and this systole needs {}.{} or a later {}.x: install a "
        "plugin of another version",
        path, major, minor, abi::kMajorVersion, abi::kLeastMinorVersion, abi::kMajorVersion));
  }
  abi::PluginInitialize initialize;
  call(api_->plugin_initialize, initialize, "cannot start");
}

void Plugin::need_success(abi::Error* error, std::string_view what) const {
  if (error == nullptr) return;
  abi::ErrorMessage message{.error = error};
  api_->error_message(&message);
  abi::ErrorGetCode code{.error = error};
  api_->error_get_code(&code);
  const std::string text =
      fmt::format("the plugin '{}' {}: {}", path_, what,
                  one_line(std::string_view(message.message, message.message_size)));
  abi::ErrorDestroy destroy{.error = error};
  api_->error_destroy(&destroy);
  if (code.code == abi::ErrorCode::kResourceExhausted) throw MemoryFull(text);
  throw DeviceError(text);
}

}  // namespace systole::pjrt

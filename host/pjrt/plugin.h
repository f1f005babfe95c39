#pragma once

#include <string>
#include <string_view>

#include "host/pjrt/abi.h"

namespace systole::pjrt {

/// A plugin's library and its functions.
///
/// Errors   open throws std::invalid_argument for a file that is missing or not a plugin, and for
///          an older API; call throws as Client
class Plugin {
 public:
  /// Loads the library, which stays loaded, and initializes the plugin.
  explicit Plugin(const std::string& path);

  const abi::Api& api() const { return *api_; }
  const std::string& path() const { return path_; }

  /// Calls a function; `what` names the work for errors.
  template <typename Arguments>
  void call(abi::Function<Arguments> function, Arguments& arguments, std::string_view what) const {
    need_success(function(&arguments), what);
  }

  /// Throws what an error says, and destroys it; nothing for null.
  void need_success(abi::Error* error, std::string_view what) const;

 private:
  std::string path_;
  const abi::Api* api_ = nullptr;
};

}  // namespace systole::pjrt

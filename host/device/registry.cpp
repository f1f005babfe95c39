#include "host/device/registry.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "host/device/cpu_backend.h"

namespace systole {
namespace {

// Local, so that registration before main finds it constructed whatever the link order.
std::vector<BackendEntry>& registry() {
  static std::vector<BackendEntry> entries{cpu_backend_entry()};
  return entries;
}
std::vector<BackendEntry>& placed_registry() {
  static std::vector<BackendEntry> entries;
  return entries;
}

}  // namespace

void register_backend(BackendEntry entry) {
  if (entry.info.name.empty() || (entry.place.empty() ? !entry.make : !entry.make_at)) {
    throw std::invalid_argument("a backend needs a name and a maker");
  }
  for (const auto* entries : {&registry(), &placed_registry()}) {
    for (const BackendEntry& known : *entries) {
      if (known.info.name == entry.info.name) {
        throw std::invalid_argument(
            fmt::format("a backend named '{}' is registered already", entry.info.name));
      }
    }
  }
  (entry.place.empty() ? registry() : placed_registry()).push_back(std::move(entry));
}

const std::vector<BackendEntry>& backends() { return registry(); }
const std::vector<BackendEntry>& placed_backends() { return placed_registry(); }

}  // namespace systole

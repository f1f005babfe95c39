#include "host/cli/strategy_option.h"

#include <stdexcept>

#include "host/cli/device_options.h"
#include "host/cli/usage_error.h"

namespace systole {

void add_cores_option(CLI::App& command, std::optional<int>& cores) {
  add_count(command, "--cores", cores,
            "Cores that share each batch, in each rank (default: $SYSTOLE_DEVICE's, or 1)");
}

Strategy open_strategy(const std::string& device, const DeviceOptions& machine,
                       std::optional<int> cores) {
  try {
    return as_usage([&] {
      return Strategy(initialize(Resolver::connect(
          {.device = device, .machine = machine, .cores = cores, .usual_cores = 1})));
    });
  } catch (const NotConnected& error) {
    throw UsageError(error.what());
  }
}

}  // namespace systole

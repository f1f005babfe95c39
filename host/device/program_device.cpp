#include "host/device/program_device.h"

#include <atomic>

namespace systole {

std::uint64_t new_program_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace systole

// libFuzzer's entry for the reader that FUZZ_READER names, which writes that reader's seeds to the
// folder FUZZ_SEEDS first. Run by scripts/fuzz.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/fuzz/readers.h"

namespace {

const char* setting(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? throw std::invalid_argument(std::string("set ") + name) : value;
}

const systole::tests::Reader& chosen() {
  static const systole::tests::Reader& reader = systole::tests::reader(setting("FUZZ_READER"));
  return reader;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const std::filesystem::path folder = setting("FUZZ_SEEDS");
  for (int number = 0; const auto& seed : chosen().seeds()) {
    std::ofstream(folder / ("seed" + std::to_string(number++)), std::ios::binary)
        .write(reinterpret_cast<const char*>(seed.data()), std::ssize(seed));
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen().accepts({data, size});
  return 0;
}

#include "tests/pjrt/cpu_plugin.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

namespace systole::tests {

std::string cpu_plugin() {
  namespace fs = std::filesystem;
  if (const char* path = std::getenv("SYSTOLE_PJRT_CPU")) return path;
  std::error_code error;
  for (const auto& python : fs::directory_iterator(SYSTOLE_FRAMEWORKS "/lib", error)) {
    const fs::path path =
        python.path() / "site-packages/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so";
    if (fs::exists(path)) return path.string();
  }
  WARN("skipped: no PJRT plugin for the CPU; scripts/setup installs it");
  return {};
}

}  // namespace systole::tests

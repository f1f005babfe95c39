#include "host/python/pjrt_plugin/partition.h"

#include <atomic>
#include <cstddef>

#include "host/python/core/core.h"
#include "host/python/pjrt_plugin/exported.h"

struct systole_pjrt_partitioned {
  systole::pjrt::Partitioned program = {};
  std::string error = {};
};

namespace systole::pjrt {
namespace {

std::atomic<systole_pjrt_partitioner> set_partitioner = nullptr;

}  // namespace

Partitioned partition(std::string_view artifact) {
  const systole_pjrt_partitioner partitioner = set_partitioner;
  if (partitioner == nullptr) {
    throw python::Failure(python::Code::kUnimplemented,
                          "a program of several devices needs jaxlib's partitioner: let JAX load "
                          "this plugin (docs/pjrt.md)");
  }
  systole_pjrt_partitioned result{.error = "the partitioner gave no program"};
  partitioner(artifact.data(), artifact.size(), &result);
  if (!result.error.empty()) throw python::Failure(python::Code::kUnimplemented, result.error);
  return std::move(result.program);
}

}  // namespace systole::pjrt

void systole_pjrt_set_partitioner(systole_pjrt_partitioner partitioner) {
  systole::pjrt::set_partitioner = partitioner;
}

void systole_pjrt_give_partitioned(systole_pjrt_partitioned* result, const char* artifact,
                                   std::size_t size, const char* shardings,
                                   std::size_t shardings_size) {
  *result = {.program = {.artifact = {artifact, size}, .shardings = {shardings, shardings_size}},
             .error = {}};
}

void systole_pjrt_refuse_partitioning(systole_pjrt_partitioned* result, const char* error) {
  result->error = error;
}

#include "host/python/core/core.h"

#include <fmt/format.h>
#include <malloc.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace systole::python {
namespace {

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

std::int32_t number(std::string_view name, std::string_view value) {
  std::int32_t result = 0;
  if (const auto [stop, error] = std::from_chars(value.begin(), value.end(), result);
      error != std::errc{} || stop != value.end()) {
    throw Failure(Code::kInvalidArgument,
                  fmt::format("${} is '{}', which is no number", name, value));
  }
  return result;
}

std::int32_t number(const char* name) {
  const char* value = variable(name);
  return value == nullptr ? 0 : number(name, value);
}

// $SYSTOLE_DEVICE: NAME or NAME:CORES.
struct Wanted {
  std::string device = "model";
  int cores = 1;
};

Wanted wanted() {
  constexpr const char* kVariable = "SYSTOLE_DEVICE";
  const char* value = variable(kVariable);
  if (value == nullptr) return {};
  const std::string text = value;
  const auto colon = text.find(':');
  if (colon == std::string::npos) return {.device = text, .cores = 1};
  const int cores = number(kVariable, std::string_view(text).substr(colon + 1));
  if (cores < 1 || cores > kMostCores) {
    throw Failure(Code::kInvalidArgument, fmt::format("${} is '{}': a process has 1 to {} cores",
                                                      kVariable, text, kMostCores));
  }
  return {.device = text.substr(0, colon), .cores = cores};
}

Code code(systole_status status) {
  switch (status) {
    case SYSTOLE_INVALID_ARGUMENT:
      return Code::kInvalidArgument;
    case SYSTOLE_OUT_OF_MEMORY:
      return Code::kResourceExhausted;
    case SYSTOLE_FORKED:
      return Code::kFailedPrecondition;
    default:
      return Code::kInternal;
  }
}

// XLA allocates its temporary values again in each step. glibc returns blocks above 32 MiB to the
// system at once, and the page faults of the next step cost as much as its work.
void keep_freed_memory() {
  constexpr int kKept = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kKept);
  mallopt(M_TRIM_THRESHOLD, kKept);
}

}  // namespace

int core_count() { return wanted().cores; }

void check(systole_status status) {
  if (status != SYSTOLE_OK) throw Failure(code(status), systole_error());
}

systole_device* open_device(int cores) {
  const std::string name = wanted().device;
  const systole_options options{.configuration = variable("SYSTOLE_CONFIGURATION"),
                                .array_size = number("SYSTOLE_ARRAY_SIZE"),
                                .threads = number("SYSTOLE_THREADS"),
                                .precision = variable("SYSTOLE_PRECISION"),
                                .cores = cores};
  systole_device* device = nullptr;
  check(systole_open(name.c_str(), &options, &device));
  keep_freed_memory();
  return device;
}

Core::Core() : device_(open_device()) { check(systole_info(device_, &counters_.core)); }

Core::~Core() {
  for (const auto& [text, program] : programs_) systole_release(program);
  systole_close(device_);
}

systole_step Core::run(const std::string& text, std::span<const systole_buffer> inputs,
                       const systole_buffer& output) {
  const std::lock_guard lock(mutex_);
  systole_program*& program = programs_[text];
  if (program == nullptr) check(systole_compile(device_, text.data(), text.size(), &program));
  check(systole_run(program, inputs.data(), static_cast<std::int32_t>(inputs.size()), &output, 1));
  systole_step step{};
  check(systole_last_run(program, &step));
  add(counters_.done, step);
  ++counters_.calls;
  return step;
}

systole_core_counters Core::counters() {
  const std::lock_guard lock(mutex_);
  systole_core_counters counters = counters_;
  counters.done.utilization = utilization(counters.done, counters.core);
  return counters;
}

void add(systole_step& sum, const systole_step& step) {
  for (const auto member :
       {&systole_step::clocks, &systole_step::products, &systole_step::macs,
        &systole_step::stall_load, &systole_step::stall_store, &systole_step::stall_weights,
        &systole_step::stall_sums, &systole_step::stall_idle}) {
    sum.*member += step.*member;
  }
  sum.seconds += step.seconds;
}

double utilization(const systole_step& done, const systole_device_info& core) {
  const auto size = static_cast<std::uint64_t>(core.array_size);
  const std::uint64_t most = done.clocks * size * size;
  return most == 0 ? 0 : static_cast<double>(done.macs) / static_cast<double>(most);
}

void Core::count_copy(bool from_core) {
  const std::lock_guard lock(mutex_);
  ++(from_core ? counters_.from_core : counters_.to_core);
}

}  // namespace systole::python

#include "host/capi/systole.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "host/capi/device_program.h"
#include "host/capi/processor_program.h"
#include "host/device/backend.h"
#include "host/device/configurations.h"
#include "host/distribute/resolver.h"
#include "host/nn/training/step_runner.h"

using namespace systole;
using systole::capi::ForkedError;
using systole::capi::SharedDevice;

struct systole_device {
  std::shared_ptr<SharedDevice> shared;
  std::string precision;
};

struct systole_program {
  std::unique_ptr<capi::Program> program;
};

namespace {

std::string& last_error() {
  thread_local std::string error;
  return error;
}

systole_status fail(systole_status status, const char* what) noexcept {
  try {
    last_error() = what;
  } catch (const std::bad_alloc&) {
  }
  return status;
}

// No exception leaves the library.
template <typename Work>
systole_status guarded(const Work& work) noexcept {
  try {
    work();
    return SYSTOLE_OK;
  } catch (const ForkedError& error) {
    return fail(SYSTOLE_FORKED, error.what());
  } catch (const MemoryFull& error) {
    return fail(SYSTOLE_OUT_OF_MEMORY, error.what());
  } catch (const DeviceError& error) {
    return fail(SYSTOLE_DEVICE_ERROR, error.what());
  } catch (const std::invalid_argument& error) {
    return fail(SYSTOLE_INVALID_ARGUMENT, error.what());
  } catch (const std::bad_alloc&) {
    return fail(SYSTOLE_OUT_OF_MEMORY, "the host's memory is full");
  } catch (const std::exception& error) {
    return fail(SYSTOLE_INTERNAL_ERROR, error.what());
  }
}

template <typename T>
T& need(T* pointer, std::string_view what) {
  if (pointer == nullptr) throw std::invalid_argument(fmt::format("{} is NULL", what));
  return *pointer;
}

// Descriptions with a life of the library's.
const std::vector<DeviceInfo>& devices() {
  static const std::vector<DeviceInfo> kDevices = Device::list();
  return kDevices;
}

template <typename Range>
auto item(const Range& range, std::int32_t index) -> decltype(&range[0]) {
  return index < 0 || index >= std::ssize(range) ? nullptr
                                                 : &range[static_cast<std::size_t>(index)];
}

DeviceOptions device_options(const systole_options& chosen) {
  DeviceOptions options;
  if (chosen.configuration != nullptr) {
    const Configuration* known = find_configuration(chosen.configuration);
    if (known == nullptr) {
      std::vector<std::string_view> names;
      for (const Configuration& one : configurations()) names.push_back(one.name);
      throw std::invalid_argument(fmt::format("unknown configuration '{}': choose from {}",
                                              chosen.configuration, fmt::join(names, ", ")));
    }
    options = known->options;
  }
  if (chosen.array_size != 0) options.array_size = chosen.array_size;
  if (chosen.threads != 0) options.threads = chosen.threads;
  return options;
}

systole_port describe(const capi::Port& port) {
  static_assert(static_cast<int>(graph::Element::kPred) == SYSTOLE_BOOL &&
                static_cast<int>(graph::Element::kS8) == SYSTOLE_I8 &&
                static_cast<int>(graph::Element::kU8) == SYSTOLE_U8 &&
                static_cast<int>(graph::Element::kU32) == SYSTOLE_U32 &&
                static_cast<int>(graph::Element::kS32) == SYSTOLE_I32 &&
                static_cast<int>(graph::Element::kBf16) == SYSTOLE_BF16);
  return {.name = port.name.c_str(),
          .element = static_cast<systole_element>(port.type.element),
          .rank = static_cast<std::int32_t>(port.type.rank()),
          .dimensions = port.type.shape.data(),
          .size_bytes = port.size_bytes,
          .updated_by = port.updated_by};
}

systole_status describe(const std::vector<capi::Port>& ports, std::int32_t index,
                        systole_port* port) {
  return guarded([&] {
    const auto* found = item(ports, index);
    if (found == nullptr) {
      throw std::invalid_argument(fmt::format("{} is none of {}", index, ports.size()));
    }
    need(port, "port") = describe(*found);
  });
}

std::span<const systole_buffer> buffers(const systole_buffer* first, std::int32_t count) {
  if (count < 0) throw std::invalid_argument(fmt::format("{} buffers", count));
  if (count > 0) need(first, "the list of buffers");
  return {first, static_cast<std::size_t>(count)};
}

systole_status compile_step(systole_device* device, const char* text, std::size_t length,
                            const std::int32_t* updated_by, std::int32_t count,
                            systole_program** program, capi::DeviceProgram::Host host) {
  return guarded([&] {
    need(text, "text");
    if (count < 0 || (count > 0 && updated_by == nullptr)) {
      throw std::invalid_argument(fmt::format("{} updates in updated_by", count));
    }
    need(program, "program") = new systole_program{std::make_unique<capi::DeviceProgram>(
        need(device, "device").shared, std::string_view(text, length),
        std::span(updated_by, static_cast<std::size_t>(count)), host)};
  });
}

}  // namespace

const char* systole_version() { return SYSTOLE_VERSION; }
const char* systole_error() { return last_error().c_str(); }

std::int32_t systole_device_count() { return static_cast<std::int32_t>(devices().size()); }
const char* systole_device_name(std::int32_t index) {
  const auto* found = item(devices(), index);
  return found == nullptr ? nullptr : found->name.c_str();
}
const char* systole_device_description(std::int32_t index) {
  const auto* found = item(devices(), index);
  return found == nullptr ? nullptr : found->description.c_str();
}
std::int32_t systole_configuration_count() {
  return static_cast<std::int32_t>(configurations().size());
}
const char* systole_configuration_name(std::int32_t index) {
  const auto* found = item(configurations(), index);
  return found == nullptr ? nullptr : found->name.data();
}
const char* systole_configuration_description(std::int32_t index) {
  const auto* found = item(configurations(), index);
  return found == nullptr ? nullptr : found->description.data();
}

systole_status systole_open(const char* name, const systole_options* options,
                            systole_device** device) {
  return guarded([&] {
    const std::string_view backend = &need(name, "the device's name");
    const systole_options chosen = options != nullptr ? *options : systole_options{};
    systole_device*& result = need(device, "device");
    DeviceOptions options = device_options(chosen);
    const int cores = chosen.cores != 0 ? chosen.cores : 1, threads = options.threads;
    if (cores < 1 || cores > Resolver::kMostCores) {
      throw std::invalid_argument(
          fmt::format("{} cores: a device has 1 to {}", cores, Resolver::kMostCores));
    }
    options.threads = std::max(1, threads / cores);
    DeviceLine line = Device::open_line(backend, options, cores, threads);
    const Device& opened = line.cores[0];
    const DataType precision = chosen.precision != nullptr ? parse_data_type(chosen.precision)
                                                           : nn::default_precision(opened);
    nn::need_precision(opened, precision);
    if (backend != "cpu" && !opened.backend().sizes()) {
      throw std::invalid_argument(
          fmt::format("device '{}' runs no programs of products: use model, rtl or cpu", backend));
    }
    result = new systole_device{std::make_shared<SharedDevice>(std::move(line), precision),
                                std::string(to_string(precision))};
  });
}

systole_status systole_info(const systole_device* device, systole_device_info* info) {
  return guarded([&] {
    const SharedDevice& shared = *need(device, "device").shared;
    const DeviceInfo& known = shared.core(0).info();
    need(info, "info") = {.name = known.name.c_str(),
                          .precision = device->precision.c_str(),
                          .array_size = known.array_size,
                          .cycle_exact = known.cycle_exact ? 1 : 0,
                          .clock_mhz = known.clock_mhz,
                          .threads = known.threads,
                          .memory = known.memory.c_str(),
                          .clock_source = known.clock_source.c_str(),
                          .cores = static_cast<std::int32_t>(shared.cores())};
  });
}

void systole_close(systole_device* device) {
  static_cast<void>(guarded([&] {
    // A forked process leaves the parent's device as it is, with the threads that it lacks.
    if (device != nullptr) device->shared->need_own_process();
    delete device;
  }));
}

systole_status systole_compile(systole_device* device, const char* text, std::size_t length,
                               systole_program** program) {
  return guarded([&] {
    need(text, "text");
    need(program, "program") = new systole_program{std::make_unique<capi::ProcessorProgram>(
        need(device, "device").shared, std::string_view(text, length))};
  });
}

systole_status systole_compile_step(systole_device* device, const char* text, std::size_t length,
                                    const std::int32_t* updated_by, std::int32_t count,
                                    systole_program** program) {
  return compile_step(device, text, length, updated_by, count, program,
                      capi::DeviceProgram::Host::kRefused);
}

systole_status systole_compile_step_beside_host(systole_device* device, const char* text,
                                                std::size_t length, const std::int32_t* updated_by,
                                                std::int32_t count, systole_program** program) {
  return compile_step(device, text, length, updated_by, count, program,
                      capi::DeviceProgram::Host::kHelps);
}

void systole_release(systole_program* program) {
  static_cast<void>(guarded([&] {
    if (program != nullptr) program->program->need_own_process();
    delete program;
  }));
}

std::int32_t systole_input_count(const systole_program* program) {
  return program == nullptr ? 0 : static_cast<std::int32_t>(program->program->inputs().size());
}
std::int32_t systole_output_count(const systole_program* program) {
  return program == nullptr ? 0 : static_cast<std::int32_t>(program->program->outputs().size());
}

systole_status systole_input(const systole_program* program, std::int32_t index,
                             systole_port* port) {
  if (program == nullptr) return fail(SYSTOLE_INVALID_ARGUMENT, "program is NULL");
  return describe(program->program->inputs(), index, port);
}

systole_status systole_output(const systole_program* program, std::int32_t index,
                              systole_port* port) {
  if (program == nullptr) return fail(SYSTOLE_INVALID_ARGUMENT, "program is NULL");
  return describe(program->program->outputs(), index, port);
}

const char* systole_fallback(const systole_program* program, std::int32_t index) {
  const auto* found = program == nullptr ? nullptr : item(program->program->fallbacks(), index);
  return found == nullptr ? nullptr : found->c_str();
}

const char* systole_on_host(const systole_program* program) {
  return program == nullptr ? nullptr : program->program->on_host().c_str();
}

systole_status systole_run(systole_program* program, const systole_buffer* inputs,
                           std::int32_t input_count, const systole_buffer* outputs,
                           std::int32_t output_count) {
  return guarded([&] {
    need(program, "program")
        .program->run(buffers(inputs, input_count), buffers(outputs, output_count));
  });
}

systole_status systole_last_run(const systole_program* program, systole_step* step) {
  return guarded([&] { need(step, "step") = need(program, "program").program->last_run(); });
}

systole_status systole_read(systole_program* program, std::int32_t output,
                            const systole_buffer* buffer) {
  return guarded(
      [&] { need(program, "program").program->read(output, need(buffer, "the buffer")); });
}

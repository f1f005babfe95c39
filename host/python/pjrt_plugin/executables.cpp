// Compiled programs and their runs.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "host/python/pjrt_plugin/compile_options.h"
#include "host/python/pjrt_plugin/objects.h"

namespace systole::pjrt::abi {

struct AssignmentBytes {
  std::string bytes;
};

}  // namespace systole::pjrt::abi

namespace systole::pjrt {

using abi::Error;
using abi::Executable;
using abi::LoadedExecutable;

namespace {

constexpr std::string_view kName = "main";

void compile(abi::ClientCompile& arguments) {
  const std::string_view format(arguments.program->format, arguments.program->format_size);
  if (format != "mlir") {
    throw python::Failure(python::Code::kUnimplemented,
                          fmt::format("a program of format {}: it is given as mlir", format));
  }
  const CompileOptions options = parse_compile_options({arguments.options, arguments.options_size});
  const std::int64_t count = options.replicas * options.partitions;
  if (count != 1) {
    throw python::Failure(
        python::Code::kUnimplemented,
        fmt::format("the program is for {} devices: programs of one device are supported", count));
  }
  abi::Device* device = arguments.client->core(options.device);
  arguments.executable = new LoadedExecutable{
      .program = std::make_shared<Program>(
          device->core, std::string_view(arguments.program->code, arguments.program->code_size)),
      .device = device};
}

std::vector<Program::Argument> arguments_of(abi::LoadedExecutableExecute& call) {
  const Program& program = *call.executable->program;
  abi::Buffer* const* const buffers = call.inputs[0];
  std::vector<Program::Argument> arguments;
  for (std::size_t i = 0; i < call.input_count; ++i) {
    if (buffers[i]->storage == nullptr) {
      throw python::Failure(python::Code::kInvalidArgument,
                            fmt::format("argument {} was donated or deleted", i));
    }
    bool is_donated = i < program.inputs().size() && program.inputs()[i].updated_by >= 0;
    for (std::size_t j = 0; call.options != nullptr && j < call.options->never_donated_count; ++j) {
      is_donated = is_donated && call.options->never_donated[j] != static_cast<std::int64_t>(i);
    }
    // What somebody else has as well is copied.
    is_donated = is_donated && buffers[i]->storage.use_count() == 1;
    arguments.push_back({.storage = buffers[i]->storage, .is_donated = is_donated});
  }
  return arguments;
}

void execute(abi::LoadedExecutableExecute& call) {
  if (call.device_count != 1) {
    throw python::Failure(python::Code::kUnimplemented,
                          fmt::format("a run on {} devices", call.device_count));
  }
  Program& program = *call.executable->program;
  std::vector<Program::Argument> arguments = arguments_of(call);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_donated) call.inputs[0][i]->storage.reset();
  }
  std::vector<std::shared_ptr<Storage>> results = program.run(std::move(arguments));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const systole_port& port = program.outputs()[i];
    call.outputs[0][i] =
        new abi::Buffer(*call.executable->device, port.element,
                        {port.dimensions, port.dimensions + port.rank}, std::move(results[i]));
  }
  if (call.done != nullptr) call.done[0] = happened();
}

void set_loaded(abi::Api& api) {
  api.client_compile = [](abi::ClientCompile* arguments) -> Error* {
    return guarded([&] { compile(*arguments); });
  };
  api.loaded_executable_destroy = [](abi::LoadedExecutableDestroy* arguments) -> Error* {
    delete arguments->executable;
    return nullptr;
  };
  api.loaded_executable_get_executable =
      [](abi::LoadedExecutableGetExecutable* arguments) -> Error* {
    arguments->executable = new Executable{arguments->loaded->program};
    return nullptr;
  };
  api.loaded_executable_addressable_devices =
      [](abi::ListQuery<LoadedExecutable, abi::Device* const>* arguments) -> Error* {
    return tell(arguments, std::span(arguments->object->device->self));
  };
  api.loaded_executable_delete = [](abi::Command<LoadedExecutable>* arguments) -> Error* {
    arguments->object->is_deleted = true;
    return nullptr;
  };
  api.loaded_executable_is_deleted = [](abi::Query<LoadedExecutable, bool>* arguments) -> Error* {
    arguments->value = arguments->object->is_deleted;
    return nullptr;
  };
  api.loaded_executable_fingerprint = [](abi::TextQuery<LoadedExecutable>* arguments) -> Error* {
    return tell(arguments, arguments->object->program->fingerprint());
  };
  api.loaded_executable_get_assignment =
      [](abi::LoadedExecutableGetAssignment* arguments) -> Error* {
    arguments->owner = new abi::AssignmentBytes{
        serialized_assignment(arguments->executable->device->description.id)};
    arguments->bytes = arguments->owner->bytes.data();
    arguments->size = arguments->owner->bytes.size();
    arguments->deleter = [](abi::AssignmentBytes* owner) { delete owner; };
    return nullptr;
  };
  api.loaded_executable_execute = [](abi::LoadedExecutableExecute* arguments) -> Error* {
    return guarded([&] { execute(*arguments); });
  };
}

}  // namespace

void set_executables(abi::Api& api) {
  set_loaded(api);
  api.executable_destroy = [](abi::ExecutableDestroy* arguments) -> Error* {
    delete arguments->executable;
    return nullptr;
  };
  api.executable_name = [](abi::TextQuery<Executable>* arguments) -> Error* {
    return tell(arguments, kName);
  };
  const auto one = [](abi::Query<Executable, std::size_t>* arguments) -> Error* {
    arguments->value = 1;
    return nullptr;
  };
  api.executable_num_replicas = one;
  api.executable_num_partitions = one;
  api.executable_num_outputs = [](abi::ExecutableNumOutputs* arguments) -> Error* {
    arguments->count = arguments->executable->program->outputs().size();
    return nullptr;
  };
  api.executable_code_bytes = [](abi::Query<Executable, std::int64_t>* arguments) -> Error* {
    arguments->value = 0;
    return nullptr;
  };
  api.executable_output_memory_kinds = [](abi::ExecutableOutputMemoryKinds* arguments) -> Error* {
    const Program& program = *arguments->executable->program;
    arguments->count = program.memory_kinds().size();
    arguments->kinds = program.memory_kinds().data();
    arguments->sizes = program.memory_kind_sizes().data();
    return nullptr;
  };
  api.executable_output_types =
      [](abi::ListQuery<Executable, const abi::BufferType>* arguments) -> Error* {
    return tell(arguments, arguments->object->program->types());
  };
  api.executable_output_dimensions = [](abi::ExecutableOutputDimensions* arguments) -> Error* {
    const Program& program = *arguments->executable->program;
    arguments->count = program.ranks().size();
    arguments->dimensions = program.dimensions().data();
    arguments->ranks = program.ranks().data();
    return nullptr;
  };
  api.executable_fingerprint = [](abi::TextQuery<Executable>* arguments) -> Error* {
    return tell(arguments, arguments->object->program->fingerprint());
  };
}

}  // namespace systole::pjrt

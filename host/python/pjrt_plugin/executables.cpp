// Compiled programs and their runs.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "host/python/pjrt_plugin/objects.h"
#include "host/python/pjrt_plugin/partition.h"

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

// JAX hands over programs of several partitions whole, with the shardings of their values.
Partitioned local_program(const CompileOptions& options, std::string_view artifact) {
  if (options.partitions == 1) return {.artifact = std::string(artifact), .shardings = {}};
  return partition(artifact);
}

void compile(abi::ClientCompile& arguments) {
  const std::string_view format(arguments.program->format, arguments.program->format_size);
  if (format != "mlir") {
    throw python::Failure(python::Code::kUnimplemented,
                          fmt::format("a program of format {}: it is given as mlir", format));
  }
  CompileOptions options = parse_compile_options({arguments.options, arguments.options_size});
  const std::int64_t count = options.replicas * options.partitions;
  if (options.replicas > 1 && options.partitions > 1) {
    throw python::Failure(python::Code::kUnimplemented,
                          fmt::format("the program is for {} replicas of {} partitions: put the "
                                      "devices into one mesh, as jax.shard_map has it",
                                      options.replicas, options.partitions));
  }
  for (std::int64_t i = std::ssize(options.devices); i < count; ++i) options.devices.push_back(i);
  auto loaded = std::make_unique<LoadedExecutable>();
  for (const std::int64_t id : options.devices) {
    loaded->devices.push_back(arguments.client->core(id));
  }
  Partitioned local =
      local_program(options, {arguments.program->code, arguments.program->code_size});
  auto program =
      std::make_shared<Program>(arguments.client->opened(options.devices), local.artifact);
  loaded->compiled = std::make_shared<abi::Compiled>(abi::Compiled{
      .options = std::move(options), .program = std::move(program), .shardings = local.shardings});
  arguments.executable = loaded.release();
}

// Whether a run may consume an argument.
std::vector<bool> consumed(const abi::LoadedExecutableExecute& call) {
  std::vector<bool> is_consumed;
  for (const systole_port& input : call.executable->compiled->program->inputs()) {
    is_consumed.push_back(input.updated_by >= 0);
  }
  for (std::size_t i = 0; call.options != nullptr && i < call.options->never_donated_count; ++i) {
    const auto input = static_cast<std::size_t>(call.options->never_donated[i]);
    if (input < is_consumed.size()) is_consumed[input] = false;
  }
  is_consumed.resize(call.input_count);
  return is_consumed;
}

std::vector<Program::Argument> take_arguments(abi::LoadedExecutableExecute& call) {
  const std::vector<bool> is_consumed = consumed(call);
  for (std::size_t core = 0; core < call.device_count; ++core) {
    for (std::size_t i = 0; i < call.input_count; ++i) {
      if (call.inputs[core][i]->storage != nullptr) continue;
      throw python::Failure(python::Code::kInvalidArgument,
                            fmt::format("argument {} was donated or deleted", i));
    }
  }
  std::vector<Program::Argument> arguments;
  for (std::size_t core = 0; core < call.device_count; ++core) {
    for (std::size_t i = 0; i < call.input_count; ++i) {
      abi::Buffer& buffer = *call.inputs[core][i];
      arguments.push_back({.storage = buffer.storage, .is_donated = is_consumed[i]});
      if (is_consumed[i]) buffer.storage.reset();
    }
  }
  // What somebody else has as well is copied.
  for (Program::Argument& argument : arguments) {
    argument.is_donated = argument.is_donated && argument.storage.use_count() == 1;
  }
  return arguments;
}

void execute(abi::LoadedExecutableExecute& call) {
  const std::shared_ptr<Program> program = call.executable->compiled->program;
  if (call.device_count != program->cores()) {
    throw python::Failure(
        python::Code::kUnimplemented,
        fmt::format("a run on {} devices of a program of {}", call.device_count, program->cores()));
  }
  std::vector<std::shared_ptr<Storage>> results = program->run(take_arguments(call));
  const std::vector<systole_port>& ports = program->outputs();
  for (std::size_t core = 0; core < call.device_count; ++core) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      call.outputs[core][i] =
          new abi::Buffer(*call.executable->devices[core], ports[i].element,
                          {ports[i].dimensions, ports[i].dimensions + ports[i].rank},
                          std::move(results[core * ports.size() + i]));
    }
    if (call.done != nullptr) call.done[core] = happened();
  }
}

void write_program(abi::Program& to, const std::string& text) {
  constexpr std::string_view kFormat = "hlo_with_config";
  if (to.code != nullptr) std::ranges::copy(text, const_cast<char*>(to.code));
  to.code_size = text.size();
  to.format = kFormat.data();
  to.format_size = kFormat.size();
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
    arguments->executable = new Executable{arguments->loaded->compiled};
    return nullptr;
  };
  api.loaded_executable_addressable_devices =
      [](abi::ListQuery<LoadedExecutable, abi::Device* const>* arguments) -> Error* {
    return tell(arguments, arguments->object->devices);
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
    return tell(arguments, arguments->object->compiled->program->fingerprint());
  };
  api.loaded_executable_get_assignment =
      [](abi::LoadedExecutableGetAssignment* arguments) -> Error* {
    arguments->owner =
        new abi::AssignmentBytes{serialized_assignment(arguments->executable->compiled->options)};
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
  api.executable_num_replicas = [](abi::Query<Executable, std::size_t>* arguments) -> Error* {
    arguments->value = static_cast<std::size_t>(arguments->object->compiled->options.replicas);
    return nullptr;
  };
  api.executable_num_partitions = [](abi::Query<Executable, std::size_t>* arguments) -> Error* {
    arguments->value = static_cast<std::size_t>(arguments->object->compiled->options.partitions);
    return nullptr;
  };
  // JAX asks it for the shardings of outputs alone, and takes an error for none.
  api.executable_optimized_program =
      [](abi::Query<Executable, abi::Program*>* arguments) -> Error* {
    return guarded([&] {
      const std::string& shardings = arguments->object->compiled->shardings;
      if (shardings.empty()) {
        throw python::Failure(python::Code::kUnimplemented, "a program of one device is not shown");
      }
      write_program(*arguments->value, shardings);
    });
  };
  api.executable_num_outputs = [](abi::ExecutableNumOutputs* arguments) -> Error* {
    arguments->count = arguments->executable->program().outputs().size();
    return nullptr;
  };
  api.executable_code_bytes = [](abi::Query<Executable, std::int64_t>* arguments) -> Error* {
    arguments->value = 0;
    return nullptr;
  };
  api.executable_output_memory_kinds = [](abi::ExecutableOutputMemoryKinds* arguments) -> Error* {
    const Program& program = arguments->executable->program();
    arguments->count = program.memory_kinds().size();
    arguments->kinds = program.memory_kinds().data();
    arguments->sizes = program.memory_kind_sizes().data();
    return nullptr;
  };
  api.executable_output_types =
      [](abi::ListQuery<Executable, const abi::BufferType>* arguments) -> Error* {
    return tell(arguments, arguments->object->program().types());
  };
  api.executable_output_dimensions = [](abi::ExecutableOutputDimensions* arguments) -> Error* {
    const Program& program = arguments->executable->program();
    arguments->count = program.ranks().size();
    arguments->dimensions = program.dimensions().data();
    arguments->ranks = program.ranks().data();
    return nullptr;
  };
  api.executable_fingerprint = [](abi::TextQuery<Executable>* arguments) -> Error* {
    return tell(arguments, arguments->object->program().fingerprint());
  };
}

}  // namespace systole::pjrt

#include "host/python/pjrt_plugin/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>

#include "host/python/core/core.h"

namespace systole::pjrt {
namespace {

using python::Code;
using python::Failure;

struct ElementType {
  abi::BufferType type;
  std::size_t size;
};
// By systole_element.
constexpr std::array kTypes{
    ElementType{abi::BufferType::kF32, 4}, ElementType{abi::BufferType::kBf16, 2},
    ElementType{abi::BufferType::kS32, 4}, ElementType{abi::BufferType::kU32, 4},
    ElementType{abi::BufferType::kS8, 1},  ElementType{abi::BufferType::kPred, 1},
    ElementType{abi::BufferType::kU8, 1}};

LastRun& kept_run() {
  static LastRun run;
  return run;
}

// A deque keeps its texts where they are.
std::deque<std::string>& kept_fallbacks() {
  static std::deque<std::string> fallbacks;
  return fallbacks;
}

// Whether there are any.
bool count_fallbacks(const systole_program* program) {
  const auto lock = lock_storages();
  std::int32_t count = 0;
  for (const char* text = nullptr; (text = systole_fallback(program, count)) != nullptr; ++count) {
    kept_fallbacks().emplace_back(text);
  }
  return count > 0;
}

// $SYSTOLE_WHOLE: programs that would use the host are refused.
bool must_be_whole() {
  const char* value = std::getenv("SYSTOLE_WHOLE");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

// $SYSTOLE_KEEP_PROGRAMS: a folder, made if need be, that gets each program, program-0.mlirbc and
// so on.
void keep(std::string_view artifact) {
  static std::atomic<int> count = 0;
  const char* folder = std::getenv("SYSTOLE_KEEP_PROGRAMS");
  if (folder == nullptr || *folder == '\0') return;
  std::error_code failed;  // shows when the file is written
  std::filesystem::create_directories(folder, failed);
  const std::string path = fmt::format("{}/program-{}.mlirbc", folder, count++);
  std::ofstream file(path, std::ios::binary);
  file.write(artifact.data(), static_cast<std::streamsize>(artifact.size()));
  if (!file.flush()) {
    throw Failure(Code::kInvalidArgument,
                  fmt::format("{} cannot be written: $SYSTOLE_KEEP_PROGRAMS is a folder", path));
  }
}

}  // namespace

systole_element element_of(abi::BufferType type) {
  const auto found = std::ranges::find(kTypes, type, &ElementType::type);
  if (found != kTypes.end()) return static_cast<systole_element>(found - kTypes.begin());
  throw Failure(
      Code::kUnimplemented,
      "a device has float32, bfloat16, int32, uint32, int8, uint8 and bool: convert the array "
      "first");
}
std::size_t size_of(systole_element element) { return kTypes[element].size; }
abi::BufferType type_of(systole_element element) { return kTypes[element].type; }

OpenedCores::~OpenedCores() { systole_close(device_); }

systole_device* OpenedCores::device() {
  const std::lock_guard lock(mutex_);
  if (device_ == nullptr) device_ = python::open_device(static_cast<int>(count_));
  return device_;
}

LastRun last_run() {
  const auto lock = lock_storages();
  return kept_run();
}

const std::string* fallback(std::size_t index) {
  const auto lock = lock_storages();
  return index < kept_fallbacks().size() ? &kept_fallbacks()[index] : nullptr;
}

Program::Program(std::shared_ptr<OpenedCores> cores, std::string_view artifact)
    : cores_(std::move(cores)),
      fingerprint_(fmt::format("{:016x}", std::hash<std::string_view>()(artifact))) {
  compile(artifact);
  has_fallbacks_ = count_fallbacks(program_.get());
  describe();
}

void Program::compile(std::string_view artifact) {
  keep(artifact);
  systole_device* device = cores_->device();
  systole_device_info info;
  python::check(systole_info(device, &info));
  using Compile = decltype(systole_compile_step);
  const auto compile_step = [&](Compile* compile, const std::vector<std::int32_t>& updates) {
    systole_program* program = nullptr;
    const systole_status status = compile(device, artifact.data(), artifact.size(), updates.data(),
                                          static_cast<std::int32_t>(updates.size()), &program);
    stays_ = status == SYSTOLE_OK;
    if (!stays_ && status != SYSTOLE_INVALID_ARGUMENT) python::check(status);
    if (!stays_) return false;
    program_.reset(program);
    on_host_ = systole_on_host(program);
    return true;
  };
  if (info.array_size > 0) {
    if (compile_step(systole_compile_step, {})) return;
    on_host_ = systole_error();
  }
  systole_program* on_host = nullptr;
  python::check(systole_compile(device, artifact.data(), artifact.size(), &on_host));
  program_.reset(on_host);
  if (on_host_.empty()) return;
  // A number that changes in place may have a reader after it, as a metric's sum has its mean: it
  // comes and goes then.
  std::vector<std::int32_t> updates;
  for (std::int32_t i = 0; i < systole_input_count(on_host); ++i) {
    systole_port port;
    python::check(systole_input(on_host, i, &port));
    updates.push_back(port.rank == 0 ? -1 : port.updated_by);
  }
  if (!updates.empty() && compile_step(systole_compile_step, updates)) return;
  if (must_be_whole()) {
    throw Failure(Code::kInvalidArgument,
                  fmt::format("{} ($SYSTOLE_WHOLE leaves nothing to the host)", on_host_));
  }
  if (compile_step(systole_compile_step_beside_host, {})) return;
  compile_step(systole_compile_step_beside_host, updates);
}

void Program::describe() {
  for (std::int32_t i = 0; i < systole_input_count(program_.get()); ++i) {
    python::check(systole_input(program_.get(), i, &inputs_.emplace_back()));
  }
  updates_.assign(static_cast<std::size_t>(systole_output_count(program_.get())), -1);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::int32_t output = inputs_[i].updated_by;
    if (output >= 0) updates_[static_cast<std::size_t>(output)] = static_cast<int>(i);
  }
  static constexpr std::string_view kKind = "device";
  for (std::int32_t i = 0; i < systole_output_count(program_.get()); ++i) {
    systole_port& port = outputs_.emplace_back();
    python::check(systole_output(program_.get(), i, &port));
    types_.push_back(type_of(port.element));
    ranks_.push_back(static_cast<std::size_t>(port.rank));
    dimensions_.insert(dimensions_.end(), port.dimensions, port.dimensions + port.rank);
    memory_kinds_.push_back(kKind.data());
    memory_kind_sizes_.push_back(kKind.size());
  }
  left_.resize(cores() * outputs_.size());
}

// Of all cores' arguments, the one that a result updates, or -1.
int Program::updated_input(std::size_t output) const {
  const int input = updates_[output % outputs_.size()];
  const auto core = static_cast<int>(output / outputs_.size());
  return input < 0 ? input : core * static_cast<int>(inputs_.size()) + input;
}

// What the last run left on the device, and this one would overwrite.
void Program::fetch_left(const std::vector<Argument>& arguments) {
  for (std::size_t i = 0; i < left_.size(); ++i) {
    const std::shared_ptr<Storage> left = left_[i].lock();
    left_[i].reset();
    if (left == nullptr || !left->is_left_by(*this, static_cast<int>(i))) continue;
    const Argument& argument = arguments[static_cast<std::size_t>(updated_input(i))];
    if (argument.storage != left || !argument.is_donated) left->host();
  }
}

std::vector<std::shared_ptr<Storage>> Program::run(std::vector<Argument> arguments) {
  if (arguments.size() != cores() * inputs_.size()) {
    throw Failure(Code::kInvalidArgument, fmt::format("the program takes {} arguments, not {}",
                                                      cores() * inputs_.size(), arguments.size()));
  }
  const std::lock_guard running(running_);
  std::vector<systole_buffer> inputs, outputs;
  std::vector<std::shared_ptr<Storage>> results;
  {
    const auto lock = lock_storages();
    fetch_left(arguments);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      Storage& storage = *arguments[i].storage;
      const systole_port& port = inputs_[i % inputs_.size()];
      const std::size_t first = i / inputs_.size() * outputs_.size();
      if (port.updated_by >= 0 &&
          storage.is_left_by(*this, static_cast<int>(first) + port.updated_by)) {
        storage.leave();
        inputs.push_back({nullptr, nullptr, 0});
        continue;
      }
      inputs.push_back({nullptr, storage.host(), port.size_bytes});
    }
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const std::int64_t size = outputs_[i % outputs_.size()].size_bytes;
      const int updated = updated_input(i);
      if (stays_ && updated >= 0) {
        results.push_back(nullptr);
        outputs.push_back({nullptr, nullptr, 0});
        continue;
      }
      const bool is_in_place =
          updated >= 0 && arguments[static_cast<std::size_t>(updated)].is_donated;
      results.push_back(is_in_place ? arguments[static_cast<std::size_t>(updated)].storage
                                    : std::make_shared<Storage>(static_cast<std::size_t>(size)));
      outputs.push_back({nullptr, results.back()->host(), size});
    }
  }
  python::check(systole_run(program_.get(), inputs.data(), static_cast<std::int32_t>(inputs.size()),
                            outputs.data(), static_cast<std::int32_t>(outputs.size())));
  const auto lock = lock_storages();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i] != nullptr) continue;
    const std::int64_t size = outputs_[i % outputs_.size()].size_bytes;
    results[i] = std::make_shared<Storage>(static_cast<std::size_t>(size), shared_from_this(),
                                           static_cast<int>(i));
    left_[i] = results[i];
  }
  LastRun run{.number = kept_run().number + 1,
              .is_step = false,
              .step = {},
              .device = {},
              .on_host = on_host_};
  python::check(systole_last_run(program_.get(), &run.step));
  run.is_step = run.step.products > 0 || has_fallbacks_ ||
                std::ranges::any_of(updates_, [](int input) { return input >= 0; });
  if (run.is_step || !kept_run().is_step) {
    systole_device_info info;
    python::check(systole_info(cores_->device(), &info));
    run.device = info.name;
    kept_run() = std::move(run);
  }
  return results;
}

void Program::read(int output, std::byte* to, std::size_t size) {
  const systole_buffer buffer{
      .name = nullptr, .data = to, .size_bytes = static_cast<std::int64_t>(size)};
  python::check(systole_read(program_.get(), output, &buffer));
}

}  // namespace systole::pjrt

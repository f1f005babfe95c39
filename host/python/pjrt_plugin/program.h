#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "host/capi/systole.h"
#include "host/pjrt/abi.h"
#include "host/python/pjrt_plugin/storage.h"

namespace systole::pjrt {

/// Cores that run programs together, or one by itself: a device that is opened when it is first
/// used.
class OpenedCores {
 public:
  explicit OpenedCores(std::size_t count) : count_(count) {}
  ~OpenedCores();
  OpenedCores(const OpenedCores&) = delete;
  OpenedCores& operator=(const OpenedCores&) = delete;

  std::size_t count() const { return count_; }
  /// Errors   Failure
  systole_device* device();

 private:
  std::size_t count_;
  std::mutex mutex_;
  systole_device* device_ = nullptr;
};

/// What the last run of a step did on its core, for systole.last_step(): of a program with products
/// or with arguments that it updates; before the first of these, of any program.
struct LastRun {
  std::int64_t number = 0;  ///< grows with each run that counts; 0 before the first
  bool is_step = false;
  systole_step step{};
  std::string device;
  std::string on_host;  ///< why the program does not run whole on its device; empty if it does
};
LastRun last_run();

/// A product of a compiled program that this processor runs, or null beyond the last.
const std::string* fallback(std::size_t index);

/// What JAX compiled, as a program of one core or several: whole; or else with what the device
/// lacks on the host, which is counted and can be refused; or else with the products alone on the
/// device.
class Program : public std::enable_shared_from_this<Program> {
 public:
  /// Errors   Failure
  Program(std::shared_ptr<OpenedCores> cores, std::string_view artifact);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  struct Argument {
    std::shared_ptr<Storage> storage;
    bool is_donated = false;  ///< nobody else has it, or will ask for it
  };
  /// Arguments and results are those of one core after the other.
  std::vector<std::shared_ptr<Storage>> run(std::vector<Argument> arguments);

  /// Copies what the last run left on the device; of core c, output c * outputs + i.
  void read(int output, std::byte* to, std::size_t size);

  std::size_t cores() const { return cores_->count(); }
  /// Of each core.
  const std::vector<systole_port>& inputs() const { return inputs_; }
  const std::vector<systole_port>& outputs() const { return outputs_; }
  const std::string& fingerprint() const { return fingerprint_; }

  // Of the outputs, as PJRT asks for them.
  const std::vector<abi::BufferType>& types() const { return types_; }
  const std::vector<std::int64_t>& dimensions() const { return dimensions_; }
  const std::vector<std::size_t>& ranks() const { return ranks_; }
  const std::vector<const char*>& memory_kinds() const { return memory_kinds_; }
  const std::vector<std::size_t>& memory_kind_sizes() const { return memory_kind_sizes_; }

 private:
  void compile(std::string_view artifact);
  void describe();
  void fetch_left(const std::vector<Argument>& arguments);
  int updated_input(std::size_t output) const;

  struct Release {
    void operator()(systole_program* program) const { systole_release(program); }
  };
  using Handle = std::unique_ptr<systole_program, Release>;

  std::shared_ptr<OpenedCores> cores_;
  Handle program_;
  bool stays_ = false;          ///< what it updates stays on the device
  bool has_fallbacks_ = false;  ///< products on the host
  std::string on_host_;
  std::mutex running_;
  std::vector<systole_port> inputs_, outputs_;
  std::vector<int> updates_;                  ///< by output: the input that it updates, or -1
  std::vector<std::weak_ptr<Storage>> left_;  ///< what the last run left on the device, as results
  std::string fingerprint_;
  std::vector<abi::BufferType> types_;
  std::vector<std::int64_t> dimensions_;
  std::vector<std::size_t> ranks_;
  std::vector<const char*> memory_kinds_;
  std::vector<std::size_t> memory_kind_sizes_;
};

/// Errors   Failure for types that no device has
systole_element element_of(abi::BufferType type);
std::size_t size_of(systole_element element);
abi::BufferType type_of(systole_element element);

}  // namespace systole::pjrt

#include "hls/compiler/dataflow/build_network.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <map>
#include <optional>

#include "hls/compiler/loops/machine_ports.h"
#include "hls/compiler/loops/machine_registers.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

using llvm::Value;

/// The inputs of systole_ram and systole_fifo, in order.
enum RamInput { kReadEnable, kReadAddress, kWriteEnable, kWriteAddress, kWriteData };
enum FifoInput { kPushValid, kPushData, kPopReady };
enum FifoOutput { kPushReady, kPopValid, kPopData };

class Builder {
 public:
  Builder(llvm::Module& program, llvm::Function& described, const Network& network,
          const std::vector<const CompiledKernel*>& processes)
      : network_(network),
        processes_(processes),
        builder_(program.getContext()),
        ports_(machine_, builder_) {
    auto* type = llvm::FunctionType::get(builder_.getVoidTy(), false);
    const auto make = [&](const char* name) {
      return llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, program);
    };
    machine_.module.clock = make("hlsc_network_clock");
    machine_.module.reset = make("hlsc_network_reset");
    llvm::DISubprogram* subprogram = described.getSubprogram();
    described.setSubprogram(nullptr);
    machine_.module.clock->setSubprogram(subprogram);
    builder_.SetInsertPoint(
        llvm::BasicBlock::Create(program.getContext(), "clock", machine_.module.clock));
  }

  Machine run() {
    registers_.emplace(machine_.module, builder_);
    const int start = ports_.add_input(MachinePorts::leaf("start", 1));
    running_ = add_control("running", 1);
    done_ = add_control("done", 1);
    for (std::size_t p = 0; p < processes_.size(); ++p) add_process(p);
    for (const NetworkChannel& channel : network_.channels) add_channel(channel);
    for (std::size_t p = 0; p < processes_.size(); ++p) count_runs(p);
    control(ports_.input(start));
    for (std::size_t p = 0; p < processes_.size(); ++p) connect(p);
    registers_->finish(machine_.module.reset, control_, nullptr);
    ports_.add_output(MachinePorts::leaf("done", 1), registers_->now(done_));
    builder_.CreateRetVoid();
    return std::move(machine_);
  }

 private:
  struct Worker {
    int instance = -1;
    std::string name;
    int finished = -1;  ///< register: runs
    int busy = -1;
    Value* done = nullptr;   ///< its done_o
    Value* next = nullptr;   ///< the run that it is in, or that comes next
    Value* runs = nullptr;   ///< whether it is in a run
    Value* begun = nullptr;  ///< the runs that it has begun
    Value* start = nullptr;  ///< its start_i
  };

  Worker& worker(int process) { return workers_[static_cast<std::size_t>(process)]; }

  int add_control(const std::string& name, unsigned width) {
    control_.push_back(registers_->add(name, width));
    return control_.back();
  }

  unsigned count_bits() const {
    return llvm::Log2_64(static_cast<std::uint64_t>(network_.runs)) + 1;
  }
  Value* number(std::int64_t value, unsigned bits) {
    return llvm::ConstantInt::get(
        builder_.getIntNTy(bits),
        llvm::APInt(64, static_cast<std::uint64_t>(value)).zextOrTrunc(bits));
  }

  void add_process(std::size_t p) {
    const CompiledKernel& process = *processes_[p];
    Worker worker;
    const std::string& name = network_.processes[p].name;
    const auto before = network_.processes.begin();
    const auto same = std::count_if(before, before + static_cast<std::ptrdiff_t>(p),
                                    [&](const NetworkProcess& one) { return one.name == name; });
    worker.name = same == 0 ? name : fmt::format("{}_{}", name, same + 1);
    worker.instance = ports_.add_instance(
        worker.name, {.name = process.module.name, .parameters = "", .has_reset = true}, 0,
        process.inputs, process.outputs);
    machine_.module.instances.at(worker.instance).shows_registers = false;
    worker.finished = add_control(worker.name + "_runs", count_bits());
    worker.busy = add_control(worker.name + "_busy", 1);
    workers_.push_back(worker);
  }

  void add_channel(const NetworkChannel& channel) {
    switch (channel.kind) {
      case ChannelKind::kStream:
        channels_.push_back(add_fifo(channel));
        break;
      case ChannelKind::kArray:
        channels_.push_back(add_ram(channel));
        break;
      case ChannelKind::kScalar:
        channels_.push_back(registers_->add(
            fmt::format("{}_{}", worker(channel.reader).name, channel.reader_port), channel.width));
        break;
    }
  }

  int add_fifo(const NetworkChannel& channel) {
    return ports_.add_instance(
        channel.name,
        {.name = "systole_fifo",
         .parameters = fmt::format("#(.Width({}), .Depth({})) ", channel.width, channel.words),
         .has_reset = true},
        static_cast<int>(channel.words),
        {MachinePorts::leaf("push_valid", 1), MachinePorts::leaf("push_data", channel.width),
         MachinePorts::leaf("pop_ready", 1)},
        {MachinePorts::leaf("push_ready", 1), MachinePorts::leaf("pop_valid", 1),
         MachinePorts::leaf("pop_data", channel.width)});
  }

  static unsigned address_bits(const NetworkChannel& channel) {
    return std::max(1u, llvm::Log2_64_Ceil(static_cast<std::uint64_t>(channel.words)));
  }

  int add_ram(const NetworkChannel& channel) {
    const bool two = network_.banks() == 2;
    const unsigned bits = address_bits(channel) + (two ? 1 : 0);
    const std::int64_t first_bank = two ? std::int64_t{1} << address_bits(channel) : 0;
    const auto depth = static_cast<int>(first_bank + std::max<std::int64_t>(2, channel.words));
    return ports_.add_instance(
        channel.name,
        {.name = "systole_ram",
         .parameters = fmt::format("#(.Width({}), .Depth({})) ", channel.width, depth),
         .has_reset = false},
        depth,
        {MachinePorts::leaf("read_enable", 1), MachinePorts::leaf("read_address", bits),
         MachinePorts::leaf("write_enable", 1), MachinePorts::leaf("write_address", bits),
         MachinePorts::leaf("write_data", channel.width)},
        {MachinePorts::leaf("read_data", channel.width)});
  }

  // ---- When processes run ----

  /// The run that it is in, also in the clock in which the one before shows its end.
  void count_runs(std::size_t p) {
    Worker& worker = workers_[p];
    worker.done = output(p, "done");
    worker.next =
        builder_.CreateAdd(registers_->now(worker.finished),
                           builder_.CreateZExt(worker.done, builder_.getIntNTy(count_bits())));
    worker.next->setName(worker.name + "_run");
    worker.runs = builder_.CreateAnd(registers_->now(worker.busy), builder_.CreateNot(worker.done),
                                     worker.name + "_works");
    worker.begun = builder_.CreateAdd(
        worker.next, builder_.CreateZExt(worker.runs, builder_.getIntNTy(count_bits())),
        worker.name + "_begun");
  }

  /// Whether what the channel asks for lets a process start its next run.
  Value* may_start(std::size_t p, const NetworkChannel& channel, int instance) {
    Value* next = workers_[p].next;
    const Worker& writer = worker(channel.writer);
    const Worker& reader = worker(channel.reader);
    const bool reads = channel.reader == static_cast<int>(p);
    if (!reads && channel.writer != static_cast<int>(p)) return nullptr;
    switch (channel.kind) {
      case ChannelKind::kArray:
        if (reads) return builder_.CreateICmpNE(writer.next, next);
        return builder_.CreateICmpNE(
            builder_.CreateAdd(reader.next, number(network_.banks(), count_bits())), next);
      case ChannelKind::kScalar:
        // The reader takes it as it starts.
        if (reads) return builder_.CreateICmpNE(writer.next, next);
        return builder_.CreateICmpEQ(reader.begun, next);
      case ChannelKind::kStream:
        if (!channel.may_leave) return nullptr;
        // The writer's next run comes after all that this one leaves is gone. What waits within
        // the reader goes in the clock of its end and in the next.
        if (reads) {
          return builder_.CreateAnd(builder_.CreateICmpNE(writer.begun, next),
                                    builder_.CreateNot(registers_->now(reader.busy)));
        }
        return builder_.CreateAnd(builder_.CreateICmpEQ(reader.next, next),
                                  is_empty(channel, instance));
    }
    return nullptr;
  }

  /// Whether nothing waits in a queue or at its writer's end.
  Value* is_empty(const NetworkChannel& channel, int instance) {
    Value* waits = output(static_cast<std::size_t>(channel.writer), channel.writer_port + "_valid");
    return builder_.CreateNot(builder_.CreateOr(waits, ports_.output_of(instance, kPopValid)),
                              channel.name + "_is_empty");
  }

  void control(Value* start) {
    Value* running = registers_->now(running_);
    Value* starts = builder_.CreateAnd(start, builder_.CreateNot(running), "starts");
    Value* active = builder_.CreateOr(running, starts);
    Value* ended = running;
    for (std::size_t p = 0; p < workers_.size(); ++p) {
      Worker& worker = workers_[p];
      Value* busy = registers_->now(worker.busy);
      Value* is_last = builder_.CreateICmpEQ(worker.next, number(network_.runs, count_bits()));
      Value* may =
          builder_.CreateAnd(active, builder_.CreateOr(builder_.CreateNot(busy), worker.done));
      may = builder_.CreateAnd(may, builder_.CreateNot(is_last));
      for (std::size_t c = 0; c < network_.channels.size(); ++c) {
        Value* ready = may_start(p, network_.channels[c], channels_[c]);
        if (ready) may = builder_.CreateAnd(may, ready);
      }
      may->setName(worker.name + "_starts");
      worker.start = may;
      registers_->write(worker.busy, worker.done, builder_.getFalse());
      registers_->write(worker.busy, may, builder_.getTrue());
      registers_->write(worker.finished, builder_.getTrue(), worker.next);
      ended = builder_.CreateAnd(ended, is_last);
    }
    for (std::size_t c = 0; c < network_.channels.size(); ++c) {
      const NetworkChannel& channel = network_.channels[c];
      if (channel.may_leave) ended = builder_.CreateAnd(ended, is_empty(channel, channels_[c]));
    }
    registers_->write(running_, starts, builder_.getTrue());
    registers_->write(running_, ended, builder_.getFalse());
    registers_->write(done_, builder_.getTrue(), ended);
    for (const Worker& worker : workers_) {
      registers_->write(worker.finished, ended, number(0, count_bits()));
    }
  }

  // ---- Wires ----

  Value* output(std::size_t p, const std::string& port) {
    const int field = CompiledKernel::find(processes_[p]->outputs, port);
    return ports_.output_of(workers_[p].instance, field);
  }
  void input(std::size_t p, const std::string& port, Value* value) {
    const int field = CompiledKernel::find(processes_[p]->inputs, port);
    if (field < 0) return;
    ports_.drive(workers_[p].instance, field, value);
    ++driven_[p];
  }

  void connect(std::size_t p) {
    input(p, "start", workers_[p].start);
    for (const NetworkArgument& argument : network_.processes[p].arguments) {
      switch (argument.kind) {
        case NetworkArgument::Kind::kParameter:
          pass_on(p, argument.port, network_.parameters[static_cast<std::size_t>(argument.number)]);
          break;
        case NetworkArgument::Kind::kValue:
          drive_value(p, argument);
          break;
        case NetworkArgument::Kind::kChannel:
        case NetworkArgument::Kind::kSet:
        case NetworkArgument::Kind::kUnknown:
          break;
      }
    }
    for (std::size_t c = 0; c < network_.channels.size(); ++c) {
      const NetworkChannel& channel = network_.channels[c];
      if (channel.writer == static_cast<int>(p)) fill(p, channel, channels_[c]);
      if (channel.reader == static_cast<int>(p)) empty(p, channel, channels_[c]);
    }
    if (driven_[p] == processes_[p]->inputs.size()) return;
    throw Refusal(
        fmt::format("{}: '{}' has ports of its own, as an AxiArray does; copy between "
                    "memory and local arrays outside of the dataflow() function",
                    network_.processes[p].place, network_.processes[p].name));
  }

  /// A process's ports for a parameter of the whole become ports of the whole.
  void pass_on(std::size_t p, const std::string& port, const std::string& parameter) {
    constexpr const char* kPorts[] = {"",
                                      "_read_enable",
                                      "_read_address",
                                      "_read_data",
                                      "_write_enable",
                                      "_write_address",
                                      "_write_data",
                                      "_valid",
                                      "_ready",
                                      "_data"};
    for (const char* suffix : kPorts) {
      const auto renamed = [&](Leaf leaf) {
        leaf.name = parameter + suffix;
        if (!leaf.stream.empty()) leaf.stream = parameter;
        return leaf;
      };
      if (const int i = CompiledKernel::find(processes_[p]->inputs, port + suffix); i >= 0) {
        const auto [found, is_new] = passed_.try_emplace(parameter + suffix, 0);
        if (is_new) {
          found->second =
              ports_.add_input(renamed(processes_[p]->inputs[static_cast<std::size_t>(i)]));
        }
        input(p, port + suffix, ports_.input(found->second));
      }
      if (const int i = CompiledKernel::find(processes_[p]->outputs, port + suffix); i >= 0) {
        ports_.add_output(renamed(processes_[p]->outputs[static_cast<std::size_t>(i)]),
                          output(p, port + suffix));
      }
    }
  }

  /// A constant, or what a counter of runs says.
  void drive_value(std::size_t p, const NetworkArgument& argument) {
    const int field = CompiledKernel::find(processes_[p]->inputs, argument.port);
    if (field < 0) return;
    const unsigned bits = processes_[p]->inputs[static_cast<std::size_t>(field)].width;
    Value* run = builder_.CreateZExtOrTrunc(workers_[p].next, builder_.getIntNTy(bits));
    input(p, argument.port,
          builder_.CreateAdd(builder_.CreateMul(run, number(argument.step, bits)),
                             number(argument.first, bits)));
  }

  /// An address within the bank of the process's run.
  Value* in_bank(std::size_t p, const NetworkChannel& channel, Value* address) {
    if (network_.banks() == 1) return address;
    const unsigned bits = address_bits(channel);
    llvm::Type* type = builder_.getIntNTy(bits + 1);
    Value* bank = builder_.CreateZExt(
        builder_.CreateTrunc(registers_->now(workers_[p].finished), builder_.getInt1Ty()), type);
    return builder_.CreateOr(builder_.CreateShl(bank, bits), builder_.CreateZExt(address, type));
  }

  /// The writer's result, as it is when the reader starts.
  void take_scalar(std::size_t p, const NetworkChannel& channel, int kept) {
    Value* start = workers_[p].start;
    Value* set = output(static_cast<std::size_t>(channel.writer), channel.writer_port);
    input(p, channel.reader_port, builder_.CreateSelect(start, set, registers_->now(kept)));
    registers_->write(kept, start, set);
  }

  void fill(std::size_t p, const NetworkChannel& channel, int instance) {
    const std::string& port = channel.writer_port;
    if (channel.kind == ChannelKind::kScalar) return;
    if (channel.kind == ChannelKind::kStream) {
      ports_.drive(instance, kPushValid, output(p, port + "_valid"));
      ports_.drive(instance, kPushData, output(p, port + "_data"));
      input(p, port + "_ready", ports_.output_of(instance, kPushReady));
      return;
    }
    ports_.drive(instance, kWriteEnable, output(p, port + "_write_enable"));
    ports_.drive(instance, kWriteAddress, in_bank(p, channel, output(p, port + "_write_address")));
    ports_.drive(instance, kWriteData, output(p, port + "_write_data"));
  }

  void empty(std::size_t p, const NetworkChannel& channel, int instance) {
    const std::string& port = channel.reader_port;
    if (channel.kind == ChannelKind::kScalar) return take_scalar(p, channel, instance);
    if (channel.kind == ChannelKind::kStream) {
      Value* ready = output(p, port + "_ready");
      Value* valid = ports_.output_of(instance, kPopValid);
      if (channel.may_leave) {
        // Between its runs the reader gets nothing, and what the writer's last run left goes.
        const Worker& reader = workers_[p];
        Value* leaves = builder_.CreateICmpEQ(worker(channel.writer).begun, reader.next);
        ready = builder_.CreateSelect(reader.runs, ready, leaves);
        valid = builder_.CreateAnd(valid, reader.runs);
      }
      ports_.drive(instance, kPopReady, ready);
      input(p, port + "_valid", valid);
      input(p, port + "_data", ports_.output_of(instance, kPopData));
      return;
    }
    ports_.drive(instance, kReadEnable, output(p, port + "_read_enable"));
    ports_.drive(instance, kReadAddress, in_bank(p, channel, output(p, port + "_read_address")));
    input(p, port + "_read_data", ports_.output_of(instance, 0));
  }

  const Network& network_;
  const std::vector<const CompiledKernel*>& processes_;
  llvm::IRBuilder<> builder_;
  Machine machine_;
  MachinePorts ports_;
  std::optional<MachineRegisters> registers_;
  std::vector<int> control_;
  int running_ = -1;
  int done_ = -1;
  std::vector<Worker> workers_;
  std::vector<int> channels_;                  ///< instances, and scalars' registers
  std::map<std::string, int> passed_;          ///< inputs of the whole
  std::map<std::size_t, std::size_t> driven_;  ///< inputs of each process
};

}  // namespace

Machine build_network(llvm::Module& program, llvm::Function& described, const Network& network,
                      const std::vector<const CompiledKernel*>& processes) {
  return Builder(program, described, network, processes).run();
}

}  // namespace systole::compiler

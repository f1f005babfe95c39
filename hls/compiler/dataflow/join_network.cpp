#include "hls/compiler/dataflow/join_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

/// A process's use of a channel or parameter.
struct Use {
  int process = -1;
  std::string port;
};

class Joiner {
 public:
  Joiner(Network& network, const std::vector<const CompiledKernel*>& processes)
      : network_(network), processes_(processes) {}

  void run() {
    for (std::size_t i = 0; i < network_.channels.size(); ++i) join(static_cast<int>(i));
    for (std::size_t i = 0; i < network_.parameters.size(); ++i) check(static_cast<int>(i));
  }

 private:
  using Kind = NetworkArgument::Kind;

  /// Who uses it in a way.
  std::vector<Use> uses(Kind kind, int number,
                        bool (CompiledKernel::*way)(const std::string&) const) const {
    std::vector<Use> found;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      for (const NetworkArgument& one : network_.processes[i].arguments) {
        if (one.kind == kind && one.number == number && (processes_[i]->*way)(one.port)) {
          found.push_back({static_cast<int>(i), one.port});
        }
      }
    }
    return found;
  }

  const NetworkProcess& process(int number) const {
    return network_.processes[static_cast<std::size_t>(number)];
  }

  void join(int number) {
    NetworkChannel& channel = network_.channels[static_cast<std::size_t>(number)];
    const auto write = channel.is_stream ? &CompiledKernel::pushes : &CompiledKernel::writes;
    const auto read = channel.is_stream ? &CompiledKernel::pops : &CompiledKernel::reads;
    const std::vector<Use> writers = uses(Kind::kChannel, number, write);
    const std::vector<Use> readers = uses(Kind::kChannel, number, read);
    const char* fills = channel.is_stream ? "pushes" : "writes";
    const char* takes = channel.is_stream ? "pops" : "reads";
    const auto fail = [&](const std::string& what) {
      throw Refusal(fmt::format("{}: {}", channel.position, what));
    };
    if (writers.empty()) {
      fail(fmt::format("no function {} '{}'; remove it, or fill it in one of the calls", fills,
                       channel.name));
    }
    if (readers.empty()) {
      fail(fmt::format("no function {} '{}', which '{}' {}; remove it", takes, channel.name,
                       process(writers[0].process).name, fills));
    }
    if (writers.size() > 1) {
      fail(fmt::format("'{}' and '{}' both fill '{}'; give each an array or stream of its own",
                       process(writers[0].process).name, process(writers[1].process).name,
                       channel.name));
    }
    if (readers.size() > 1) {
      fail(fmt::format(
          "'{}' and '{}' both read '{}', which has one port to read; fill one for each",
          process(readers[0].process).name, process(readers[1].process).name, channel.name));
    }
    if (writers[0].process == readers[0].process) {
      fail(fmt::format("'{}' reads '{}' and fills it; make it a local array of that function",
                       process(writers[0].process).name, channel.name));
    }
    if (readers[0].process < writers[0].process) {
      fail(fmt::format("'{}' {} '{}' before '{}' {} it; call them in the order of their data",
                       process(readers[0].process).name, takes, channel.name,
                       process(writers[0].process).name, fills));
    }
    channel.writer = writers[0].process;
    channel.writer_port = writers[0].port;
    channel.reader = readers[0].process;
    channel.reader_port = readers[0].port;
    const CompiledKernel& writer = *processes_[static_cast<std::size_t>(channel.writer)];
    const int data = CompiledKernel::find(
        writer.outputs, channel.writer_port + (channel.is_stream ? "_data" : "_write_data"));
    channel.width = writer.outputs[static_cast<std::size_t>(data)].width;
  }

  /// A parameter's ports belong to one process, but a scalar that is only read.
  void check(int number) const {
    std::vector<std::pair<std::string, std::vector<Use>>> ways = {
        {"read", uses(Kind::kParameter, number, &CompiledKernel::reads)},
        {"write", uses(Kind::kParameter, number, &CompiledKernel::writes)},
        {"pop", uses(Kind::kParameter, number, &CompiledKernel::pops)},
        {"push", uses(Kind::kParameter, number, &CompiledKernel::pushes)},
        {"set", uses(Kind::kParameter, number, &CompiledKernel::has_output)}};
    const std::vector<Use> gets = uses(Kind::kParameter, number, &CompiledKernel::has_input);
    const std::string& name = network_.parameters[static_cast<std::size_t>(number)];
    const auto fail = [&](const std::string& what) {
      throw Refusal(fmt::format("{}: {}", network_.position, what));
    };
    std::map<int, std::string> all;
    for (const auto& [way, who] : ways) {
      if (who.size() > 1) {
        fail(
            fmt::format("'{}' and '{}' both {} '{}', and a parameter has one port for that; pass "
                        "two, or copy it in a function of its own",
                        process(who[0].process).name, process(who[1].process).name, way, name));
      }
      for (const Use& use : who) all[use.process] = process(use.process).name;
    }
    if (all.size() > 1) {
      fail(fmt::format("'{}' goes from '{}' to '{}'; hand it on in a local array or LocalStream",
                       name, all.begin()->second, std::next(all.begin())->second));
    }
    const std::vector<Use>& sets = ways.back().second;
    if (!sets.empty() && !gets.empty()) {
      fail(fmt::format("'{}' is set by '{}' and read by '{}'; results are not handed on", name,
                       process(sets[0].process).name, process(gets[0].process).name));
    }
  }

  Network& network_;
  const std::vector<const CompiledKernel*>& processes_;
};

}  // namespace

void join_network(Network& network, const std::vector<const CompiledKernel*>& processes) {
  Joiner(network, processes).run();
}

}  // namespace systole::compiler

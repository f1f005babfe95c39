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
    join_scalars();
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

  /// What a call gets in a local variable: what another has set, or what it held before that.
  void join_scalars() {
    for (std::size_t p = 0; p < processes_.size(); ++p) {
      for (NetworkArgument& one : network_.processes[p].arguments) {
        if (one.kind != Kind::kSet && one.kind != Kind::kUnknown && !one.is_earlier) continue;
        if (processes_[p]->has_input(one.port)) join_scalar(static_cast<int>(p), one);
      }
    }
  }

  void join_scalar(int reader, NetworkArgument& argument) {
    const auto fail = [&](const std::string& what) {
      throw Refusal(fmt::format("{}: '{}' {}", process(reader).place, argument.port, what));
    };
    const NetworkArgument* source = &argument;
    int setter = -1;
    do {
      if (source->is_earlier) {
        fail(
            "gets what an iteration before has left; keep it in one of the functions, or hand it "
            "on in the order of the calls");
      }
      if (source->kind != Kind::kSet) break;
      setter = source->number;
      source = &process(setter).arguments[static_cast<std::size_t>(source->place)];
    } while (!processes_[static_cast<std::size_t>(setter)]->has_output(source->port));
    if (setter >= 0 && processes_[static_cast<std::size_t>(setter)]->has_output(source->port)) {
      argument.kind = Kind::kChannel;
      argument.number = static_cast<int>(network_.channels.size());
      network_.channels.push_back({.name = source->variable,
                                   .position = process(setter).place,
                                   .kind = ChannelKind::kScalar,
                                   .words = 1,
                                   .writer = setter,
                                   .reader = reader,
                                   .writer_port = source->port,
                                   .reader_port = argument.port});
      set_width(network_.channels.back(), "");
      return;
    }
    if (source->kind == Kind::kUnknown) {
      fail("gets a variable that no call has set before; give it a value, or set it in one");
    }
    const std::string port = argument.port;
    argument = *source;
    argument.port = port;
  }

  void set_width(NetworkChannel& channel, const char* suffix) const {
    const CompiledKernel& writer = *processes_[static_cast<std::size_t>(channel.writer)];
    const int data = CompiledKernel::find(writer.outputs, channel.writer_port + suffix);
    channel.width = writer.outputs[static_cast<std::size_t>(data)].width;
  }

  void join(int number) {
    NetworkChannel& channel = network_.channels[static_cast<std::size_t>(number)];
    if (channel.kind == ChannelKind::kScalar) return;
    const bool is_stream = channel.kind == ChannelKind::kStream;
    const auto write = is_stream ? &CompiledKernel::pushes : &CompiledKernel::writes;
    const auto read = is_stream ? &CompiledKernel::pops : &CompiledKernel::reads;
    const std::vector<Use> writers = uses(Kind::kChannel, number, write);
    const std::vector<Use> readers = uses(Kind::kChannel, number, read);
    const char* fills = is_stream ? "pushes" : "writes";
    const char* takes = is_stream ? "pops" : "reads";
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
    set_width(channel, is_stream ? "_data" : "_write_data");
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
      fail(
          fmt::format("'{}' is set by '{}' and read by '{}'; results are not handed on; set a "
                      "local variable for that",
                      name, process(sets[0].process).name, process(gets[0].process).name));
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

#include "hls/compiler/dataflow/simulate_network.h"

#include <fmt/format.h>

#include <algorithm>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

/// systole_register_slice.
struct Slice {
  bool push_ready = true;
  bool pop_valid = false;

  void clock(bool push_valid, bool pop_ready) {
    if (pop_ready || !pop_valid) {
      pop_valid = push_valid || !push_ready;
      push_ready = true;
    } else if (push_valid) {
      push_ready = false;
    }
  }
};

/// A stream between two processes: the slices of both, and a systole_fifo between them.
struct Queue {
  std::int64_t places = 0;
  std::int64_t count = 0;
  Slice in;
  Slice out;
  std::int64_t pushed = 0;
  std::int64_t popped = 0;
  bool pushes = false;  ///< in this clock
  bool pops = false;

  void clock() {
    const bool fifo_pushes = in.pop_valid && count < places;
    const bool fifo_pops = count > 0 && out.push_ready;
    const bool fifo_takes = count < places;
    const bool fifo_has = count > 0;
    in.clock(pushes, fifo_takes);
    out.clock(fifo_has, pops);
    count += (fifo_pushes ? 1 : 0) - (fifo_pops ? 1 : 0);
    pushed += pushes ? 1 : 0;
    popped += pops ? 1 : 0;
    pushes = pops = false;
  }
};

/// A process: idle, or at a clock of its trace; its end shows one clock after the last.
struct Worker {
  const ProcessTrace* trace = nullptr;
  std::vector<int> channel_of;  ///< by the trace's streams; -1 for a port of the whole
  std::vector<int> fills;       ///< arrays
  std::vector<int> empties;
  std::vector<int> sets;  ///< scalars, which it may set again when their readers have begun
  std::int64_t finished = 0;
  std::int64_t at = -1;  ///< of the trace; -1 for idle
  bool is_done = false;  ///< done_o, in this clock
  std::int64_t next() const { return finished + (is_done ? 1 : 0); }
  std::int64_t begun() const { return next() + (at >= 0 ? 1 : 0); }
};

class Simulation {
 public:
  Simulation(const Network& network, const std::vector<const CompiledKernel*>& processes)
      : network_(network), queues_(network.channels.size()), workers_(processes.size()) {
    for (std::size_t i = 0; i < network.channels.size(); ++i) {
      queues_[i].places = network.channels[i].words;
    }
    for (std::size_t i = 0; i < processes.size(); ++i) {
      Worker& worker = workers_[i];
      worker.trace = &processes[i]->trace;
      for (const std::string& stream : worker.trace->streams) {
        worker.channel_of.push_back(channel_at(static_cast<int>(i), stream));
      }
      for (std::size_t c = 0; c < network.channels.size(); ++c) {
        const ChannelKind kind = network.channels[c].kind;
        if (kind == ChannelKind::kStream) continue;
        if (network.channels[c].writer == static_cast<int>(i)) {
          (kind == ChannelKind::kScalar ? worker.sets : worker.fills)
              .push_back(static_cast<int>(c));
        }
        if (network.channels[c].reader == static_cast<int>(i))
          worker.empties.push_back(static_cast<int>(c));
      }
    }
    run_.spans.resize(workers_.size());
  }

  std::optional<NetworkRun> run() {
    constexpr std::int64_t kMostClocks = 20'000'000;
    constexpr int kQuiet = 16;  // clocks in which an element is sure to pass an empty queue
    int quiet = 0;
    for (std::int64_t clock = 0; clock < kMostClocks; ++clock) {
      if (std::ranges::all_of(workers_,
                              [&](const Worker& one) { return one.next() == network_.runs; })) {
        run_.clocks = clock + 1;
        return run_;
      }
      quiet = step(clock) ? 0 : quiet + 1;
      if (quiet > kQuiet) refuse_deadlock(clock - quiet);
    }
    return std::nullopt;
  }

 private:
  int channel_at(int process, const std::string& port) const {
    for (std::size_t c = 0; c < network_.channels.size(); ++c) {
      const NetworkChannel& one = network_.channels[c];
      if ((one.writer == process && one.writer_port == port) ||
          (one.reader == process && one.reader_port == port)) {
        return static_cast<int>(c);
      }
    }
    return -1;
  }

  bool pushes(std::size_t worker, int channel) const {
    return network_.channels[static_cast<std::size_t>(channel)].writer == static_cast<int>(worker);
  }

  /// One clock; whether a process did anything in it.
  bool step(std::int64_t clock) {
    std::vector<bool> starts;
    for (const Worker& worker : workers_) starts.push_back(may_start(worker));
    bool any = false;
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      Worker& worker = workers_[w];
      const bool moves = worker.at >= 0 && is_ready(w);
      if (moves) move(w);
      any = any || moves || starts[w] || worker.is_done;
    }
    for (std::size_t w = 0; w < workers_.size(); ++w) advance(w, starts[w], clock);
    for (Queue& queue : queues_) queue.clock();
    return any;
  }

  bool may_start(const Worker& worker) const {
    if (worker.at >= 0 || worker.next() == network_.runs) return false;
    const auto of = [&](int process) -> const Worker& {
      return workers_[static_cast<std::size_t>(process)];
    };
    return std::ranges::all_of(
               worker.empties,
               [&](int c) { return of(channel(c).writer).next() != worker.next(); }) &&
           std::ranges::all_of(
               worker.sets,
               [&](int c) { return of(channel(c).reader).begun() == worker.next(); }) &&
           std::ranges::all_of(worker.fills, [&](int c) {
             return worker.next() != of(channel(c).reader).next() + network_.banks();
           });
  }
  const NetworkChannel& channel(int number) const {
    return network_.channels[static_cast<std::size_t>(number)];
  }

  /// Whether all that a working process asks for in this clock is there.
  bool is_ready(std::size_t w) const {
    const Worker& worker = workers_[w];
    const std::uint64_t asks = worker.trace->clocks[static_cast<std::size_t>(worker.at)];
    for (std::size_t s = 0; s < worker.channel_of.size(); ++s) {
      const int c = worker.channel_of[s];
      if ((asks >> s & 1) == 0 || c < 0) continue;
      const Queue& queue = queues_[static_cast<std::size_t>(c)];
      if (!(pushes(w, c) ? queue.in.push_ready : queue.out.pop_valid)) return false;
    }
    return true;
  }

  void move(std::size_t w) {
    Worker& worker = workers_[w];
    const std::uint64_t asks = worker.trace->clocks[static_cast<std::size_t>(worker.at)];
    for (std::size_t s = 0; s < worker.channel_of.size(); ++s) {
      const int c = worker.channel_of[s];
      if ((asks >> s & 1) == 0 || c < 0) continue;
      Queue& queue = queues_[static_cast<std::size_t>(c)];
      (pushes(w, c) ? queue.pushes : queue.pops) = true;
    }
    ++worker.at;
  }

  void advance(std::size_t w, bool starts, std::int64_t clock) {
    constexpr std::size_t kMostSpans = 64;
    Worker& worker = workers_[w];
    worker.finished = worker.next();
    worker.is_done = false;
    auto& spans = run_.spans[w];
    const auto length = static_cast<std::int64_t>(worker.trace->clocks.size());
    if (worker.at == length) {
      worker.is_done = true;
      worker.at = -1;
      if (worker.finished < static_cast<std::int64_t>(spans.size())) {
        spans[static_cast<std::size_t>(worker.finished)].second = clock + 1;
      }
    }
    if (starts) {
      worker.at = 0;
      if (spans.size() < kMostSpans) spans.emplace_back(clock, clock);
    }
  }

  [[noreturn]] void refuse_deadlock(std::int64_t clock) const {
    std::string waits;
    std::string position = network_.position;
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      const Worker& worker = workers_[w];
      const std::string name = network_.processes[w].name;
      if (worker.at < 0) {
        for (const int c : worker.empties) {
          const NetworkChannel& one = channel(c);
          if (workers_[static_cast<std::size_t>(one.writer)].next() == worker.next() &&
              worker.next() < network_.runs) {
            waits += fmt::format("; '{}' waits for '{}' of '{}'", name, one.name,
                                 network_.processes[static_cast<std::size_t>(one.writer)].name);
          }
        }
        continue;
      }
      const std::uint64_t asks = worker.trace->clocks[static_cast<std::size_t>(worker.at)];
      for (std::size_t s = 0; s < worker.channel_of.size(); ++s) {
        const int c = worker.channel_of[s];
        if ((asks >> s & 1) == 0 || c < 0) continue;
        const Queue& queue = queues_[static_cast<std::size_t>(c)];
        if (pushes(w, c) && !queue.in.push_ready) {
          waits += fmt::format(
              "; '{}' waits for a place in '{}' ({} places, {} elements pushed, {} "
              "popped)",
              name, channel(c).name, queue.places, queue.pushed, queue.popped);
          position = channel(c).position;
        } else if (!pushes(w, c) && !queue.out.pop_valid) {
          waits += fmt::format("; '{}' waits for an element of '{}'", name, channel(c).name);
        }
      }
    }
    throw Refusal(
        fmt::format("{}: a deadlock after {} clocks{}; make the queue deeper, or pop in "
                    "the order of the pushes",
                    position, clock, waits));
  }

  const Network& network_;
  std::vector<Queue> queues_;
  std::vector<Worker> workers_;
  NetworkRun run_;
};

}  // namespace

void check_counts(Network& network, const std::vector<const CompiledKernel*>& processes) {
  for (NetworkChannel& channel : network.channels) {
    if (channel.kind != ChannelKind::kStream) continue;
    const auto process = [&](int number) -> const NetworkProcess& {
      return network.processes[static_cast<std::size_t>(number)];
    };
    const ProcessTrace& writer = processes[static_cast<std::size_t>(channel.writer)]->trace;
    const ProcessTrace& reader = processes[static_cast<std::size_t>(channel.reader)]->trace;
    if (!writer.is_known || !reader.is_known) {
      channel.may_leave = true;
      if (network.is_fresh(channel)) continue;
      throw Refusal(fmt::format(
          "{}: '{}' and '{}' may leave elements in '{}' for the next iteration, since their number "
          "depends on data; declare it in the loop, where each iteration starts with none",
          channel.position, process(channel.writer).name, process(channel.reader).name,
          channel.name));
    }
    const std::int64_t in = writer.moved(channel.writer_port);
    const std::int64_t out = reader.moved(channel.reader_port);
    if (in == out) continue;
    throw Refusal(
        fmt::format("{}: '{}' pushes {} elements into '{}' and '{}' pops {}; a run must "
                    "leave none and wait for none",
                    channel.position, process(channel.writer).name, in, channel.name,
                    process(channel.reader).name, out));
  }
}

std::optional<NetworkRun> simulate_network(const Network& network,
                                           const std::vector<const CompiledKernel*>& processes) {
  if (!std::ranges::all_of(processes, [](const auto* one) { return one->trace.is_known; })) {
    return std::nullopt;
  }
  return Simulation(network, processes).run();
}

}  // namespace systole::compiler

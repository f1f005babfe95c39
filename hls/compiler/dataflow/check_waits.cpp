#include "hls/compiler/dataflow/check_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

/// One process may have to wait until another goes on.
struct Wait {
  enum class Kind {
    kStart,    ///< for the end of the one that sets a value or fills an array
    kElement,  ///< for the writer of a stream
    kPlace,    ///< for the reader of a stream that may be full
  };
  Kind kind;
  int who;
  int whom;
  const NetworkChannel* channel;
};

class Waits {
 public:
  Waits(const Network& network, const std::vector<const CompiledKernel*>& processes)
      : network_(network), processes_(processes) {
    for (const NetworkChannel& one : network.channels) {
      const bool is_stream = one.kind == ChannelKind::kStream;
      waits_.push_back(
          {is_stream ? Wait::Kind::kElement : Wait::Kind::kStart, one.reader, one.writer, &one});
      if (is_stream && may_be_full(one)) {
        waits_.push_back({Wait::Kind::kPlace, one.writer, one.reader, &one});
      }
    }
  }

  /// Every wait goes from a call to one before it, but those for places: a circle has one of them.
  void check() const {
    for (const Wait& start : waits_) {
      if (start.kind != Wait::Kind::kStart) continue;
      std::vector<Wait> circle = way(start.whom, start.who, nullptr);
      if (circle.empty()) continue;
      circle.push_back(start);
      refuse(circle);
    }
  }

  /// Whether its writer may wait for a place while its reader waits, along other streams, for the
  /// writer.
  bool may_be_short(const NetworkChannel& stream) const {
    return std::ranges::any_of(waits_, [&](const Wait& one) {
      return one.kind == Wait::Kind::kPlace && one.channel == &stream &&
             !way(one.whom, one.who, &stream).empty();
    });
  }

 private:
  std::optional<std::int64_t> most_pushed(const NetworkChannel& stream) const {
    const CompiledKernel& writer = *processes_[static_cast<std::size_t>(stream.writer)];
    if (writer.trace.is_known) return writer.trace.moved(stream.writer_port);
    const auto found = writer.most_pushes.find(stream.writer_port);
    return found == writer.most_pushes.end() ? std::nullopt : std::optional(found->second);
  }

  /// Whether a push may wait for the reader's start: the writer's end holds two elements, and so
  /// does the reader's, unless that is shut while the reader is idle.
  bool may_be_full(const NetworkChannel& stream) const {
    constexpr std::int64_t kAtEnd = 2;
    const std::optional<std::int64_t> most = most_pushed(stream);
    return !most || *most > stream.words + (stream.may_leave ? kAtEnd : 2 * kAtEnd);
  }

  /// The fewest waits that lead from one process to another, but for those of one channel; empty
  /// for none.
  std::vector<Wait> way(int from, int to, const NetworkChannel* without) const {
    std::vector<const Wait*> first_to(network_.processes.size(), nullptr);
    std::deque<int> reached = {from};
    while (!reached.empty() && !first_to[static_cast<std::size_t>(to)]) {
      const int at = reached.front();
      reached.pop_front();
      for (const Wait& one : waits_) {
        const Wait*& before = first_to[static_cast<std::size_t>(one.whom)];
        if (one.who != at || one.whom == from || before || one.channel == without) continue;
        before = &one;
        reached.push_back(one.whom);
      }
    }
    std::vector<Wait> steps;
    if (!first_to[static_cast<std::size_t>(to)]) return steps;
    for (int at = to; at != from; at = steps.back().who) {
      steps.push_back(*first_to[static_cast<std::size_t>(at)]);
    }
    std::ranges::reverse(steps);
    return steps;
  }

  std::string text(const Wait& wait) const {
    const auto name = [&](int process) {
      return network_.processes[static_cast<std::size_t>(process)].name;
    };
    switch (wait.kind) {
      case Wait::Kind::kStart:
        return fmt::format("'{}' starts when '{}' has ended", name(wait.who), name(wait.whom));
      case Wait::Kind::kElement:
        return fmt::format("'{}' waits for an element of '{}'", name(wait.who), wait.channel->name);
      case Wait::Kind::kPlace:
        break;
    }
    return fmt::format("'{}' waits for a place in '{}'", name(wait.who), wait.channel->name);
  }

  /// At the stream that takes the fewest more places to mend it.
  [[noreturn]] void refuse(const std::vector<Wait>& circle) const {
    const NetworkChannel* stream = nullptr;
    std::optional<std::int64_t> most;
    std::string who;
    for (const Wait& wait : circle) {
      who += (who.empty() ? "" : ", ") + text(wait);
      if (wait.kind != Wait::Kind::kPlace) continue;
      const std::optional<std::int64_t> needs = most_pushed(*wait.channel);
      const bool is_less =
          !stream || (needs && (!most || *needs - wait.channel->words < *most - stream->words));
      if (!is_less) continue;
      stream = wait.channel;
      most = needs;
    }
    const std::string mend =
        most ? fmt::format(
                   "give '{}' {} places, as many as a run pushes at most, or hand it over "
                   "in an array",
                   stream->name, *most)
             : fmt::format("what a run pushes into '{}' depends on data; hand it over in an array",
                           stream->name);
    throw Refusal(
        fmt::format("{}: this network may wait for itself: {}; {}", stream->position, who, mend));
  }

  const Network& network_;
  const std::vector<const CompiledKernel*>& processes_;
  std::vector<Wait> waits_;
};

}  // namespace

void check_waits(Network& network, const std::vector<const CompiledKernel*>& processes) {
  const Waits waits(network, processes);
  waits.check();
  for (NetworkChannel& one : network.channels) one.may_be_short = waits.may_be_short(one);
}

}  // namespace systole::compiler

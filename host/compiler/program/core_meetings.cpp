#include "host/compiler/program/core_meetings.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "host/graph/graph.h"
#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

using device::VectorStreamEnd;

/// A run's streams whose ends are links; 0 words for none.
struct Meeting {
  struct Stream {
    VectorStreamEnd end = VectorStreamEnd::kMemory;
    std::int64_t words = 0;
    std::size_t command = 0;
  };
  Stream in, out;

  /// What passes between this core and the one above, or the one below.
  std::int64_t taken(VectorStreamEnd end) const { return in.end == end ? in.words : 0; }
  std::int64_t sent(VectorStreamEnd end) const { return out.end == end ? out.words : 0; }
};

std::vector<Meeting> meetings_of(std::span<const device::CommandWord> program, int lanes) {
  std::vector<Meeting> meetings;
  Meeting next;
  bool meets = false;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const device::Opcode opcode = device::opcode_of(program[i]);
    if (opcode == device::Opcode::kVectorRun && meets) {
      meetings.push_back(next);
      next = {};
      meets = false;
    }
    if (opcode != device::Opcode::kVectorStream) continue;
    const device::VectorStream stream = device::decode_vector_stream(program[i]);
    if (stream.end == VectorStreamEnd::kMemory) continue;
    meets = true;
    const std::int64_t words =
        std::int64_t{stream.rows} * ceil_div(std::int64_t{stream.cols}, std::int64_t{lanes});
    (stream.writes ? next.out : next.in) = {stream.end, words, i};
  }
  return meetings;
}

class Line {
 public:
  Line(std::span<const std::span<const device::CommandWord>> programs, int lanes)
      : next_(programs.size()) {
    for (const auto& program : programs) meetings_.push_back(meetings_of(program, lanes));
  }

  /// Lets cores meet that are there together, until all have met.
  void run() {
    while (!has_ended()) {
      bool moves = false;
      for (std::size_t first = 0; first < next_.size();) {
        std::size_t last = first;
        while (last + 1 < next_.size() && meet(last)) ++last;
        if (is_whole(first, last)) {
          for (std::size_t core = first; core <= last; ++core) ++next_[core];
          moves = true;
        }
        first = last + 1;
      }
      if (!moves) throw graph::GraphError("cores wait for each other: " + words());
    }
  }

 private:
  bool has_ended() const {
    for (std::size_t core = 0; core < next_.size(); ++core) {
      if (now(core) != nullptr) return false;
    }
    return true;
  }
  const Meeting* now(std::size_t core) const {
    return next_[core] < meetings_[core].size() ? &meetings_[core][next_[core]] : nullptr;
  }

  /// Whether this core and the one above now meet each other.
  bool meet(std::size_t core) const {
    const Meeting* below = now(core);
    const Meeting* above = now(core + 1);
    if (below == nullptr || above == nullptr) return false;
    const std::int64_t up = below->sent(VectorStreamEnd::kUp);
    const std::int64_t down = below->taken(VectorStreamEnd::kUp);
    return up + down > 0 && up == above->taken(VectorStreamEnd::kDown) &&
           down == above->sent(VectorStreamEnd::kDown);
  }

  /// Whether all that the cores first .. last need now is among them.
  bool is_whole(std::size_t first, std::size_t last) const {
    const Meeting* lowest = now(first);
    const Meeting* highest = now(last);
    return lowest != nullptr && highest != nullptr &&
           lowest->taken(VectorStreamEnd::kDown) + lowest->sent(VectorStreamEnd::kDown) == 0 &&
           highest->taken(VectorStreamEnd::kUp) + highest->sent(VectorStreamEnd::kUp) == 0;
  }

  std::string words() const {
    std::string all;
    for (std::size_t core = 0; core < next_.size(); ++core) {
      const Meeting* meeting = now(core);
      all += fmt::format("{}core {} ", core == 0 ? "" : "; ", core);
      if (meeting == nullptr) {
        all += "has ended";
        continue;
      }
      const auto stream = [](const Meeting::Stream& one, const char* does) {
        if (one.words == 0) return std::string();
        return fmt::format(" {} {} words {} in command {}", does, one.words,
                           one.end == VectorStreamEnd::kUp ? "above" : "below", one.command);
      };
      all += "has" + stream(meeting->in, "to take") + stream(meeting->out, "to send");
    }
    return all;
  }

  std::vector<std::vector<Meeting>> meetings_;
  std::vector<std::size_t> next_;
};

}  // namespace

void check_meetings(std::span<const std::span<const device::CommandWord>> programs, int lanes) {
  Line(programs, lanes).run();
}

}  // namespace systole::lowering

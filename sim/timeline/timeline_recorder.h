#pragma once

#include <array>
#include <vector>

#include "sim/timeline/activity.h"
#include "sim/timeline/timeline.h"

namespace systole::sim {

/// Builds a timeline from the activity of each clock.
///
/// Limits   clocks in which no counter counts are left out
class TimelineRecorder {
 public:
  TimelineRecorder();

  /// `now` counts the clocks of the simulation from its first.
  void clock(const Activity& activity, std::uint64_t now);

  /// Ends open slices; the next clock begins an unrelated program.
  void end_program();

  /// Errors   none; the recorder may go on afterwards
  const Timeline& timeline() const { return timeline_; }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Open {
    std::size_t track = kNone;
    std::uint32_t label = 0;
    std::uint64_t begin = 0;
    bool open = false;
  };

  std::size_t add_track(const char* engine, const char* name);
  void add_count(std::size_t track, const char* name, device::Count count);
  std::uint32_t label_of(const Activity::Command& command);
  void follow(Open& open, bool on);
  void close(Open& open, std::uint64_t end);
  void follow_commands(Open& open, const Activity::Engine& engine);

  Timeline timeline_;
  std::array<Open, device::kCounters> counts_;
  Open fetching_, load_, compute_, store_, vector_;
  std::size_t handed_on_ = 0;
  bool in_program_ = false;
};

}  // namespace systole::sim

#include "sim/timeline/timeline_recorder.h"

#include "sim/verify/disassembly.h"

namespace systole::sim {

using device::Count;

TimelineRecorder::TimelineRecorder() {
  fetching_.track = add_track("fetch", "commands from memory");
  fetching_.label = static_cast<std::uint32_t>(timeline_.labels.size());
  timeline_.labels.push_back({.name = "fetching"});
  handed_on_ = add_track("sequencer", "handed on");
  // Every command is counted when it is handed on, under its own name.
  load_.track = add_track("load", "commands");
  add_count(add_track("load", "busy"), "busy", Count::kLoadBusy);
  add_count(add_track("load", "waits for compute"), "waits for compute",
            Count::kLoadWaitForCompute);
  add_count(add_track("load", "waits for store"), "waits for store", Count::kLoadWaitForStore);
  add_count(add_track("load", "waits for vector"), "waits for vector", Count::kLoadWaitForVector);
  add_count(add_track("load", "waits for bus"), "waits for bus", Count::kLoadWaitForBus);
  add_count(add_track("load", "waits for data"), "waits for data", Count::kLoadWaitForData);
  compute_.track = add_track("compute", "commands");
  // At most one of these in a clock, so they share a track.
  const std::size_t array = add_track("compute", "array");
  add_count(array, "rows", Count::kRows);
  add_count(array, "waits for load", Count::kWaitForLoad);
  add_count(array, "waits for store", Count::kWaitForStore);
  add_count(array, "waits for vector", Count::kWaitForVector);
  add_count(array, "waits for weights", Count::kWaitForWeights);
  add_count(array, "waits for sums", Count::kWaitForSums);
  add_count(array, "no product", Count::kWaitForCommand);
  add_count(add_track("compute", "tiles done"), "tile done", Count::kTiles);
  store_.track = add_track("store", "commands");
  add_count(add_track("store", "busy"), "busy", Count::kStoreBusy);
  add_count(add_track("store", "waits for compute"), "waits for compute",
            Count::kStoreWaitForCompute);
  add_count(add_track("store", "waits for load"), "waits for load", Count::kStoreWaitForLoad);
  add_count(add_track("store", "waits for vector"), "waits for vector", Count::kStoreWaitForVector);
  add_count(add_track("store", "waits for bus"), "waits for bus", Count::kStoreWaitForBus);
  vector_.track = add_track("vector", "commands");
  add_count(add_track("vector", "busy"), "busy", Count::kVectorBusy);
  add_count(add_track("vector", "waits for load"), "waits for load", Count::kVectorWaitForLoad);
  add_count(add_track("vector", "waits for compute"), "waits for compute",
            Count::kVectorWaitForCompute);
  add_count(add_track("vector", "waits for store"), "waits for store", Count::kVectorWaitForStore);
  add_count(add_track("vector", "waits for its writes"), "waits for its writes",
            Count::kVectorWaitForVector);
  add_count(add_track("vector", "waits for input"), "waits for input", Count::kVectorWaitForInput);
  add_count(add_track("vector", "waits for output"), "waits for output",
            Count::kVectorWaitForOutput);
  add_count(add_track("bus", "read"), "read beats", Count::kReadBeats);
  add_count(add_track("bus", "write"), "write beats", Count::kWriteBeats);
  add_count(add_track("device", "busy"), "busy", Count::kCycles);
}

std::size_t TimelineRecorder::add_track(const char* engine, const char* name) {
  timeline_.tracks.push_back({.engine = engine, .name = name});
  return timeline_.tracks.size() - 1;
}

void TimelineRecorder::add_count(std::size_t track, const char* name, Count count) {
  counts_[static_cast<std::size_t>(count)] = {
      .track = track, .label = static_cast<std::uint32_t>(timeline_.labels.size())};
  timeline_.labels.push_back({.name = name, .count = count});
}

std::uint32_t TimelineRecorder::label_of(const Activity::Command& command) {
  // The disassembly is the command's bits, two spaces, and the words.
  std::string words = verify::disassemble(command.word);
  words.erase(0, words.find("  ") + 2);
  std::string name = words.substr(0, words.find(';'));
  timeline_.labels.push_back(
      {.name = std::move(name), .command = command.index, .detail = std::move(words)});
  return static_cast<std::uint32_t>(timeline_.labels.size() - 1);
}

void TimelineRecorder::close(Open& open, std::uint64_t end) {
  if (open.open && end > open.begin) {
    timeline_.tracks[open.track].slices.push_back(
        {.begin = open.begin, .end = end, .label = open.label});
  }
  open.open = false;
}

void TimelineRecorder::follow(Open& open, bool on) {
  if (on && !open.open) {
    open.begin = timeline_.clocks;
    open.open = true;
  } else if (!on) {
    close(open, timeline_.clocks);
  }
}

// A command occupies its engine from the clock after it was taken until the next is taken or the
// engine is idle.
void TimelineRecorder::follow_commands(Open& open, const Activity::Engine& engine) {
  if (engine.idle) close(open, timeline_.clocks);
  if (!engine.command.taken) return;
  close(open, timeline_.clocks + 1);
  open.label = label_of(engine.command);
  open.begin = timeline_.clocks + 1;
  open.open = true;
}

void TimelineRecorder::clock(const Activity& activity, std::uint64_t now) {
  if (activity.counting == 0) return;
  if (!in_program_) timeline_.first_clock = now;
  in_program_ = true;
  // Slices end before others begin, because they may share a track.
  for (const bool on : {false, true}) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i].track == kNone || ((activity.counting >> i & 1) != 0) != on) continue;
      follow(counts_[i], on);
    }
  }
  for (std::size_t i = 0; i < timeline_.counts.size(); ++i) {
    timeline_.counts[i] += activity.counting >> i & 1;
  }
  follow(fetching_, activity.fetching);
  if ((activity.counting >> static_cast<int>(Count::kCommands) & 1) != 0) {
    Slice slice{.begin = timeline_.clocks, .end = timeline_.clocks + 1};
    slice.label = label_of(activity.handed_on);
    timeline_.labels.back().count = Count::kCommands;
    timeline_.tracks[handed_on_].slices.push_back(slice);
  }
  follow_commands(load_, activity.load);
  follow_commands(compute_, activity.compute);
  follow_commands(store_, activity.store);
  follow_commands(vector_, activity.vector);
  ++timeline_.clocks;
}

void TimelineRecorder::end_program() {
  for (Open& open : counts_) close(open, timeline_.clocks);
  in_program_ = false;
  for (Open* open : {&fetching_, &load_, &compute_, &store_, &vector_})
    close(*open, timeline_.clocks);
}

}  // namespace systole::sim

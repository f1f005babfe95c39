#include "sim/timeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace systole::sim {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

void name_thread(std::string& json, const char* what, std::size_t process, std::size_t thread,
                 const std::string& name) {
  fmt::format_to(
      std::back_inserter(json),
      "{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}},\n", what,
      process, thread, quoted(name));
}

void add_slice(std::string& json, const Slice& slice, const Label& label, std::uint64_t shift,
               std::size_t process, std::size_t thread) {
  const auto out = std::back_inserter(json);
  fmt::format_to(out,
                 "{{\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"ts\":{},\"dur\":{},\"pid\":{},"
                 "\"tid\":{}",
                 quoted(label.name),
                 label.count ? device::kCounterNames[static_cast<std::size_t>(*label.count)]
                             : std::string_view("command"),
                 slice.begin + shift, slice.end - slice.begin, process, thread);
  if (label.command) {
    fmt::format_to(out, ",\"args\":{{\"index\":{},\"command\":{}}}", *label.command,
                   quoted(label.detail));
  }
  json += "},\n";
}

void add_tracks(std::string& json, const Timeline& timeline, const std::string& core,
                std::uint64_t shift, std::size_t& process) {
  std::size_t thread = 0;
  std::string engine;
  for (const Track& track : timeline.tracks) {
    if (track.engine != engine) {
      engine = track.engine;
      name_thread(json, "process_name", ++process, thread = 0, core + engine);
    }
    name_thread(json, "thread_name", process, ++thread, track.name);
    for (const Slice& slice : track.slices) {
      add_slice(json, slice, timeline.labels[slice.label], shift, process, thread);
    }
  }
}

void add_counts(std::string& json, const Timeline& timeline, const std::string& core) {
  for (std::size_t i = 0; i < timeline.counts.size(); ++i) {
    fmt::format_to(std::back_inserter(json), ",\"{}{}\":{}", core, device::kCounterNames[i],
                   timeline.counts[i]);
  }
}

}  // namespace

std::uint64_t Timeline::clocks_of(device::Count count) const {
  std::uint64_t sum = 0;
  for (const Track& track : tracks) {
    for (const Slice& slice : track.slices) {
      if (labels[slice.label].count == count) sum += slice.end - slice.begin;
    }
  }
  return sum;
}

std::string trace_events(const Timeline& timeline) { return trace_events(std::span(&timeline, 1)); }

std::string trace_events(std::span<const Timeline> cores) {
  const auto name = [&](std::size_t core) {
    return cores.size() == 1 ? std::string() : fmt::format("core {} ", core);
  };
  std::string json =
      "{\"displayTimeUnit\":\"ms\",\n\"otherData\":{\"unit\":\"1 us is 1 device clock\"";
  for (std::size_t i = 0; i < cores.size(); ++i) add_counts(json, cores[i], name(i));
  json += "},\n\"traceEvents\":[\n";
  const std::uint64_t first = std::ranges::min(cores, {}, &Timeline::first_clock).first_clock;
  std::size_t process = 0;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    add_tracks(json, cores[i], name(i), cores[i].first_clock - first, process);
  }
  json.resize(json.size() - 2);  // the last comma
  return json + "\n]}\n";
}

}  // namespace systole::sim

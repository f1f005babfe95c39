#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systole/cosim/ports.h"
#include "systole/cosim/random.h"

namespace systole::cosim {

/// A valid/ready stream at a module's ports: X_valid, X_data... one way and X_ready the other.
struct StreamPorts {
  std::string name;
  int valid = 0;  ///< bit among the ports of its direction
  int ready = 0;  ///< bit among the ports of the other direction
  struct Range {
    int low = 0;
    int width = 0;
  };
  std::vector<Range> data = {};
};

/// The streams among a module's ports: incoming ones if `sources` are its inputs, outgoing ones if
/// they are its outputs.
inline std::vector<StreamPorts> find_streams(std::span<const Port> sources,
                                             std::span<const Port> sinks) {
  const auto without_direction = [](std::string_view name) {
    return name.substr(0, name.size() - 2);
  };
  std::vector<StreamPorts> streams;
  int at = 0;
  for (const Port& port : sources) {
    const std::string_view name = without_direction(port.name);
    if (port.width == 1 && name.ends_with("_valid")) {
      StreamPorts stream{.name = std::string(name.substr(0, name.size() - 6)), .valid = at};
      int ready = 0;
      for (const Port& sink : sinks) {
        if (sink.width == 1 && without_direction(sink.name) == stream.name + "_ready") {
          stream.ready = ready;
          streams.push_back(stream);
        }
        ready += sink.width;
      }
    }
    at += port.width;
  }
  for (StreamPorts& stream : streams) {
    int low = 0;
    for (const Port& port : sources) {
      const std::string_view name = without_direction(port.name);
      if (name == stream.name + "_data" || name.starts_with(stream.name + "_data_")) {
        stream.data.push_back({low, port.width});
      }
      low += port.width;
    }
  }
  return streams;
}

/// Whether one end of a stream is willing in a clock: never, always or sometimes, each for a random
/// number of clocks, like real traffic.
class Willingness {
 public:
  bool next(Random& random) {
    if (clocks_left_ == 0) {
      constexpr std::uint32_t kPhases[] = {0, 1, 4, 8, 12, 15, 16, 16};
      clocks_left_ = random.between(1, 60);
      sixteenths_ = kPhases[random.below(std::size(kPhases))];
    }
    --clocks_left_;
    return random.below(16) < sixteenths_;
  }

 private:
  int clocks_left_ = 0;
  std::uint32_t sixteenths_ = 0;
};

}  // namespace systole::cosim

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace systole::energy {

/// The energy that this machine's processors have used, as their RAPL counters show it: whatever
/// ran on them. Counters that wrap between two reads are followed.
///
/// Units    joules since construction
/// Limits   a counter wraps at most once between two calls
class ProcessorEnergy {
 public:
  explicit ProcessorEnergy(const std::filesystem::path& folder = "/sys/class/powercap");

  bool is_shown() const { return !packages_.empty(); }
  double joules();

 private:
  struct Package {
    std::filesystem::path file;
    std::uint64_t most_microjoules = 0, last_microjoules = 0;
  };
  std::vector<Package> packages_;
  double joules_ = 0;
};

/// A processor's published power, for machines that do not show their own.
struct PublishedPower {
  std::string processor;  ///< "Xeon Platinum 8480+"
  double watts = 0;       ///< thermal design power of all its cores
  int cores = 0;
  bool by_features =
      false;  ///< the machine's family and model are unknown, or contradict its flags
};

/// The largest processor of the family and model in /proc/cpuinfo's text, since virtual machines
/// hide the name. They hide or change the model as well: where it is unknown, or cannot have the
/// flags beside it, the processor whose cores take the least among those that can have them; none
/// if no known one can.
std::optional<PublishedPower> published_power(const std::string& cpuinfo);

}  // namespace systole::energy

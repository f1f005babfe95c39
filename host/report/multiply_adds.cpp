#include "host/report/multiply_adds.h"

#include <nlohmann/json.hpp>

namespace systole {

extern const char* const kSiliconRecord;  ///< of silicon_record.cpp.in

std::vector<MultiplyAdd> multiply_adds() {
  const auto record = nlohmann::json::parse(kSiliconRecord);
  std::vector<MultiplyAdd> all;
  for (const auto& one : record["multiply_adds"]) {
    all.push_back({.process = one["process"],
                   .library = one["library"],
                   .published = one["published"]["multiply_bf16"].get<double>() +
                                one["published"]["add_fp32"].get<double>(),
                   .gates = one["gates"],
                   .registers = one["registers"],
                   .clock_pins = one["clock_pins"]});
  }
  return all;
}

}  // namespace systole

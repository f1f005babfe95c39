#pragma once

#include <tuple>

#include "systole/hls/pipeline.h"

namespace systole::cosim {

/// A pure function in kStages stages as a kernel of its own: what `hlsc --stages` makes of it.
template <auto kFunction, int kStages, typename Signature = decltype(kFunction)>
class PipelinedFunction;

template <auto kFunction, int kStages, typename Result, typename... Arguments>
class PipelinedFunction<kFunction, kStages, Result (*)(Arguments...)> {
 public:
  struct Inputs {
    std::tuple<std::remove_cvref_t<Arguments>...> arguments;

    template <typename Visit>
    void each_field(Visit&& visit) {
      std::apply([&](auto&... argument) { (visit(argument), ...); }, arguments);
    }
    template <typename Visit>
    void each_field(Visit&& visit) const {
      std::apply([&](const auto&... argument) { (visit(argument), ...); }, arguments);
    }
  };
  struct Outputs {
    Result result;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{.result = pipeline_.output()};
    std::apply([&](const auto&... argument) { pipeline_.clock(argument...); }, in.arguments);
    return out;
  }

 private:
  hls::Pipeline<kFunction, kStages> pipeline_;
};

}  // namespace systole::cosim

#pragma once

#include <verilated.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systole/cosim/ports.h"
#include "systole/cosim/random.h"

namespace systole::cosim {

/// The clocks from `start_i` to `done_o` that a module's header promises; `most` is -1 where they
/// depend on data without a bound.
struct KernelClocks {
  long long least = 0;
  long long most = 0;
};

struct KernelOptions {
  std::uint64_t seed = 1;
  int runs = 20;
  long long clock_limit = 2'000'000;  ///< in one run; beyond it the RTL counts as hanging
};

struct KernelResult {
  std::string difference;  ///< the first, in words; "" for none
  int runs = 0;
  long long least_clocks = 0;
  long long most_clocks = 0;
};

/// A parameter of a function over arrays: its words, as the bench's memory holds them.
struct KernelArgument {
  std::string name;
  int width = 0;
  std::vector<Bits> words;  ///< one for a scalar
};

/// The RTL of a function over arrays, with memories around it: read data one clock after its
/// address, the old word if it is written at the same edge, and rubbish at any other time.
class KernelRtl {
 public:
  KernelRtl(std::span<const Port> inputs, std::span<const Port> outputs)
      : inputs_(inputs), outputs_(outputs), in_(total_width(inputs)), out_(total_width(outputs)) {}
  virtual ~KernelRtl() = default;

  void reset(Random& random, int clocks) {
    for (int i = 0; i < clocks; ++i) clock(nullptr, random, i % 2 == 0, true);
  }

  /// Runs from start to done; the clocks, or -1 with `difference_` set. A run of `abort_after`
  /// clocks or more is broken off by a reset.
  long long run(std::vector<KernelArgument>& arguments, Random& random, long long limit,
                long long abort_after) {
    for (const KernelArgument& one : arguments) set(one.name + "_i", one.words.front());
    clock(&arguments, random, true, false);
    for (long long clocks = 1; clocks < limit; ++clocks) {
      if (clocks == abort_after) {
        reset(random, 2);
        return 0;
      }
      set("start_i", 0);
      settle(false);
      if (!difference_.empty()) return -1;
      if (get("done_o") != 0) {
        for (KernelArgument& one : arguments) {
          if (find(outputs_, one.name + "_o") >= 0) one.words.front() = get(one.name + "_o");
        }
        return clocks;
      }
      serve(&arguments, random);
      edge();
    }
    difference_ = "the RTL does not end";
    return -1;
  }
  const std::string& difference() const { return difference_; }

 protected:
  virtual void settle_model(const PortBits& in, bool in_reset, PortBits& out) = 0;
  virtual void edge() = 0;

 private:
  struct Place {
    int low = -1;
    int width = 0;
  };
  static Place place(std::span<const Port> ports, const std::string& name) {
    int low = 0;
    for (const Port& port : ports) {
      if (port.name == name) return {low, port.width};
      low += port.width;
    }
    return {};
  }
  static int find(std::span<const Port> ports, const std::string& name) {
    return place(ports, name).low;
  }
  void set(const std::string& name, Bits bits) {
    const Place at = place(inputs_, name);
    if (at.low >= 0) in_.set(at.low, at.width, bits);
  }
  Bits get(const std::string& name) const {
    const Place at = place(outputs_, name);
    return at.low < 0 ? 0 : out_.get(at.low, at.width);
  }
  void settle(bool in_reset) { settle_model(in_, in_reset, out_); }

  void clock(std::vector<KernelArgument>* arguments, Random& random, bool start, bool in_reset) {
    set("start_i", start ? 1 : 0);
    settle(in_reset);
    if (arguments) serve(arguments, random);
    edge();
  }

  void serve(std::vector<KernelArgument>* arguments, Random& random) {
    for (KernelArgument& one : *arguments) {
      if (find(inputs_, one.name + "_read_data_i") >= 0) {
        Bits data = random.bits();
        const auto address = static_cast<std::size_t>(get(one.name + "_read_address_o"));
        if (get(one.name + "_read_enable_o") != 0 && address < one.words.size()) {
          data = one.words[address];
        }
        set(one.name + "_read_data_i", data);
      }
      if (get(one.name + "_write_enable_o") == 0) continue;
      const auto address = static_cast<std::size_t>(get(one.name + "_write_address_o"));
      if (address >= one.words.size()) {
        difference_ = one.name + " is written at " + std::to_string(address) + ", beyond its end";
        return;
      }
      one.words[address] = get(one.name + "_write_data_o");
    }
  }

  std::span<const Port> inputs_;
  std::span<const Port> outputs_;
  PortBits in_;
  PortBits out_;
  std::string difference_;
};

template <typename Model, auto kFunction, typename Signature = decltype(kFunction)>
class KernelBench;

/// Runs a function over arrays natively and as RTL on random arguments, and compares all of them
/// afterwards, and the clocks with what the module promises. Every fourth run is broken off by a
/// reset first.
///
/// Shapes   Model is Verilated under a flat top, as for Lockstep; a parameter is an integer, or an
///          array of integers of any dimensions
template <typename Model, auto kFunction, typename... Parameters>
class KernelBench<Model, kFunction, void (*)(Parameters...)> : public KernelRtl {
 public:
  template <typename Prepare>
  static KernelResult run(std::span<const Port> inputs, std::span<const Port> outputs,
                          const std::vector<std::string>& names, const KernelClocks& promised,
                          Prepare prepare, const KernelOptions& options) {
    KernelBench bench(inputs, outputs, options);
    Random random(options.seed);
    bench.reset(random, 3);
    KernelResult result;
    for (; result.runs < options.runs && result.difference.empty(); ++result.runs) {
      auto values = std::make_unique<Values>();
      std::apply([&](auto&... value) { (fill(value, random), ...); }, *values);
      if constexpr (!std::is_null_pointer_v<Prepare>) {
        std::apply([&](auto&... value) { prepare(random, value...); }, *values);
      }
      std::vector<KernelArgument> words = words_of(*values, names);
      if (result.runs % 4 == 3) {
        std::vector<KernelArgument> lost = words;
        const long long soon = 1 + random.below(static_cast<std::uint32_t>(
                                       std::clamp<long long>(promised.least, 1, 1000)));
        bench.KernelRtl::run(lost, random, options.clock_limit, soon);
        bench.reset(random, 2);
      }
      std::apply([&](auto&... value) { kFunction(value...); }, *values);
      const long long clocks = bench.KernelRtl::run(words, random, options.clock_limit, -1);
      result.difference = bench.difference();
      if (result.difference.empty()) result.difference = compare(words, words_of(*values, names));
      if (result.difference.empty() &&
          (clocks < promised.least || (promised.most >= 0 && clocks > promised.most))) {
        result.difference = "it takes " + std::to_string(clocks) + " clocks, and " +
                            std::to_string(promised.least) + " to " +
                            std::to_string(promised.most) + " were promised";
      }
      if (!result.difference.empty()) {
        result.difference +=
            " (run " + std::to_string(result.runs) + ", seed " + std::to_string(options.seed) + ")";
      }
      result.least_clocks = result.runs == 0 ? clocks : std::min(result.least_clocks, clocks);
      result.most_clocks = std::max(result.most_clocks, clocks);
    }
    return result;
  }

 private:
  using Values = std::tuple<std::remove_cvref_t<Parameters>...>;

  KernelBench(std::span<const Port> inputs, std::span<const Port> outputs,
              const KernelOptions& options)
      : KernelRtl(inputs, outputs) {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(options.seed % 0x7fff'fffe) + 1);
    model_ = std::make_unique<Model>(&context_);
  }

  void settle_model(const PortBits& in, bool in_reset, PortBits& out) override {
    in.store(model_->in_i);
    model_->rst_ni = in_reset ? 0 : 1;
    model_->clk_i = 0;
    model_->eval();
    out.load(model_->out_o);
  }
  void edge() override {
    model_->clk_i = 1;
    model_->eval();
  }

  template <typename Value>
  static void fill(Value& value, Random& random) {
    const std::uint32_t style = random.below(4);
    for_each_leaf(value, [&](auto& leaf) {
      constexpr int kWidth = leaf_width<std::remove_cvref_t<decltype(leaf)>>;
      Bits bits = 0;
      for (int word = 0; word < 3; ++word) bits = bits << 48 ^ random.bits();
      if (style == 0 && random.below(2) == 0) bits &= 3;
      if (kWidth < 128) bits &= (Bits{1} << (kWidth % 128)) - 1;
      set_bits(leaf, bits);
    });
  }

  static std::vector<KernelArgument> words_of(Values& values,
                                              const std::vector<std::string>& names) {
    std::vector<KernelArgument> arguments;
    std::apply(
        [&](auto&... value) {
          std::size_t number = 0;
          (arguments.push_back(argument_of(value, names.at(number++))), ...);
        },
        values);
    return arguments;
  }
  template <typename Value>
  static KernelArgument argument_of(Value& value, const std::string& name) {
    KernelArgument argument{.name = name, .width = 0, .words = {}};
    for_each_leaf(value, [&](const auto& leaf) {
      argument.width = leaf_width<std::remove_cvref_t<decltype(leaf)>>;
      argument.words.push_back(bits_of(leaf));
    });
    return argument;
  }

  static std::string compare(const std::vector<KernelArgument>& rtl,
                             const std::vector<KernelArgument>& native) {
    for (std::size_t i = 0; i < rtl.size(); ++i) {
      for (std::size_t word = 0; word < rtl[i].words.size(); ++word) {
        if (rtl[i].words[word] == native[i].words[word]) continue;
        return rtl[i].name + "[" + std::to_string(word) + "] is " + hex(native[i].words[word]) +
               " in C++ and " + hex(rtl[i].words[word]) + " in RTL";
      }
    }
    return "";
  }

  VerilatedContext context_;
  std::unique_ptr<Model> model_;
};

}  // namespace systole::cosim

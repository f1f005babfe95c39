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

#include "systole/cosim/kernel_ports.h"
#include "systole/cosim/ports.h"
#include "systole/cosim/random.h"

namespace systole::cosim {

/// The clocks from `start_i` to `done_o` that a module's header promises; `most` is -1 where they
/// depend on data without a bound. `stops` for a module whose processes stop for each other's
/// streams; `work` is the clocks of all their runs, one after the other, or -1 without a bound.
struct KernelClocks {
  long long least = 0;
  long long most = 0;
  bool stops = false;
  long long work = 0;

  /// The clocks after which a module that nothing outside stops has ended, or never does; 0 if
  /// nothing bounds them. Where every process waits for another, an element moves on to one in
  /// kQuiet clocks; and each run is in work, or in its start or end.
  long long longest() const {
    constexpr long long kQuiet = 16;
    if (most >= 0) return most;
    return work > 0 ? (kQuiet + 1) * 3 * work : 0;
  }
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

/// The RTL of a function over arrays, with memories and streams around it. Read data is there one
/// clock after its address, with the old word if it is written at the same edge; then rubbish, or
/// with streams, which may stop the module, the same data until the next read.
class KernelRtl {
 public:
  KernelRtl(std::span<const Port> inputs, std::span<const Port> outputs)
      : ports_(inputs, outputs) {}
  virtual ~KernelRtl() = default;

  void reset(int clocks) {
    for (int i = 0; i < clocks; ++i) {
      ports_.set("start_i", i % 2 == 0 ? 1 : 0);
      settle(true);
      edge();
    }
  }

  /// Runs from start to done; the clocks, or -1 with `difference_` set. A run of `abort_after`
  /// clocks or more is broken off by a reset. In `stalls` of 256 clocks a stream stalls.
  long long run(std::vector<KernelArgument>& arguments, Random& random, long long limit,
                long long abort_after, unsigned stalls) {
    for (const KernelArgument& one : arguments) {
      if (!one.words.empty()) ports_.set(one.name + "_i", one.words.front());
    }
    if (axi_) axi_->start(arguments, ports_, random);
    ports_.set("start_i", 1);
    clock(arguments, random, stalls);
    ports_.set("start_i", 0);
    for (long long clocks = 1; clocks < limit; ++clocks) {
      if (clocks == abort_after) {
        reset(2);
        return 0;
      }
      const bool done = clock(arguments, random, stalls);
      if (!difference_.empty()) return -1;
      if (!done) continue;
      for (KernelArgument& one : arguments) {
        if (ports_.has_output(one.name + "_o")) one.words.front() = ports_.get(one.name + "_o");
      }
      // Elements that were pushed in the last clocks.
      while (ports_.offers_elements(arguments)) clock(arguments, random, stalls);
      if (axi_) difference_ = axi_->finish(arguments);
      if (axi_ && ports_.get("error_o") != 0) difference_ = "error_o is set";
      return clocks;
    }
    difference_ = "the RTL does not end in " + std::to_string(limit) + " clocks";
    return -1;
  }
  const std::string& difference() const { return difference_; }
  const KernelPorts& ports() const { return ports_; }
  /// Holds what memories have read until the next read, from now on.
  void hold_reads() { holds_reads_ = true; }
  /// Serves the AXI ports from now on.
  void serve_axi(AxiPorts& axi) { axi_ = &axi; }

 protected:
  virtual void settle_model(const PortBits& in, bool in_reset, PortBits& out) = 0;
  virtual void edge() = 0;

 private:
  void settle(bool in_reset) { settle_model(ports_.in(), in_reset, ports_.out()); }

  /// One clock; whether the module says that it is done.
  bool clock(std::vector<KernelArgument>& arguments, Random& random, unsigned stalls) {
    ports_.drive_streams(arguments, random, stalls);
    if (axi_) axi_->drive(ports_);
    settle(false);
    const bool done = ports_.get("done_o") != 0;
    ports_.transfer_streams(arguments);
    if (axi_) axi_->transfer(ports_);
    serve(arguments, random);
    edge();
    return done;
  }

  void serve(std::vector<KernelArgument>& arguments, Random& random) {
    const bool may_stop = holds_reads_ || axi_ ||
                          std::any_of(arguments.begin(), arguments.end(), [&](const auto& one) {
                            return ports_.pops(one) || ports_.pushes(one);
                          });
    for (KernelArgument& one : arguments) {
      if (ports_.has_input(one.name + "_read_data_i")) {
        const auto address = static_cast<std::size_t>(ports_.get(one.name + "_read_address_o"));
        if (ports_.get(one.name + "_read_enable_o") != 0 && address < one.words.size()) {
          ports_.set(one.name + "_read_data_i", one.words[address]);
        } else if (!may_stop) {
          ports_.set(one.name + "_read_data_i", random.bits());
        }
      }
      if (ports_.get(one.name + "_write_enable_o") == 0) continue;
      const auto address = static_cast<std::size_t>(ports_.get(one.name + "_write_address_o"));
      if (address >= one.words.size()) {
        difference_ = one.name + " is written at " + std::to_string(address) + ", beyond its end";
        return;
      }
      one.words[address] = ports_.get(one.name + "_write_data_o");
    }
  }

  KernelPorts ports_;
  AxiPorts* axi_ = nullptr;
  bool holds_reads_ = false;
  std::string difference_;
};

template <typename Model, auto kFunction, typename Signature = decltype(kFunction)>
class KernelBench;

/// Runs a function over arrays natively and as RTL on random arguments, and compares all of them
/// afterwards, and the clocks with what the module promises. Every fourth run is broken off by a
/// reset first. In two of three runs streams stall, which costs clocks.
///
/// Shapes   Model is Verilated under a flat top, as for Lockstep; a parameter is an integer, an
///          array of integers of any dimensions, or a Stream of them, or an AxiArray, which `axi`
///          serves
template <typename Model, auto kFunction, typename... Parameters>
class KernelBench<Model, kFunction, void (*)(Parameters...)> : public KernelRtl {
 public:
  template <typename Prepare>
  static KernelResult run(std::span<const Port> inputs, std::span<const Port> outputs,
                          const std::vector<std::string>& names, const KernelClocks& promised,
                          Prepare prepare, const KernelOptions& options, AxiPorts* axi = nullptr) {
    KernelBench bench(inputs, outputs, options);
    if (axi) bench.serve_axi(*axi);
    if (promised.stops) bench.hold_reads();
    Random random(options.seed);
    bench.reset(3);
    KernelResult result;
    for (; result.runs < options.runs && result.difference.empty(); ++result.runs) {
      auto values = std::make_unique<Values>();
      std::apply(
          [&](auto&... value) {
            std::size_t number = 0;
            (bench.fill_argument(value, names.at(number++), random), ...);
          },
          *values);
      if constexpr (!std::is_null_pointer_v<Prepare>) {
        std::apply([&](auto&... value) { prepare(random, value...); }, *values);
      }
      std::vector<KernelArgument> words = words_of(*values, names);
      const unsigned stalls = result.runs % 3 == 0 ? 0 : 1 + random.below(200);
      if (result.runs % 4 == 3) {
        std::vector<KernelArgument> lost = words;
        const long long soon = 1 + random.below(static_cast<std::uint32_t>(
                                       std::clamp<long long>(promised.least, 1, 1000)));
        bench.KernelRtl::run(lost, random, options.clock_limit, soon, stalls);
        bench.reset(2);
      }
      std::apply([&](auto&... value) { kFunction(value...); }, *values);
      const std::vector<KernelArgument> expected = words_of(*values, names);
      bench.keep_popped(words, expected);
      const bool stops = stalls != 0 && bench.has_streams(words);
      const long long longest = stops || axi ? 0 : promised.longest();
      const long long limit =
          longest == 0 ? options.clock_limit : std::min(options.clock_limit, longest + 1);
      const long long clocks = bench.KernelRtl::run(words, random, limit, -1, stalls);
      result.difference = bench.difference();
      if (result.difference.empty()) result.difference = bench.compare(words, expected);
      if (result.difference.empty() &&
          (clocks < promised.least || (promised.most >= 0 && clocks > promised.most && !stops))) {
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

  /// An incoming stream has more elements than a function is likely to pop.
  template <typename Value>
  void fill_argument(Value& value, const std::string& name, Random& random) const {
    if constexpr (is_stream<Value>) {
      constexpr int kElements = 256;
      if (!ports().has_input(name + "_valid_i")) return;
      for (int i = 0; i < kElements; ++i) {
        typename Value::Element element;
        fill(element, random);
        value.push(element);
      }
    } else {
      fill(value, random);
    }
  }

  bool has_streams(const std::vector<KernelArgument>& arguments) const {
    return std::any_of(arguments.begin(), arguments.end(), [&](const KernelArgument& one) {
      return ports().pops(one) || ports().pushes(one);
    });
  }

  /// The RTL is offered what the native run has popped, and nothing more.
  void keep_popped(std::vector<KernelArgument>& words,
                   const std::vector<KernelArgument>& left) const {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (ports().pops(words[i]))
        words[i].words.resize(words[i].words.size() - left[i].words.size());
    }
  }

  template <typename Value>
  static void fill(Value& value, Random& random) {
    const std::uint32_t style = random.below(4);
    for_each_word(value, [&](auto& leaf) {
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
    const auto add = [&](const auto& leaf) {
      argument.width = leaf_width<std::remove_cvref_t<decltype(leaf)>>;
      argument.words.push_back(bits_of(leaf));
    };
    if constexpr (is_stream<Value>) {
      for (const auto& element : value.waiting()) add(element);
    } else {
      for_each_word(value, add);
    }
    return argument;
  }

  std::string compare(const std::vector<KernelArgument>& rtl,
                      const std::vector<KernelArgument>& native) const {
    for (std::size_t i = 0; i < rtl.size(); ++i) {
      const KernelArgument& one = rtl[i];
      if (ports().pops(one)) {
        if (one.taken == one.words.size()) continue;
        return one.name + ": the RTL pops " + std::to_string(one.taken) + " elements and C++ " +
               std::to_string(one.words.size());
      }
      if (one.words.size() != native[i].words.size()) {
        return one.name + ": the RTL pushes " + std::to_string(one.words.size()) +
               " elements and C++ " + std::to_string(native[i].words.size());
      }
      for (std::size_t word = 0; word < one.words.size(); ++word) {
        if (one.words[word] == native[i].words[word]) continue;
        return one.name + "[" + std::to_string(word) + "] is " + hex(native[i].words[word]) +
               " in C++ and " + hex(one.words[word]) + " in RTL";
      }
    }
    return "";
  }

  VerilatedContext context_;
  std::unique_ptr<Model> model_;
};

}  // namespace systole::cosim

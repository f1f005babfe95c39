// mac_campaign: compares the multiply-add and the accumulators' addition with their oracles and
// with the x86 floating-point unit on as many cases as asked for.
//
//   mac_campaign --cases 100000000          the C++ kernels
//   mac_campaign --cases 10000000 --rtl     the generated SystemVerilog, in Verilator
//
// Case i of a seed is the same whatever the number of threads. Exit codes: 0 all agree, 1 some
// differ (the first ones are printed), 2 wrong usage.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "hls/reference/mac.h"
#include "tests/rtl/rtl_mac.h"
#include "tests/support/arithmetic_cases.h"
#include "tests/support/kernel_arithmetic.h"
#include "tests/support/x86_float.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kBlockCases = 1 << 16;
constexpr std::uint64_t kSideCases = kBlockCases / 8;  // of each of the three cheaper operations
constexpr int kShownMismatches = 10;

struct Options {
  std::uint64_t cases = 1'000'000;
  std::uint64_t seed = 1;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  bool rtl = false;
};

class Campaign {
 public:
  explicit Campaign(const Options& options) : cases_(options.cases), options_(options) {}

  /// Takes blocks until none is left. One call per thread.
  void work() {
    const FlushSubnormals mode;
    std::optional<RtlMac> rtl;
    if (options_.rtl) rtl.emplace();
    for (;;) {
      const std::uint64_t block = next_block_++;
      if (block * kBlockCases >= cases_) break;
      const std::uint64_t count = std::min(kBlockCases, cases_ - block * kBlockCases);
      Random random(Random(options_.seed + block).bits());
      rtl ? run_rtl_block(*rtl, random, count) : run_block(random, count);
    }
    for (int i = 0; rtl && i < RtlMac::kLatency; ++i) check_rtl(rtl->push({}));
  }

  std::uint64_t macs_done() const { return macs_done_; }
  std::uint64_t others_done() const { return others_done_; }
  std::uint64_t mismatches() const { return mismatches_; }

 private:
  void run_block(Random& random, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) check_mac_bf16(random_mac_case(random));
    macs_done_ += count;
    const std::uint64_t side = std::min(kSideCases, count);
    for (std::uint64_t i = 0; i < side; ++i) check_add_fp32(random_add_case(random));
    for (std::uint64_t i = 0; i < side; ++i) check_integers(random);
    others_done_ += 3 * side;
  }

  // The same bf16 cases as run_block, with an int8 one after every eighth.
  void run_rtl_block(RtlMac& rtl, Random& random, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      check_rtl(rtl.push({.operands = random_mac_case(random)}));
      if (i % 8 != 0) continue;
      const MacCase int8{random.bits16(), random.bits16(), random.bits32()};
      check_rtl(rtl.push({.operands = int8, .is_int8 = true}));
    }
    macs_done_ += count;
    others_done_ += (count + 7) / 8;
  }

  void check_rtl(const std::optional<RtlMac::Result>& result) {
    if (!result) return;
    const auto& [activation, weight, sum] = result->from.operands;
    std::uint32_t oracle;
    std::uint32_t x86;
    if (result->from.is_int8) {
      oracle = static_cast<std::uint32_t>(reference::mac_int8(static_cast<std::int8_t>(activation),
                                                              static_cast<std::int8_t>(weight),
                                                              static_cast<std::int32_t>(sum)));
      x86 = oracle;
    } else {
      oracle = reference::mac_bf16(activation, weight, sum);
      x86 = x86_mac_bf16(activation, weight, sum);
    }
    if (result->sum == oracle && result->sum == x86) return;
    report(fmt::format("mac {} {:04x} * {:04x} + {:08x}: rtl {:08x}, oracle {:08x}, x86 {:08x}",
                       result->from.is_int8 ? "int8" : "bf16", activation, weight, sum, result->sum,
                       oracle, x86));
  }

  void check_mac_bf16(const MacCase& mac) {
    const std::uint32_t kernel = kernel_mac_bf16(mac.activation, mac.weight, mac.sum);
    const std::uint32_t oracle = reference::mac_bf16(mac.activation, mac.weight, mac.sum);
    const std::uint32_t x86 = x86_mac_bf16(mac.activation, mac.weight, mac.sum);
    if (kernel == oracle && kernel == x86) return;
    report(
        fmt::format("mac bf16 {:04x} * {:04x} + {:08x}: kernel {:08x}, oracle {:08x}, x86 {:08x}",
                    mac.activation, mac.weight, mac.sum, kernel, oracle, x86));
  }

  void check_add_fp32(const AddCase& add) {
    const std::uint32_t kernel = kernel_accumulate(false, true, add.accumulator, add.tile_sum);
    const std::uint32_t oracle = reference::add_fp32(add.accumulator, add.tile_sum);
    const std::uint32_t x86 = x86_add_fp32(add.accumulator, add.tile_sum);
    if (kernel == oracle && kernel == x86) return;
    report(fmt::format("accumulate fp32 {:08x} + {:08x}: kernel {:08x}, oracle {:08x}, x86 {:08x}",
                       add.accumulator, add.tile_sum, kernel, oracle, x86));
  }

  void check_integers(Random& random) {
    const auto activation = static_cast<std::int8_t>(random.bits());
    const auto weight = static_cast<std::int8_t>(random.bits());
    const auto sum = static_cast<std::int32_t>(random.bits32());
    const auto total = static_cast<std::int32_t>(random.bits32());
    const std::int32_t mac = kernel_mac_int8(activation, weight, sum);
    if (mac != reference::mac_int8(activation, weight, sum)) {
      report(fmt::format("mac int8 {} * {} + {}: kernel {}", activation, weight, sum, mac));
    }
    const auto added = static_cast<std::int32_t>(kernel_accumulate(
        true, true, static_cast<std::uint32_t>(total), static_cast<std::uint32_t>(sum)));
    if (added != reference::add_int32(total, sum)) {
      report(fmt::format("accumulate int32 {} + {}: kernel {}", total, sum, added));
    }
  }

  void report(const std::string& mismatch) {
    if (mismatches_++ >= kShownMismatches) return;
    const std::lock_guard lock(output_);
    fmt::print("\nmismatch: {}\n", mismatch);
  }

  const std::uint64_t cases_;
  const Options options_;
  std::atomic<std::uint64_t> next_block_ = 0;
  std::atomic<std::uint64_t> macs_done_ = 0;
  std::atomic<std::uint64_t> others_done_ = 0;
  std::atomic<std::uint64_t> mismatches_ = 0;
  std::mutex output_;
};

int run(const Options& options) {
  using Clock = std::chrono::steady_clock;
  fmt::print("mac_campaign: {} bf16 multiply-adds of {}, seed {}, {} threads\n", options.cases,
             options.rtl ? "the generated RTL" : "the C++ kernels", options.seed, options.threads);
  Campaign campaign(options);
  const auto start = Clock::now();
  std::atomic<unsigned> running = options.threads;
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < options.threads; ++i) {
    workers.emplace_back([&] {
      campaign.work();
      --running;
    });
  }
  for (int tick = 1; running > 0; ++tick) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (tick % 100 != 0) continue;
    fmt::print(
        "\r{:5.1f}%  {} mismatches",
        100.0 * static_cast<double>(campaign.macs_done()) / static_cast<double>(options.cases),
        campaign.mismatches());
    std::fflush(stdout);
  }
  workers.clear();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  fmt::print("\r{} bf16 multiply-adds and {} other cases, {} mismatches, {:.1f} s\n",
             campaign.macs_done(), campaign.others_done(), campaign.mismatches(), seconds);
  return campaign.mismatches() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace systole::tests

int main(int argc, char** argv) {
  CLI::App app(
      "Compares the arithmetic kernels with their oracles and with the x86 unit (vfmadd and "
      "vaddss, subnormals flushed): bf16 multiply-adds, and for every eight of them one "
      "fp32 addition, one int8 multiply-add and one int32 addition.");
  systole::tests::Options options;
  app.add_option("--cases", options.cases, "bf16 multiply-adds to try")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "which cases")->capture_default_str();
  app.add_option("--threads", options.threads, "threads; the cases do not depend on it")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str();
  app.add_flag("--rtl", options.rtl,
               "the multiply-add of the generated SystemVerilog, in Verilator, instead of the C++");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!systole::tests::cpu_has_fma()) {
    fmt::print(stderr, "mac_campaign: this CPU has no fused multiply-add to compare with\n");
    return 1;
  }
  return systole::tests::run(options);
}

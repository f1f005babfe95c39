#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "host/cli/device_options.h"
#include "host/cli/energy_record.h"
#include "host/cli/inspection.h"
#include "host/cli/json_file.h"
#include "host/cli/run_record.h"
#include "host/cli/training_words.h"
#include "host/cli/usage_error.h"
#include "host/compiler/program/product_program.h"
#include "host/cpu/program.h"
#include "host/device/backend.h"
#include "host/device/product.h"
#include "host/device/random_matrix.h"
#include "host/energy/action_meter.h"
#include "host/graph/checksum.h"

namespace systole {
namespace {

struct GemmOptions {
  std::int64_t rows = 0, depth = 0, cols = 0;
  std::string type = "bf16";
  bool transpose_a = false, transpose_b = false;
  std::string device = default_device();
  DeviceOptions machine;
  std::uint64_t seed = 1;
  int repeat = 1;
  std::string json_path;
  InspectionOptions inspection;
};

struct GemmResult {
  Counters counters;
  std::optional<ActionCounts> actions;  // none on cpu
  double wall_seconds = 0;
  double transfer_seconds = 0;
  std::optional<CheckCoverage> check;
  std::string checksum;
};

Product shape_of(const GemmOptions& options) {
  return {.rows = options.rows,
          .depth = options.depth,
          .cols = options.cols,
          .type = parse_data_type(options.type),
          .transpose_a = options.transpose_a,
          .transpose_b = options.transpose_b};
}

// Otherwise a product far too large for the machine is killed by the kernel without a message.
void check_memory(const Product& product) {
  const auto rows = static_cast<double>(product.rows), depth = static_cast<double>(product.depth),
             cols = static_cast<double>(product.cols);
  const double needed = 8.0 * (rows * depth + depth * cols + rows * cols);
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (needed <= present) return;
  throw std::runtime_error(
      fmt::format("{} needs {:.1f} GiB of memory, this machine has {:.1f}; choose smaller sizes",
                  describe(product), needed / (1 << 30), present / (1 << 30)));
}

template <typename Element, typename Word>
std::vector<std::uint32_t> widen(const std::vector<std::byte>& operands, Word word) {
  std::vector<std::uint32_t> words(operands.size() / sizeof(Element));
  for (std::size_t i = 0; i < words.size(); ++i) {
    Element element;
    std::memcpy(&element, &operands[i * sizeof element], sizeof element);
    words[i] = word(element);
  }
  return words;
}

// An operand as a graph's elements, of four bytes. It is a stream of the seed of its own, so that
// none depends on the others.
std::vector<std::uint32_t> draw(const RandomMatrix& matrix, DataType type) {
  const std::vector<std::byte> operands = matrix.operands(type);
  switch (type) {
    case DataType::kFp32:
      return widen<std::uint32_t>(operands, [](std::uint32_t bits) { return bits; });
    case DataType::kBf16:
      return widen<std::uint16_t>(operands, [](std::uint32_t bits) { return bits << 16; });
    case DataType::kInt8:
      return widen<std::int8_t>(
          operands, [](std::int32_t value) { return static_cast<std::uint32_t>(value); });
  }
  return {};
}

GemmResult multiply(const GemmOptions& options, const Product& product, const Device& device,
                    Inspection& inspection) {
  const std::vector<std::uint32_t> a =
      draw({options.seed, 0, options.rows, options.depth, options.transpose_a}, product.type);
  const std::vector<std::uint32_t> b =
      draw({options.seed, 1, options.depth, options.cols, options.transpose_b}, product.type);
  std::vector<std::uint32_t> c(static_cast<std::size_t>(options.rows * options.cols));
  const auto graph = lowering::product_of_matrices(
      {.rows = product.rows,
       .depth = product.depth,
       .cols = product.cols,
       .transpose_a = product.transpose_a,
       .transpose_b = product.transpose_b},
      product.type == DataType::kInt8 ? graph::Element::kS8 : graph::Element::kF32);

  GemmResult result;
  const auto timed = [](auto&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto repeat = [&](auto&& run) {
    for (int i = 0; i < options.repeat; ++i) {
      if (i == 0) inspection.begin();
      const Counters before = device.counters();
      const double seconds = timed(run);
      result.wall_seconds = i == 0 ? seconds : std::min(result.wall_seconds, seconds);
      result.counters = device.counters() - before;
      inspection.end();
    }
  };
  if (device.backend().sizes()) {
    lowering::ProductProgram program(*graph, device, DataType::kBf16);
    result.transfer_seconds = timed([&] {
      program.write_a(a.data());
      program.write_b(b.data());
    });
    energy::ActionMeter meter(device.backend());
    repeat([&] {
      const ActionCounts before = meter.counts();
      program.run();
      result.actions = meter.counts() - before;
    });
    result.transfer_seconds += timed([&] { program.read(c.data()); });
  } else {
    graph::CpuProgram program(*graph, device.info().threads);
    const std::array<const void*, 2> operands{a.data(), b.data()};
    const std::array<void*, 1> results{c.data()};
    repeat([&] { program.run(operands, results); });
    result.counters.macs = product.macs();
  }
  result.check = device.check_coverage();
  Checksum checksum;
  checksum.add(std::as_bytes(std::span(c)));
  result.checksum = checksum.hex();
  return result;
}

void print_summary(const Product& product, const GemmResult& result, const DeviceInfo& info) {
  print_line("product",
             fmt::format("{}{}{}", describe(product), product.transpose_a ? ", A transposed" : "",
                         product.transpose_b ? ", B transposed" : ""));
  const std::string array =
      info.array_size > 0 ? fmt::format(", {0} x {0} array", info.array_size) : "";
  print_line("device", fmt::format("{}{}, {} thread{}", info.name, array, info.threads,
                                   info.threads == 1 ? "" : "s"));
  const double macs = static_cast<double>(result.counters.macs);
  print_line("wall time",
             fmt::format("{:.6f} s measured ({:.2f} GOP/s), copies {:.6f} s", result.wall_seconds,
                         2e-9 * macs / result.wall_seconds, result.transfer_seconds));
  if (info.cycle_exact) {
    const Counters& counters = result.counters;
    print_line("cycles",
               fmt::format("{} in {} tiles", counters.cycles(), counters[device::Count::kTiles]));
    print_use(counters, info);
    print_line("device time",
               fmt::format("{:.9f} s at {:g} MHz ({})", device_seconds(counters, info),
                           info.clock_mhz, info.clock_source));
  }
  if (result.check) print_line("checked", describe(*result.check));
  print_line("memory", fmt::format("{:.1f} MiB peak, measured",
                                   static_cast<double>(peak_memory_bytes()) / (1 << 20)));
  print_line("checksum of C", result.checksum);
}

nlohmann::ordered_json record_of(const GemmOptions& options, const GemmResult& result,
                                 const DeviceInfo& info) {
  nlohmann::ordered_json record;
  record["command"] = "gemm";
  record["config"] = device_config(info, options.type);
  record["config"]["m"] = options.rows;
  record["config"]["k"] = options.depth;
  record["config"]["n"] = options.cols;
  record["config"]["transpose_a"] = options.transpose_a;
  record["config"]["transpose_b"] = options.transpose_b;
  record["config"]["seed"] = options.seed;
  record["config"]["repeat"] = options.repeat;
  add_counters(record, result.counters, info);
  record["actions"] = actions_record(result.actions);
  record["wall_seconds"] = result.wall_seconds;
  record["transfer_seconds"] = result.transfer_seconds;
  record["peak_memory_bytes"] = peak_memory_bytes();
  record["check"] = check_record(result.check);
  record["result_checksum"] = result.checksum;
  return record;
}

void run_gemm(const GemmOptions& options) {
  const Product product = shape_of(options);
  if (product.type == DataType::kInt8 && product.depth > kMaxInt8Depth) {
    throw UsageError(
        fmt::format("--k: {} is too deep for int8: it is at most {}, so that int32 sums "
                    "cannot overflow",
                    product.depth, kMaxInt8Depth));
  }
  DeviceOptions machine = options.machine;
  machine.check_seed = options.seed;
  const Device device = open_device(options.device, machine);
  if (!device.supports(product.type)) {
    throw UsageError(fmt::format("device '{}' does not multiply {}: `systole devices` lists types",
                                 options.device, options.type));
  }
  if (!device.backend().sizes() && device.info().name != "cpu") {
    throw UsageError(fmt::format("device '{}' runs training steps alone: use model, rtl or cpu",
                                 device.info().name));
  }
  const JsonFile json(options.json_path);
  check_memory(product);
  Inspection inspection(options.inspection, device, machine);
  GemmResult result;
  try {
    result = multiply(options, product, device, inspection);
  } catch (const DeviceError&) {
    inspection.write_failure();
    throw;
  }
  print_summary(product, result, device.info());
  json.write(record_of(options, result, device.info()));
  inspection.write();
}

}  // namespace

void add_gemm_command(CLI::App& app) {
  // Shared with the callback, which runs after this function has returned.
  auto options = std::make_shared<GemmOptions>();
  CLI::App* command = app.add_subcommand("gemm", "Multiply two matrices: C[M,N] = A[M,K] * B[K,N]");
  const auto dimension = [&](const char* name, std::int64_t& value, const char* help) {
    command->add_option(name, value, help)->required()->check(kPositiveWhole)->type_name("COUNT");
  };
  dimension("--m", options->rows, "Rows of A and C");
  dimension("--k", options->depth, "Columns of A, rows of B: the length of a sum");
  dimension("--n", options->cols, "Columns of B and C");
  command->add_option("--type", options->type, "Operands: bf16, int8, or fp32 on cpu")
      ->check(parses_by(parse_data_type))
      ->type_name("TYPE")
      ->capture_default_str();
  command->add_flag("--transpose-a", options->transpose_a, "A is stored as [K,M]");
  command->add_flag("--transpose-b", options->transpose_b, "B is stored as [N,K]");
  add_device_option(*command, options->device);
  add_machine_options(*command, options->machine);
  add_check_option(*command, options->machine);
  add_seed_option(*command, options->seed);
  add_count(*command, "--repeat", options->repeat,
            "Run the product COUNT times; the wall time is that of the fastest run");
  add_json_option(*command, options->json_path);
  add_inspection_options(*command, options->inspection, false);
  command->footer(
      "Operands come from the seed and are the same on every device; element (i, j) does not\n"
      "depend on the matrix's layout. Equal checksums mean equal bits of C.\n"
      "Wall time is measured, cycles are simulated, and device time follows from an assumed "
      "clock.\n"
      "\n"
      "Example:\n"
      "  systole gemm --m 37 --k 129 --n 65 --type bf16 --transpose-b --json product.json");
  command->callback([options, command] {
    need_used_options(*command, options->device);
    run_gemm(*options);
  });
}

}  // namespace systole

#include "host/cli/gemm_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/cli/device_options.h"
#include "host/cli/inspection.h"
#include "host/cli/json_file.h"
#include "host/cli/run_record.h"
#include "host/cli/usage_error.h"
#include "host/device/checksum.h"
#include "host/device/queue.h"
#include "host/device/random_matrix.h"

namespace systole {
namespace {

struct GemmOptions {
  std::int64_t rows = 0, depth = 0, cols = 0;
  std::string type = "bf16";
  bool transpose_a = false, transpose_b = false, accumulate = false;
  std::string device = default_device();
  DeviceOptions machine;
  std::uint64_t seed = 1;
  int repeat = 1;
  std::string json_path;
  InspectionOptions inspection;
};

struct GemmResult {
  Counters counters;
  double wall_seconds = 0;
  double transfer_seconds = 0;
  std::optional<CheckCoverage> check;
  std::string checksum;
};

// Otherwise a product far too large for the machine is killed by the kernel without a message.
void check_memory(const Matmul& product, const MatmulSizes& sizes) {
  const double needed =
      2.0 * (static_cast<double>(sizes.a_bytes) + static_cast<double>(sizes.b_bytes) +
             static_cast<double>(sizes.c_bytes));
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (needed <= present) return;
  throw std::runtime_error(
      fmt::format("{} needs {:.1f} GiB of memory, this machine has {:.1f}; choose smaller sizes",
                  describe(product), needed / (1 << 30), present / (1 << 30)));
}

Matmul shape_of(const GemmOptions& options) {
  Matmul product;
  product.rows = options.rows;
  product.depth = options.depth;
  product.cols = options.cols;
  product.type = parse_data_type(options.type);
  product.transpose_a = options.transpose_a;
  product.transpose_b = options.transpose_b;
  product.accumulate = options.accumulate;
  return product;
}

// Operands are streams 0, 1 and 2 of the seed, so none depends on the others.
std::vector<std::byte> draw_a(const GemmOptions& o, DataType type) {
  return RandomMatrix{o.seed, 0, o.rows, o.depth, o.transpose_a}.operands(type);
}
std::vector<std::byte> draw_b(const GemmOptions& o, DataType type) {
  return RandomMatrix{o.seed, 1, o.depth, o.cols, o.transpose_b}.operands(type);
}
std::vector<std::byte> draw_c(const GemmOptions& o, DataType type) {
  return RandomMatrix{o.seed, 2, o.rows, o.cols, false}.sums(type);
}

GemmResult multiply(const GemmOptions& options, Matmul product, const MatmulSizes& sizes,
                    const Device& device, Inspection& inspection) {
  Queue queue = device.make_queue();
  product.a = device.allocate(sizes.a_bytes);
  product.b = device.allocate(sizes.b_bytes);
  product.c = device.allocate(sizes.c_bytes);
  const std::vector<std::byte> a = draw_a(options, product.type);
  const std::vector<std::byte> b = draw_b(options, product.type);
  std::vector<std::byte> c(sizes.c_bytes);
  if (product.accumulate) c = draw_c(options, product.type);

  GemmResult result;
  const auto timed = [&](auto&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    queue.wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  result.transfer_seconds = timed([&] {
    queue.copy_to_device(a, product.a);
    queue.copy_to_device(b, product.b);
  });
  for (int run = 0; run < options.repeat; ++run) {
    // Each run starts from the same C, so all runs have the same result.
    if (product.accumulate) timed([&] { queue.copy_to_device(c, product.c); });
    if (run == 0) inspection.begin();
    const Counters before = device.counters();
    const double seconds = timed([&] { queue.matmul(product); });
    result.wall_seconds = run == 0 ? seconds : std::min(result.wall_seconds, seconds);
    result.counters = device.counters() - before;
    inspection.end();
  }
  result.transfer_seconds += timed([&] { queue.copy_to_host(product.c, c); });
  result.check = device.check_coverage();
  Checksum checksum;
  checksum.add(std::span<const std::byte>(c));
  result.checksum = checksum.hex();
  return result;
}

void print_summary(const Matmul& product, const GemmResult& result, const DeviceInfo& info) {
  const auto line = [](std::string_view what, const std::string& value) {
    fmt::print("{:<16} {}\n", what, value);
  };
  line("product",
       fmt::format("{}{}{}{}", describe(product), product.transpose_a ? ", A transposed" : "",
                   product.transpose_b ? ", B transposed" : "",
                   product.accumulate ? ", added to C" : ""));
  const std::string array =
      info.array_size > 0 ? fmt::format(", {0} x {0} array", info.array_size) : "";
  line("device", fmt::format("{}{}, {} thread{}", info.name, array, info.threads,
                             info.threads == 1 ? "" : "s"));
  const double macs = static_cast<double>(result.counters.macs);
  line("wall time",
       fmt::format("{:.6f} s measured ({:.2f} GOP/s), copies {:.6f} s", result.wall_seconds,
                   2e-9 * macs / result.wall_seconds, result.transfer_seconds));
  if (info.cycle_exact) {
    const Counters& counters = result.counters;
    line("cycles",
         fmt::format("{} in {} tiles", counters.cycles(), counters[device::Count::kTiles]));
    line("utilization", fmt::format("{:.2f}% of {} multiply-adds a cycle",
                                    100 * utilization(counters, info.array_size),
                                    info.array_size * info.array_size));
    line("stalls", describe(stalls(counters)));
    line("device time", fmt::format("{:.9f} s at {:g} MHz ({})", device_seconds(counters, info),
                                    info.clock_mhz, info.clock_source));
  }
  if (result.check) line("checked", describe(*result.check));
  line("memory", fmt::format("{:.1f} MiB peak, measured",
                             static_cast<double>(peak_memory_bytes()) / (1 << 20)));
  line("checksum of C", result.checksum);
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
  record["config"]["accumulate"] = options.accumulate;
  record["config"]["seed"] = options.seed;
  record["config"]["repeat"] = options.repeat;
  add_counters(record, result.counters, info);
  record["wall_seconds"] = result.wall_seconds;
  record["transfer_seconds"] = result.transfer_seconds;
  record["peak_memory_bytes"] = peak_memory_bytes();
  add_check(record, result.check);
  record["result_checksum"] = result.checksum;
  return record;
}

void run_gemm(const GemmOptions& options) {
  const Matmul product = shape_of(options);
  MatmulSizes sizes;
  try {
    sizes = matmul_sizes(product);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  DeviceOptions machine = options.machine;
  machine.check_seed = options.seed;
  const Device device = open_device(options.device, machine);
  if (!device.supports(product.type)) {
    throw UsageError(fmt::format("device '{}' does not multiply {}: `systole devices` lists types",
                                 options.device, options.type));
  }
  const JsonFile json(options.json_path);
  check_memory(product, sizes);
  Inspection inspection(options.inspection, device, machine);
  GemmResult result;
  try {
    result = multiply(options, product, sizes, device, inspection);
  } catch (const DeviceError&) {
    inspection.write_failure();
    throw;
  }
  print_summary(product, result, device.info());
  json.write(record_of(options, result, device.info()));
  inspection.write();
}

std::string check_type(const std::string& word) {
  try {
    parse_data_type(word);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
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
      ->check(CLI::Validator(check_type, ""))
      ->type_name("TYPE")
      ->capture_default_str();
  command->add_flag("--transpose-a", options->transpose_a, "A is stored as [K,M]");
  command->add_flag("--transpose-b", options->transpose_b, "B is stored as [N,K]");
  command->add_flag("--accumulate", options->accumulate, "Add to a C drawn from the seed");
  add_device_option(*command, options->device);
  add_machine_options(*command, options->machine);
  add_check_option(*command, options->machine);
  add_seed_option(*command, options->seed);
  command
      ->add_option("--repeat", options->repeat,
                   "Run the product COUNT times; the wall time is that of the fastest run")
      ->check(kPositiveWhole)
      ->type_name("COUNT")
      ->capture_default_str();
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
  command->callback([options] { run_gemm(*options); });
}

}  // namespace systole

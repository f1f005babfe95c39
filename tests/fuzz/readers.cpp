#include "tests/fuzz/readers.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "host/cli/configuration_option.h"
#include "host/cli/usage_error.h"
#include "host/data/cifar10.h"
#include "host/data/file_bytes.h"
#include "host/data/idx.h"
#include "host/data/parallel_text.h"
#include "host/data/words.h"
#include "host/graph/operation.h"
#include "host/graph/text.h"
#include "host/nn/training/safetensors.h"
#include "host/report/comparison.h"
#include "host/report/page.h"
#include "host/report/recorded_run.h"
#include "sim/device/program_interpreter.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/graph/operation_cases.h"
#include "tests/report/some_runs.h"
#include "tests/sim/flat_memory.h"

namespace systole::tests {
namespace {

using Bytes = std::vector<std::uint8_t>;
using View = std::span<const std::uint8_t>;

/// Whether `read` accepts; its documented refusal is the one exception that does not escape.
template <typename Refused, typename Read>
bool unless_refused(const Read& read) {
  try {
    read();
    return true;
  } catch (const Refused&) {
    return false;
  }
}

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

Bytes gzip(const Bytes& plain) {
  Bytes packed(plain.size() + 64);
  z_stream stream{};
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  deflateInit2(&stream, 9, Z_DEFLATED, kGzipOnly, 9, Z_DEFAULT_STRATEGY);
  stream.next_in = const_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::vector<Bytes> plain_and_gzip(const Bytes& plain) { return {plain, gzip(plain)}; }

// ---- Data sets ----

std::vector<Bytes> idx_images() {
  Bytes file{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3};
  for (std::uint8_t pixel = 0; pixel < 12; ++pixel) file.push_back(pixel);
  return plain_and_gzip(file);
}

bool reads_idx(View bytes) {
  const ScratchFile file(bytes);
  return unless_refused<DataError>([&] { read_idx(file.path(), 3); });
}

std::vector<Bytes> cifar10_image() {
  Bytes file(3073, 100);
  file[0] = 9;
  return plain_and_gzip(file);
}

bool reads_cifar10(View bytes) {
  const ScratchFile file(bytes);
  const std::filesystem::path path = file.path();
  return unless_refused<DataError>([&] { read_cifar10({&path, 1}); });
}

std::vector<Bytes> sentences() {
  return plain_and_gzip(bytes_of("Go.\tVe.\nWho?\t\xc2\xbfQui\xc3\xa9n?\r\nI'm 19.\tTengo 19.\n"));
}

bool reads_sentences(View bytes) {
  const ScratchFile file(bytes);
  return unless_refused<DataError>([&] {
    for (const SentencePair& pair : read_parallel_text(file.path())) {
      split_words(pair.english);
      split_words(pair.spanish);
    }
  });
}

// ---- JSON and checkpoints ----

std::vector<Bytes> tensors() {
  nn::Safetensors content;
  content.metadata["epoch"] = "3";
  content.tensors["weight"] = {.type = "F32", .shape = {2, 3}, .bytes = Bytes(24, 0x3f)};
  content.tensors["losses"] = {.type = "F64", .shape = {1}, .bytes = Bytes(8, 0x40)};
  return {nn::to_bytes(content), nn::to_bytes({})};
}

bool reads_tensors(View bytes) {
  return unless_refused<nn::CheckpointError>([&] {
    const nn::Safetensors read = nn::parse_safetensors(bytes, "fuzzed");
    const Bytes written = nn::to_bytes(read);
    if (nn::to_bytes(nn::parse_safetensors(written, "written")) != written) {
      throw std::logic_error("what was read does not survive being written");
    }
  });
}

std::vector<Bytes> configurations_as_files() {
  return {bytes_of(R"({"array": 32, "clock_mhz": 300, "clock_source": "assumed",
 "memory": {"latency_cycles": 100, "bytes_per_cycle": 16},
 "buffers": {"bank_rows": 256, "row_words": 4096, "weight_words": 2048, "mask_words": 1024}})"),
          bytes_of(R"({"array": 8})")};
}

bool reads_configuration(View bytes) {
  const ScratchFile file(bytes);
  return unless_refused<UsageError>([&] { configuration_of(file.path()); });
}

std::vector<Bytes> records() {
  return {bytes_of(some_record("cpu").dump()), bytes_of(some_record("model").dump())};
}

bool reads_record(View bytes) {
  const ScratchFile file(bytes);
  return unless_refused<std::runtime_error>(
      [&] { report_page(join({{read_record(file.path())}})); });
}

// ---- Graphs ----

// Every operation, and what others write around a graph.
std::vector<Bytes> graphs_as_text() {
  std::vector<Bytes> texts{bytes_of(R"(module @jit_step attributes {mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<2xf32> loc("x"),
      %w: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2xf32> {jax.result_info = "new"}) {
    %0 = "stablehlo.constant"() <{value = dense<0.1> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2xf32>
    %2 = "stablehlo.multiply"(%x, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("layer")
    %3 = "stablehlo.subtract"(%w, %2) {detached} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %3 : tensor<2xf32>
  }
}
)")};
  for (const OperationCase& item : operation_cases()) {
    std::string text = graph::print(*build(item));
    text.resize(text.rfind("// "));  // the checksum refuses every change
    texts.push_back(bytes_of(text));
  }
  return texts;
}

bool reads_graph(View bytes) {
  const std::string text(bytes.begin(), bytes.end());
  return unless_refused<graph::GraphError>([&] {
    const std::string written = graph::print(*graph::read(text));
    if (graph::print(*graph::read(written)) != written) {
      throw std::logic_error("what was read does not survive being written");
    }
  });
}

// ---- Programs ----

constexpr std::uint64_t kMemoryBase = 0x1000, kMemoryBytes = 1 << 16;
constexpr std::size_t kCommands = 16;

std::vector<Bytes> programs() {
  const std::array commands{
      device::encode(device::LoadShape{4, 4, 8, 8}),
      device::encode(device::Load{.address = kMemoryBase, .type = device::LoadType::kBf16}),
      device::encode(device::Load{.address = kMemoryBase + 64,
                                  .buffer = device::LoadBuffer::kWeights,
                                  .type = device::LoadType::kBf16}),
      device::encode(device::MatmulShape{4, 8, 8, 1, 4}),
      device::encode(device::Matmul{}),
      device::encode(device::StoreShape{}),
      device::encode(device::Store{.address = kMemoryBase + 4096})};
  Bytes bytes(sizeof(commands));
  std::memcpy(bytes.data(), commands.data(), bytes.size());
  return {bytes};
}

/// A program is foreign to the device: whatever its commands say, the interpreter ends or says that
/// a command is too long for it, and touches nothing but its memory.
bool runs_program(View bytes) {
  FlatMemory memory(kMemoryBase, kMemoryBytes);
  ProgramInterpreter interpreter(4, memory);
  const ProgramWindow window{kMemoryBase, kMemoryBase + kMemoryBytes, true, true};
  interpreter.set_windows({&window, 1});
  std::vector<device::CommandWord> commands(
      std::min(bytes.size() / sizeof(device::CommandWord), kCommands));
  if (commands.empty()) return false;
  std::memcpy(commands.data(), bytes.data(), commands.size() * sizeof(device::CommandWord));
  bool ends_without_fault = false;
  return unless_refused<std::length_error>([&] {
           ends_without_fault = interpreter.run(commands).code == device::FaultCode::kNone;
         }) &&
         ends_without_fault;
}

const std::array kReaders{
    Reader{"idx", reads_idx, idx_images},
    Reader{"cifar10", reads_cifar10, cifar10_image},
    Reader{"parallel_text", reads_sentences, sentences},
    Reader{"safetensors", reads_tensors, tensors},
    Reader{"configuration", reads_configuration, configurations_as_files},
    Reader{"record", reads_record, records},
    Reader{"graph", reads_graph, graphs_as_text},
    Reader{"program", runs_program, programs},
};

}  // namespace

std::span<const Reader> readers() { return kReaders; }

const Reader& reader(const std::string& name) {
  const auto found = std::find_if(kReaders.begin(), kReaders.end(),
                                  [&](const Reader& one) { return one.name == name; });
  if (found == kReaders.end()) throw std::invalid_argument("no reader is called " + name);
  return *found;
}

}  // namespace systole::tests

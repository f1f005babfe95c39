#include "sim/verify/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace systole::verify {
namespace {

using namespace device;

constexpr std::string_view kBuffers[] = {"rows", "weights", "accumulators", "masks"};
constexpr std::string_view kTypes[] = {"int8", "bf16", "word32"};
constexpr std::string_view kStreamFormats[] = {"int8", "bf16", "word", "half"};
constexpr std::string_view kFormats[] = {
    "word32", "bf16", "bf16_stochastic", "int8_from_fp32", "int8_from_int32", "fp32_from_int32"};

std::string load_kind(int buffer, int type, bool patches) {
  return fmt::format("load {} {}{}", kBuffers[buffer], kTypes[type], patches ? " patches" : "");
}
std::string matmul_kind(bool is_int8, bool a, bool b, bool accumulate) {
  return fmt::format("matmul {}{}{}{}", is_int8 ? "int8" : "bf16", a ? " transpose_a" : "",
                     b ? " transpose_b" : "", accumulate ? " accumulate" : "");
}
std::string store_kind(int format, bool relu, bool masked) {
  return fmt::format("store {}{}{}", kFormats[format], relu ? " relu" : "",
                     masked ? " masked" : "");
}
std::string fence_kind(bool interrupt, bool waits) {
  return fmt::format("fence{}{}", interrupt ? " interrupt" : "", waits ? " wait_for_host" : "");
}
std::string stream_kind(bool writes, int format) {
  return fmt::format("vector {} {}", writes ? "output" : "input", kStreamFormats[format]);
}
std::string ending_kind(Ending ending) {
  return fmt::format("ends: {}", kEndingNames[static_cast<int>(ending)]);
}

// More than the queues hold while the first are written.
bool has_many_outputs(const VectorStream& stream, int array_size) {
  constexpr int kMany = 26;
  const int words = stream.rows * ((stream.cols + array_size - 1) / array_size);
  return stream.writes && stream.format == VectorStreamFormat::kWord &&
         stream.end == VectorStreamEnd::kMemory && words >= kMany;
}

}  // namespace

std::vector<std::string> kinds_to_have() {
  std::vector<std::string> kinds;
  for (const bool first : {false, true}) {
    for (int type = 0; type < 2; ++type) {
      for (const int buffer : {0, 1, 3}) kinds.push_back(load_kind(buffer, type, first));
    }
    kinds.push_back(load_kind(2, 2, first));
    for (const bool second : {false, true}) {
      kinds.push_back(fence_kind(first, second));
      for (int format = 0; format < 6; ++format) {
        kinds.push_back(store_kind(format, first, second));
      }
      for (const bool third : {false, true}) {
        for (const bool accumulate : {false, true}) {
          kinds.push_back(matmul_kind(first, second, third, accumulate));
        }
      }
    }
  }
  for (int format = 0; format < 4; ++format) {
    if (format < 3) kinds.push_back(stream_kind(false, format));
    kinds.push_back(stream_kind(true, format));
  }
  for (int ending = 0; ending < kEndings; ++ending) kinds.push_back(ending_kind(Ending(ending)));
  for (const char* kind :
       {"vector constants", "vector broadcast", "vector repeats a row", "vector unaligned",
        "vector waits for itself", kManyOutputs, "matmul ones_row", "matmul several tiles",
        "matmul last tile not full", "load repeats a row", "load unaligned", "store unaligned",
        "store across 4 KiB", "ring wraps", "memory: stalls", "memory: throttled",
        "memory: reads mixed", "memory: one burst"}) {
    kinds.emplace_back(kind);
  }
  return kinds;
}

std::vector<std::string> kinds_of(const Case& which, const Program& program, std::size_t commands) {
  std::vector<std::string> kinds;
  const auto hit = [&](std::string kind) { kinds.push_back(std::move(kind)); };
  LoadShape load_shape;
  MatmulShape matmul_shape;
  StoreShape store_shape;
  for (std::size_t i = 0; i < std::min(commands, program.commands.size()); ++i) {
    const CommandWord& word = program.commands[i];
    if (!is_legal(word, which.array_size)) continue;
    if (opcode_of(word) >= Opcode::kVectorProgram && (tokens_of(word).wait & kVectorEngine) != 0) {
      hit("vector waits for itself");
    }
    switch (opcode_of(word)) {
      case Opcode::kFence: {
        const Fence fence = decode_fence(word);
        hit(fence_kind(fence.interrupt, fence.wait_for_host));
        break;
      }
      case Opcode::kLoad: {
        const Load load = decode_load(word);
        hit(load_kind(static_cast<int>(load.buffer), static_cast<int>(load.type), load.patches));
        if (load_shape.row_stride == 0 && !load.patches) hit("load repeats a row");
        if (load.address % static_cast<unsigned>(which.array_size)) hit("load unaligned");
        break;
      }
      case Opcode::kMatmul: {
        const Matmul m = decode_matmul(word);
        hit(matmul_kind(m.is_int8, m.transpose_a, m.transpose_b, m.accumulate));
        if (m.ones_row) hit("matmul ones_row");
        if (matmul_shape.tiles > 1) hit("matmul several tiles");
        if (matmul_shape.last_depth < which.array_size) hit("matmul last tile not full");
        break;
      }
      case Opcode::kStore: {
        const Store store = decode_store(word);
        hit(store_kind(static_cast<int>(store.format), store.relu, store.masked));
        if (store.address % static_cast<unsigned>(which.array_size)) hit("store unaligned");
        const std::uint64_t end =
            store.address + std::uint64_t{store_shape.rows} * store_shape.row_stride;
        if (store.address / 4096 != end / 4096) hit("store across 4 KiB");
        break;
      }
      case Opcode::kVectorProgram:
        if (decode_vector_program(word).constants) hit("vector constants");
        break;
      case Opcode::kVectorStream: {
        const VectorStream stream = decode_vector_stream(word);
        hit(stream_kind(stream.writes, static_cast<int>(stream.format)));
        if (stream.broadcasts) hit("vector broadcast");
        if (has_many_outputs(stream, which.array_size)) hit(kManyOutputs);
        if (!stream.writes && stream.row_stride == 0 && stream.rows > 1)
          hit("vector repeats a row");
        if (stream.address % static_cast<unsigned>(which.array_size)) hit("vector unaligned");
        break;
      }
      case Opcode::kLoadShape:
        load_shape = decode_load_shape(word);
        break;
      case Opcode::kMatmulShape:
        matmul_shape = decode_matmul_shape(word);
        break;
      case Opcode::kStoreShape:
        store_shape = decode_store_shape(word);
        break;
      default:
        break;
    }
  }
  hit(ending_kind(program.ending));
  if (program.commands.size() >> which.ring_log2 > 1) hit("ring wraps");
  const sim::MemoryBehaviour& memory = which.behaviour;
  if (memory.stalls.read_request | memory.stalls.read | memory.stalls.write) hit("memory: stalls");
  if (memory.bytes_per_cycle != 0) hit("memory: throttled");
  if (memory.mix_reads) hit("memory: reads mixed");
  if (memory.bursts == 1) hit("memory: one burst");
  return kinds;
}

}  // namespace systole::verify

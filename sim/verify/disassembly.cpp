#include "sim/verify/disassembly.h"

#include <fmt/format.h>

#include <string_view>

namespace systole::verify {
namespace {

using namespace device;

std::string engines(std::uint8_t bits) {
  std::string names;
  for (const auto& [bit, name] : {std::pair{kLoadEngine, "load"},
                                  {kComputeEngine, "compute"},
                                  {kStoreEngine, "store"},
                                  {kVectorEngine, "vector"}}) {
    if (bits & bit) names += fmt::format(" {}", name);
  }
  return names;
}

std::string tokens(const CommandWord& word) {
  const Tokens tokens = tokens_of(word);
  std::string text;
  if (tokens.wait != 0) text += "; wait" + engines(tokens.wait);
  if (tokens.signal != 0) text += "; signal" + engines(tokens.signal);
  return text;
}

template <typename Enum>
std::string_view name(Enum value, std::initializer_list<std::string_view> names) {
  const auto i = static_cast<std::size_t>(value);
  return i < names.size() ? names.begin()[i] : "?";
}

std::string describe(const Load& load) {
  return fmt::format(
      "load {} {} from {:#x} to row {}{}",
      name(load.buffer, {"rows", "weights", "accumulators", "masks"}),
      name(load.type, {"int8", "bf16", "word32"}), load.address, load.row,
      load.patches ? fmt::format(", patches from out_y {} out_x {}", load.out_y, load.out_x) : "");
}

std::string describe(const LoadPatches& patch) {
  return fmt::format(
      "load_patches {}x{} pixels of {} bytes, out {}x{}, kernel {}x{}, stride {}, pad top {} left "
      "{}",
      patch.height, patch.width, patch.pixel_bytes, patch.out_height, patch.out_width,
      patch.kernel_height, patch.kernel_width, patch.stride, patch.pad_top, patch.pad_left);
}

std::string describe(const Matmul& product) {
  return fmt::format("matmul {} A {}row {}, B {}row {}, {} sums {}{}",
                     product.is_int8 ? "int8" : "bf16", product.transpose_a ? "transposed " : "",
                     product.a_row, product.transpose_b ? "transposed " : "", product.b_row,
                     product.accumulate ? "add to" : "overwrite", product.sum_row,
                     product.ones_row ? ", ones row" : "");
}

std::string describe(const Store& store) {
  return fmt::format("store {} sums {} to {:#x}{}{}",
                     name(store.format, {"word32", "bf16", "bf16_stochastic", "int8_from_fp32",
                                         "int8_from_int32", "fp32_from_int32"}),
                     store.sum_row, store.address, store.relu ? ", relu" : "",
                     store.masked ? fmt::format(", masks {}", store.mask_row) : "");
}

std::string describe(const VectorProgram& program) {
  return fmt::format("vector_program {} {} from {:#x} to {}", program.count,
                     program.constants ? "constants" : "instructions", program.address,
                     program.place);
}

std::string describe(const VectorStream& stream) {
  return fmt::format("vector_stream {} {} {} {:#x}, {} rows of {}, {} bytes apart{}{}",
                     stream.writes ? "output" : "input", stream.number,
                     name(stream.format, {"int8", "bf16", "word", "half"}), stream.address,
                     stream.rows, stream.cols, stream.row_stride,
                     stream.broadcasts ? ", broadcast" : "",
                     name(stream.end, {"", stream.writes ? ", to above" : ", from above",
                                       stream.writes ? ", to below" : ", from below"}));
}

std::string describe(const VectorRun& run) {
  return fmt::format("vector_run instructions {} to {}, {} words from {}, {} a row", run.first,
                     run.last, run.words, run.first_word, run.words_a_row);
}

std::string describe(const CommandWord& word) {
  switch (opcode_of(word)) {
    case Opcode::kFence: {
      const Fence fence = decode_fence(word);
      return fmt::format("fence marker {:#x}{}{}", fence.marker,
                         fence.interrupt ? ", interrupt" : "",
                         fence.wait_for_host ? ", wait for host" : "");
    }
    case Opcode::kLoadShape: {
      const LoadShape shape = decode_load_shape(word);
      return fmt::format("load_shape {} rows of {}, {} bytes apart, tile stride {}", shape.rows,
                         shape.cols, shape.row_stride, shape.tile_stride);
    }
    case Opcode::kLoad:
      return describe(decode_load(word)) + tokens(word);
    case Opcode::kLoadPatches:
      return describe(decode_load_patches(word));
    case Opcode::kMatmulShape: {
      const MatmulShape shape = decode_matmul_shape(word);
      return fmt::format("matmul_shape {} rows, {} tiles, last depth {}, tile strides A {} B {}",
                         shape.rows, shape.tiles, shape.last_depth, shape.a_tile_stride,
                         shape.b_tile_stride);
    }
    case Opcode::kMatmul:
      return describe(decode_matmul(word)) + tokens(word);
    case Opcode::kStoreShape: {
      const StoreShape shape = decode_store_shape(word);
      return fmt::format("store_shape {} rows of {}, {} bytes apart", shape.rows, shape.cols,
                         shape.row_stride);
    }
    case Opcode::kStoreScale: {
      const StoreScale scale = decode_store_scale(word);
      return fmt::format("store_scale {:#x}, shift {}, seed {:#x}", scale.scale, scale.shift,
                         scale.seed);
    }
    case Opcode::kStore:
      return describe(decode_store(word)) + tokens(word);
    case Opcode::kVectorProgram:
      return describe(decode_vector_program(word)) + tokens(word);
    case Opcode::kVectorStream:
      return describe(decode_vector_stream(word)) + tokens(word);
    case Opcode::kVectorRun:
      return describe(decode_vector_run(word)) + tokens(word);
  }
  return "no command";
}

}  // namespace

std::string disassemble(const CommandWord& command) {
  return fmt::format("{:016x}{:016x}  {}", command.high, command.low, describe(command));
}

}  // namespace systole::verify

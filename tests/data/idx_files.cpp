#include "tests/data/idx_files.h"

#include <zlib.h>

#include <fstream>
#include <stdexcept>

#include "tests/support/random.h"

namespace systole::tests {

std::vector<std::uint8_t> idx_bytes(const std::vector<std::uint32_t>& dimensions,
                                    const std::vector<std::uint8_t>& values) {
  std::vector<std::uint8_t> bytes{0, 0, 8, static_cast<std::uint8_t>(dimensions.size())};
  for (const std::uint32_t dimension : dimensions) {
    for (const int shift : {24, 16, 8, 0}) {
      bytes.push_back(static_cast<std::uint8_t>(dimension >> shift));
    }
  }
  bytes.insert(bytes.end(), values.begin(), values.end());
  return bytes;
}

std::vector<std::uint8_t> gzip(const std::vector<std::uint8_t>& bytes) {
  z_stream stream{};
  constexpr int kGzip = 16 + MAX_WBITS, kMemoryLevel = 8;
  if (deflateInit2(&stream, 9, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  std::vector<std::uint8_t> packed(deflateBound(&stream, bytes.size()));
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

void write_bytes(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

void write_small_mnist(const std::filesystem::path& folder, std::uint32_t train,
                       std::uint32_t test) {
  std::filesystem::create_directories(folder);
  Random random(train);
  for (const auto& [part, count] : {std::pair("train", train), std::pair("t10k", test)}) {
    std::vector<std::uint8_t> pixels, labels;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto label = static_cast<std::uint8_t>(random.below(10));
      labels.push_back(label);
      for (std::uint32_t p = 0; p < 28 * 28; ++p) {
        pixels.push_back(
            static_cast<std::uint8_t>(random.below(128) + (p / 28 / 2 == label) * 127u));
      }
    }
    write_bytes(folder / (std::string(part) + "-images-idx3-ubyte"),
                idx_bytes({count, 28, 28}, pixels));
    write_bytes(folder / (std::string(part) + "-labels-idx1-ubyte"), idx_bytes({count}, labels));
  }
}

}  // namespace systole::tests

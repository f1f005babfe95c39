#include "host/data/file_bytes.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace systole {
namespace {

DataError damaged(const std::filesystem::path& path, std::string_view what) {
  return DataError(
      fmt::format("{}: {}; run scripts/fetch_data to fetch it again", path.string(), what));
}

// zlib's own state, released however inflate ends.
struct Inflater {
  z_stream stream{};
  Inflater() {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

std::vector<std::uint8_t> inflate_gzip(const std::filesystem::path& path,
                                       std::vector<std::uint8_t>& packed) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  stream.next_in = packed.data();
  stream.avail_in = static_cast<uInt>(packed.size());
  std::vector<std::uint8_t> bytes(packed.size() * 4 + 64);
  for (;;) {
    stream.next_out = bytes.data() + stream.total_out;
    stream.avail_out = static_cast<uInt>(bytes.size() - stream.total_out);
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_STREAM_END) break;
    if (status != Z_OK && status != Z_BUF_ERROR) throw damaged(path, "its gzip data is damaged");
    if (stream.avail_out > 0) throw damaged(path, "its gzip data is cut off");
    bytes.resize(bytes.size() * 2);
  }
  if (stream.avail_in > 0) throw damaged(path, "other bytes follow its gzip data");
  bytes.resize(stream.total_out);
  return bytes;
}

}  // namespace

std::vector<std::uint8_t> read_plain_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw DataError(fmt::format("{}: no such file", path.string()));
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw DataError(fmt::format("{}: not a file", path.string()));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw DataError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  std::vector<std::uint8_t> bytes(std::filesystem::file_size(path, error));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (file.gcount() != static_cast<std::streamsize>(bytes.size())) {
    throw DataError(fmt::format("{}: cannot be read to its end", path.string()));
  }
  return bytes;
}

std::vector<std::uint8_t> read_file(const std::filesystem::path& path) {
  auto bytes = read_plain_file(path);
  const bool is_gzip = bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
  return is_gzip ? inflate_gzip(path, bytes) : bytes;
}

}  // namespace systole

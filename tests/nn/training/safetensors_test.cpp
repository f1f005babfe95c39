// The file format of checkpoints, against bytes made by hand from its published description.
#include "host/nn/training/safetensors.h"

#include <bit>
#include <catch2/catch.hpp>

namespace systole::tests {
namespace {

using Bytes = std::vector<std::uint8_t>;

// A file as the format describes it: length of the header, header, data.
Bytes file(const std::string& header, const Bytes& data, std::uint64_t length = UINT64_MAX) {
  if (length == UINT64_MAX) length = header.size();
  Bytes bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(length >> (8 * i)));
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

std::string refusal(const Bytes& bytes) {
  try {
    nn::parse_safetensors(bytes, "x.safetensors");
  } catch (const nn::CheckpointError& error) {
    return error.what();
  }
  return "not refused";
}

const Bytes kOnePointFive{0, 0, 0xc0, 0x3f};

}  // namespace

TEST_CASE("a handmade file is read", "[safetensors]") {
  // Arrays in any order, an empty one, a scalar, blanks after the header, no alignment.
  const std::string header = R"({"b":{"dtype":"BF16","shape":[1,2],"data_offsets":[4,8]},)"
                             R"("__metadata__":{"format":"pt"},)"
                             R"("none":{"dtype":"F32","shape":[0,3],"data_offsets":[8,8]},)"
                             R"("a":{"data_offsets":[0,4],"shape":[],"dtype":"F32"}}   )";
  Bytes data = kOnePointFive;
  data.insert(data.end(), {0x80, 0x3f, 0x00, 0x40});
  const nn::Safetensors content = nn::parse_safetensors(file(header, data), "x");
  CHECK(content.metadata == std::map<std::string, std::string>{{"format", "pt"}});
  REQUIRE(content.tensors.size() == 3);
  CHECK(content.tensors.at("a").bytes == kOnePointFive);
  CHECK(content.tensors.at("a").shape.empty());
  CHECK(content.tensors.at("b").type == "BF16");
  CHECK(content.tensors.at("b").shape == nn::Shape{1, 2});
  CHECK(content.tensors.at("b").bytes == Bytes{0x80, 0x3f, 0x00, 0x40});
  CHECK(content.tensors.at("none").bytes.empty());
}

TEST_CASE("a file is written as the format describes it, byte for byte", "[safetensors]") {
  nn::Safetensors content;
  content.metadata["k"] = "v";
  content.tensors["w"] = {.type = "F32", .shape = {1}, .bytes = kOnePointFive};
  content.tensors["x"] = {.type = "F64", .shape = {1}, .bytes = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f}};
  // The F64 comes first, so that it is aligned; blanks bring the data to a multiple of 8.
  std::string header =
      R"({"__metadata__":{"k":"v"},"x":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
      R"("w":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})";
  while (header.size() % 8 != 0) header += ' ';
  const Bytes expected = file(header, {0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0xc0, 0x3f});
  CHECK(nn::to_bytes(content) == expected);
  CHECK(nn::to_bytes(nn::parse_safetensors(expected, "x")) == expected);
}

TEST_CASE("a file without arrays is valid", "[safetensors]") {
  CHECK(nn::to_bytes({}) == file("{}      ", {}));
  CHECK(nn::parse_safetensors(file("{}", {}), "x").tensors.empty());
}

TEST_CASE("a truncated or overlong file is refused", "[safetensors]") {
  nn::Safetensors content;
  content.metadata["k"] = "v";
  content.tensors["w"] = {.type = "F32", .shape = {2, 1}, .bytes = Bytes(8, 1)};
  content.tensors["e"] = {.type = "U8", .shape = {3}, .bytes = Bytes(3, 1)};
  Bytes bytes = nn::to_bytes(content);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO(size);
    CHECK_THAT(refusal({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}),
               Catch::StartsWith("x.safetensors: "));
  }
  bytes.push_back(0);
  CHECK_THAT(refusal(bytes), Catch::Contains("1 bytes follow its last array"));
}

TEST_CASE("a file with an inconsistent header is refused", "[safetensors]") {
  const auto array = [](const std::string& dtype, const std::string& shape,
                        const std::string& offsets) {
    return R"({"w":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets +
           "}}";
  };
  const auto of = [](const std::string& header) { return refusal(file(header, kOnePointFive)); };
  CHECK(of(array("\"F32\"", "[1]", "[0,4]")) == "not refused");
  CHECK_THAT(of(array("\"F32\"", "[1]", "[0,8]")), Catch::Contains("bytes 0 to 8 of 4"));
  CHECK_THAT(of(array("\"F32\"", "[1]", "[4,0]")), Catch::Contains("bytes 4 to 0 of 4"));
  CHECK_THAT(of(array("\"F32\"", "[2]", "[0,4]")), Catch::Contains("do not fit"));
  CHECK_THAT(of(array("\"F32\"", "[]", "[0,0]")), Catch::Contains("do not fit"));
  CHECK_THAT(of(array("\"U8\"", "[2]", "[0,2]")), Catch::Contains("2 bytes follow"));
  CHECK_THAT(of(array("\"U8\"", "[3]", "[1,4]")), Catch::Contains("begins at byte 1"));
  CHECK_THAT(of(array("\"F31\"", "[1]", "[0,4]")), Catch::Contains("an unknown dtype"));
  CHECK_THAT(of(array("7", "[1]", "[0,4]")), Catch::Contains("no dtype"));
  CHECK_THAT(of(array("\"F32\"", "[-1]", "[0,4]")), Catch::Contains("no shape"));
  CHECK_THAT(of(array("\"F32\"", "[1.0]", "[0,4]")), Catch::Contains("no shape"));
  CHECK_THAT(of(array("\"F32\"", "[1]", "[0]")), Catch::Contains("no data_offsets"));
  CHECK_THAT(of(array("\"F32\"", "[4294967296,4294967296,1]", "[0,4]")),
             Catch::Contains("do not fit"));
  CHECK_THAT(of(R"({"w":{"dtype":"F32","shape":[1]}})"), Catch::Contains("not just a dtype"));
  CHECK_THAT(of(R"({"w":[]})"), Catch::Contains("not just a dtype"));
  CHECK_THAT(of(R"({"__metadata__":{"k":1}})"), Catch::Contains("metadata 'k' is not a string"));
  CHECK_THAT(of(R"({"__metadata__":[]})"), Catch::Contains("metadata is not an object"));
  CHECK_THAT(of(R"({"a":{},"a":{}})"), Catch::Contains("twice"));
  CHECK_THAT(of(R"([1])"), Catch::Contains("does not begin with '{'"));
  CHECK_THAT(of(R"({"w":)"), Catch::Contains("header is damaged"));
  CHECK_THAT(of(""), Catch::Contains("does not begin with '{'"));
  const std::string two = R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                          R"("b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})";
  CHECK_THAT(of(two), Catch::Contains("'b' begins at byte 2, where 3 was expected"));
  CHECK_THAT(refusal(file("{}", {}, 200'000'000)), Catch::Contains("not a safetensors file"));
  CHECK_THAT(refusal(file("{}", {}, UINT64_MAX - 1)), Catch::Contains("not a safetensors file"));
}

}  // namespace systole::tests

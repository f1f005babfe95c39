#include "tests/campaign/cipher_writer.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace systole::tests {
namespace {

constexpr const char* kField = R"(
inline UInt<8> twice@(const UInt<8>& x) {
  return truncate<UInt<8>>(x << 1) ^ (bit<7>(x) ? UInt<8>({0}) : UInt<8>(0));
}
inline UInt<8> product@(UInt<8> a, const UInt<8>& b) {
  UInt<8> product = 0;
  for (int i = 0; i < 8; ++i) {
    if (b[i]) product ^= a;
    a = twice@(a);
  }
  return product;
}
)";

constexpr const char* kPower = R"(
inline UInt<8> substituted@(const UInt<8>& x) {
  UInt<8> power = x;
  UInt<8> result = 1;
  for (int i = 0; i < {0}; ++i) {
    power = product@(power, power);
    result = product@(result, power);
  }
  return result ^ UInt<8>({1});
}
)";

constexpr const char* kTable = R"(
inline constexpr UInt<8> kTable@[256] = {0};
inline UInt<8> substituted@(const UInt<8>& x) { return kTable@[x.value()]; }
)";

constexpr const char* kRound = R"(
inline Vec<UInt<8>, {0}> rounds@(const Vec<UInt<8>, {0}>& from, const Vec<UInt<8>, {0}>& key) {
  constexpr int kPlaces[{0}] = {1};
  Vec<UInt<8>, {0}> state = from;
  for (int round = 0; round < {2}; ++round) {
    Vec<UInt<8>, {0}> moved;
    for (int i = 0; i < {0}; ++i) moved[i] = substituted@(state[kPlaces[i]]);
    for (int column = 0; column < {0}; column += 4) {
      for (int row = 0; row < 4; ++row) {
        const auto at = [&](int down) { return moved[column + (row + down) % 4]; };
        state[column + row] = {3} ^ key[column + row];
      }
    }
  }
  return state;
}

struct @ {
  struct Inputs {
    Vec<UInt<8>, {0}> from;
    Vec<UInt<8>, {0}> key;
  };
  struct Outputs {
    Vec<UInt<8>, {0}> result;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.result = rounds_.output()};
    rounds_.clock(in.from, in.key);
    return out;
  }

 private:
  Pipeline<&rounds@, {4}> rounds_;
};

)";

/// Each {n} becomes the text of that number, and @ the name.
std::string filled(std::string text, const std::string& name,
                   const std::vector<std::string>& texts) {
  const auto replace = [&](const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
      text.replace(at, what.size(), by);
    }
  };
  for (std::size_t i = 0; i < texts.size(); ++i) replace(fmt::format("{{{}}}", i), texts[i]);
  replace("@", name);
  return text;
}

}  // namespace

std::string random_cipher(Random& random, const std::string& name) {
  const int bytes = 4 << random.below(3);
  const bool is_computed = random.below(2) == 0;
  std::vector<int> places(static_cast<std::size_t>(bytes));
  std::iota(places.begin(), places.end(), 0);
  for (int i = bytes - 1; i > 0; --i) std::swap(places[i], places[random.between(0, i)]);
  std::vector<int> table(256);
  for (int& one : table) one = random.below(256);
  std::string mixed;
  for (int down = 0; down < 4; ++down) {
    const char* kTerms[] = {"at({0})", "twice@(at({0}))", "twice@(at({0})) ^ at({0})",
                            "twice@(twice@(at({0})))"};
    mixed +=
        (down == 0 ? "" : " ^ ") + filled(kTerms[random.below(4)], name, {std::to_string(down)});
  }
  const int rounds = is_computed ? 1 : random.between(1, 4);
  return filled(kField, name, {std::to_string(2 * random.below(128) + 1)}) +
         (is_computed
              ? filled(kPower, name,
                       {std::to_string(random.between(3, 7)), std::to_string(random.below(256))})
              : filled(kTable, name, {fmt::format("{{{}}}", fmt::join(table, ", "))})) +
         filled(kRound, name,
                {std::to_string(bytes), fmt::format("{{{}}}", fmt::join(places, ", ")),
                 std::to_string(rounds), mixed, std::to_string(random.between(1, 8))});
}

}  // namespace systole::tests

#include "tests/campaign/wrong_walks.h"

#include <fmt/format.h>

#include <iterator>

#include "tests/campaign/batch.h"
#include "tests/campaign/placeholders.h"
#include "tests/campaign/random_type.h"

namespace systole::tests {
namespace {

/// Where the array stands, and where its first element is.
struct Place {
  const char* first;
  bool is_writable;
};

constexpr Place kInModules[] = {{"in.a", false},   {"in.b", false},   {"in.v.begin()", false},
                                {"a_", true},      {"b_", true},      {"both_.a", true},
                                {"both_.b", true}, {"rows_[1]", true}};
constexpr Place kInLoops[] = {
    {"a", true}, {"v.begin()", true}, {"local", true}, {"local_rows[0]", true}, {"kTable@", false}};

constexpr const char* kModule = R"(struct @ {
  struct Inputs {
    T x;
    T a[S];
    T b[S];
    Vec<T, S> v;
  };
  struct Outputs {
    T y;
  };
  struct Both {
    T a[S];
    T b[S];
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = sum_ ^ a_[0] ^ b_[0] ^ both_.a[1] ^ both_.b[1] ^ rows_[1][0] ^ rows_[2][0]};
    T sum = in.x;
    WALK
    sum_ = sum;
    return out;
  }
  void reset() {
    sum_ = T(0);
    for (int i = 0; i < S; ++i) {
      a_[i] = b_[i] = both_.a[i] = both_.b[i] = T(0);
      for (int row = 0; row < 3; ++row) rows_[row][i] = T(0);
    }
  }
  T sum_;
  T a_[S];
  T b_[S];
  Both both_;
  T rows_[3][S];
};

)";

constexpr const char* kLoops = R"(inline constexpr T kTable@[S] = {1, 2, 3};
inline void @(T (&a)[S], Vec<T, S>& v, const T& x, T& result) {
  T local[S];
  T local_rows[3][S];
  for (int i = 0; i < S; ++i) {
    local[i] = a[i];
    for (int row = 0; row < 3; ++row) local_rows[row][i] = v[i];
  }
  T sum = x;
  WALK
  for (int i = 0; i < S; ++i) sum ^= local[i] ^ local_rows[1][i];
  result = sum;
}

)";

}  // namespace

WrongKernel wrong_walk(Random& random, const std::string& name) {
  const bool in_loops = random.below(2) == 0;
  const Place& place = in_loops ? kInLoops[random.below(std::size(kInLoops))]
                                : kInModules[random.below(std::size(kInModules))];
  const int size = random.between(3, 6);
  const int width = random.between(4, 30);
  const bool writes = place.is_writable && random.below(2) == 0;
  const std::uint32_t style = random.below(5);
  const int skipped = random.between(0, 2);
  const int beyond = random.between(1, 2);
  const auto access = [&](const char* element) {
    const char* value = in_loops ? "x" : "in.x";
    return writes ? fmt::format("{} = {};", element, value) : fmt::format("sum ^= {};", element);
  };
  const auto walk = [&](int more) {
    const std::string first = place.first;
    switch (style) {
      case 0:
        return fmt::format("for (auto* p = {0} + {1}; p != {0} + {2}; ++p) {3}", first, skipped,
                           size + more, access("*p"));
      case 1:
        return fmt::format("auto* p = {} + {};\n    for (int i = 0; i < {}; ++i) {}", first,
                           skipped, size - skipped + more, access("*p++"));
      case 2:
        return fmt::format("auto* p = {} + {};\n    for (int i = 0; i < {}; ++i) {}", first, size,
                           size + more, access("*--p"));
      case 3:
        return fmt::format("for (auto* p = {0} + {1}; p > {0}; --p) {2}", first, size - 1 + more,
                           access("*p"));
      default:
        break;
    }
    std::string steps = fmt::format("auto* p = {} + {};", first, skipped);
    for (int i = 0; i < size - skipped + more; ++i) steps += "\n    " + access("*p++");
    return steps;
  };
  const auto whole = [&](int more) {
    std::string text = in_loops ? kLoops : kModule;
    const std::string word = "WALK";
    text.replace(text.find(word), word.size(), walk(more));
    return with_values(text, name, width, size, 0);
  };
  return {whole(0), whole(beyond), in_loops ? kLoopHeaders : kClockedHeaders};
}

}  // namespace systole::tests

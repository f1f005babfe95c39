#include "tests/campaign/wrong_loops.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "tests/campaign/batch.h"
#include "tests/campaign/placeholders.h"
#include "tests/campaign/random_type.h"

namespace systole::tests {
namespace {

/// A fault of a network: what stands before the loop around its calls, and in it.
struct Fault {
  const char* right_before;
  const char* right;
  const char* wrong_before;
  const char* wrong;
};

constexpr Fault kFaults[] = {
    // ---- Elements that a writer leaves out ----
    {"", "Vec<T, S> part;\n    most@(in, part);\n    drain@(part, out);", "Vec<T, S> part;",
     "most@(in, part);\n    drain@(part, out);"},
    {"Vec<T, S> part;", "fill@(in, part);\n    drain@(part, out);", "Vec<T, S> part;",
     "fewer@(in, part);\n    drain@(part, out);"},
    // ---- Elements that a reader leaves ----
    {"", "LocalStream<T, 2> some;\n    send@(in, some);\n    until@(some, out);",
     "LocalStream<T, 2> some;", "send@(in, some);\n    until@(some, out);"},
    {"LocalStream<T, 2> all;", "send@(in, all);\n    take@(all, out);", "LocalStream<T, 2> all;",
     "send@(in, all);\n    all_but_one@(all, out);"},
    // ---- Streams that fill before their reader starts ----
    {"",
     "LocalStream<T, 2 * S> some;\n    T last;\n    twice@(in, some, last);\n    "
     "limited@(some, last, out);",
     "",
     "LocalStream<T, S> some;\n    T last;\n    twice@(in, some, last);\n    "
     "limited@(some, last, out);"},
    {"",
     "LocalStream<T, 2 * S> some;\n    LocalStream<T, 1> more;\n    T last;\n    T other;\n    "
     "twice@(in, some, last);\n    twice@(also, more, other);\n    limited@(some, other, out);\n   "
     " "
     "limited@(more, last, rest);",
     "",
     "LocalStream<T, S> some;\n    LocalStream<T, 1> more;\n    T last;\n    T other;\n    "
     "twice@(in, some, last);\n    twice@(also, more, other);\n    limited@(some, other, out);\n   "
     " "
     "limited@(more, last, rest);"},
    // ---- Values ----
    {"", "T one;\n    first@(in, one);\n    spread@(one, out);", "T one;",
     "spread@(one, out);\n    first@(in, one);"},
    {"", "T one = N;\n    more@(in, one);\n    spread@(one, out);", "T one = N;",
     "more@(in, one);\n    spread@(one, out);"},
    {"", "T one;\n    first@(in, one);\n    spread@(one, out);", "",
     "T one;\n    first@(in, one);\n    spread@(truncate<T>(one + 1), out);"},
    {"",
     "T one;\n    first@(in, one);\n    T both = one;\n    raise@(one, both);\n    spread@(both, "
     "out);",
     "", "T one;\n    first@(in, one);\n    raise@(one, one);\n    spread@(one, out);"},
    // ---- Within a function ----
    {"", "Vec<T, S> part;\n    fill@(in, part);\n    drain@(part, out);", "",
     "Vec<T, S> part;\n    fill@(in, part);\n    shift@(part, out);"},
    {"", "Vec<T, S> part;\n    set@(in, part);\n    drain@(part, out);", "",
     "Vec<T, S> part;\n    unset@(in, part);\n    drain@(part, out);"},
};

constexpr const char* kFunctions = R"(
inline void fill@(const Vec<T, S>& in, Vec<T, S>& part) {
  for (int i = 0; i < S; ++i) part[i] = in[i];
}
inline void most@(const Vec<T, S>& in, Vec<T, S>& part) {
  for (int i = 0; i < S; ++i) {
    if (in[i] != N) part[i] = in[i];
  }
}
inline void fewer@(const Vec<T, S>& in, Vec<T, S>& part) {
  for (int i = 1; i < S; ++i) part[i] = in[i];
}
inline void drain@(const Vec<T, S>& part, Vec<T, S>& out) {
  for (int i = 0; i < S; ++i) out[i] = part[S - 1 - i];
}
inline void shift@(const Vec<T, S>& part, Vec<T, S>& out) {
  for (int i = 0; i < S; ++i) out[i] = part[i + 1];
}
inline void send@(const Vec<T, S>& in, Stream<T>& to) {
  for (int i = 0; i < S; ++i) to.push(in[i]);
}
inline void take@(Stream<T>& from, Vec<T, S>& out) {
  for (int i = 0; i < S; ++i) out[i] = from.pop();
}
inline void all_but_one@(Stream<T>& from, Vec<T, S>& out) {
  for (int i = 1; i < S; ++i) out[i] = from.pop();
}
inline void until@(Stream<T>& from, Vec<T, S>& out) {
  for (int i = 0; i < S; ++i) {
    const T value = from.pop();
    out[i] = value;
    if (value == N) break;
  }
}
inline void twice@(const Vec<T, S>& in, Stream<T>& to, T& last) {
  T one = 0;
  for (int i = 0; i < S; ++i) {
    one = in[i];
    to.push(one);
    if (one != N) to.push(one);
  }
  last = one;
}
inline void limited@(Stream<T>& from, const T& limit, Vec<T, S>& out) {
  for (int i = 0; i < S; ++i) {
    if (limit != N) out[i] = from.pop();
  }
}
inline void first@(const Vec<T, S>& in, T& one) { one = in[N]; }
inline void more@(const Vec<T, S>& in, T& one) { one ^= in[N]; }
inline void raise@(const T& by, T& one) { one = truncate<T>(one + by); }
inline void spread@(T one, Vec<T, S>& out) {
  for (int i = 0; i < S; ++i) out[i] = one;
}
inline void maybe@(bool sets, int& number) {
  if (sets) number = N;
}
inline void set@(const Vec<T, S>& in, Vec<T, S>& part) {
  for (int i = 0; i < S; ++i) {
    int number = 1;
    maybe@(in[i] == N, number);
    part[i] = T::from(static_cast<std::uint64_t>(number));
  }
}
inline void unset@(const Vec<T, S>& in, Vec<T, S>& part) {
  for (int i = 0; i < S; ++i) {
    int number;
    maybe@(in[i] == N, number);
    part[i] = T::from(static_cast<std::uint64_t>(number));
  }
}

)";

class Writer {
 public:
  Writer(Random& random, const std::string& name) : random_(random), name_(name) {}

  WrongKernel write() {
    const bool is_copied = Random(Random(random_).bits() ^ 0xc0b1e5).below(8) == 0;
    WrongKernel pair = is_copied ? copies() : random_.below(3) == 0 ? index() : network();
    pair.headers = kLoopHeaders;
    return pair;
  }

 private:
  WrongKernel network() {
    const Fault& fault = kFaults[random_.below(std::size(kFaults))];
    const int width = random_.between(4, 30);
    const int size = random_.between(3, 9);
    const int number = random_.between(0, size - 2);
    const bool is_twofold = std::string(fault.right).find("also") != std::string::npos;
    const char* more = is_twofold ? ", const Vec<T, S>& also, Vec<T, S>& rest" : "";
    const auto whole = [&](const char* before, const char* within) {
      const std::string text =
          kFunctions + fmt::format(
                           "inline void @(const Vec<T, S>& in, Vec<T, S>& out{}) {{\n"
                           "  dataflow();\n  {}\n"
                           "  for (UInt<3> turn = 0; turn < 5; ++turn) {{\n    {}\n  }}\n"
                           "}}\n\n",
                           more, before, within);
      return with_values(text, name_, width, size, number);
    };
    return {whole(fault.right_before, fault.right), whole(fault.wrong_before, fault.wrong)};
  }

  /// A loop over an array, which leaves it at one end; too long to be written out, sometimes.
  WrongKernel index() {
    const bool is_long = random_.below(4) == 0;
    const int size = is_long ? random_.between(5000, 40000) : random_.between(2, 12);
    const int step = random_.between(1, 2);
    const int shift = std::min(random_.between(0, 2), size - 1);
    const int turns = (size - shift + step - 1) / step;
    const bool is_read = random_.below(2) == 0;
    const bool is_guarded = !is_long && random_.below(3) == 0;
    const bool in_nest = random_.below(3) == 0;
    const std::string place =
        step == 1 ? fmt::format("i + {}", shift) : fmt::format("2 * i + {}", shift);
    const std::string access =
        is_read ? fmt::format("sum ^= a[{}];", place) : fmt::format("a[{}] = x;", place);
    const auto whole = [&](int count) {
      const std::string loop = fmt::format("for (int i = 0; i < {}; ++i) {}{}", count,
                                           is_guarded ? "if (x[0] == 1) " : "", access);
      const std::string nest =
          fmt::format("for (int row = 0; row < 3; ++row) {{\n    {}\n  }}", loop);
      return fmt::format(
          "inline void {}(Vec<UInt<9>, {}>& a, const UInt<9>& x, UInt<9>& result) {{\n"
          "  UInt<9> sum = x;\n  {}\n  result = sum;\n}}\n\n",
          name_, size, in_nest && !is_long ? nest : loop);
    };
    return {whole(turns), whole(turns + 1)};
  }

  /// A loop in copies, whose number of iterations something says before it, or nothing.
  WrongKernel copies() {
    struct Loop {
      const char* head;
      const char* end;
    };
    constexpr std::array<Loop, 3> kRight = {
        {{"for (int i = 0; i < static_cast<int>(x.value()); ++i)", ""},
         {"for (UInt<4> i = 0; i < x; ++i)", ""},
         {"for (int i = static_cast<int>(x.value()); i > 0; i -= 2)", ""}}};
    constexpr std::array<Loop, 4> kWrong = {
        {{"for (int i = 0; i < static_cast<int>(a[i].value()); ++i)", ""},
         {"while (sum > x)", "sum >>= 1;"},
         {"for (int i = 0; i < static_cast<int>(x.value()); ++i)", "if (sum == x) break;"},
         {"for (UInt<9> i = x; i != 0; i = a[i.value() & 7])", ""}}};
    const int copies = random_.between(2, 5);
    const auto whole = [&](const Loop& loop) {
      return fmt::format(
          "inline void {}(Vec<UInt<9>, 8>& a, const UInt<3>& x, UInt<9>& result) {{\n"
          "  UInt<9> sum = 0;\n  {} {{\n    unroll<{}>();\n    sum ^= a[(sum & 7).value()];\n"
          "    a[{}] = sum;\n    {}\n  }}\n  result = sum;\n}}\n\n",
          name_, loop.head, copies, copies, loop.end);
    };
    return {whole(any_of(random_, kRight)), whole(any_of(random_, kWrong))};
  }

  Random& random_;
  std::string name_;
};

}  // namespace

WrongKernel wrong_loops(Random& random, const std::string& name) {
  return Writer(random, name).write();
}

}  // namespace systole::tests

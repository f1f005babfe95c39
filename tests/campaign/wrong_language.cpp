#include "tests/campaign/wrong_language.h"

#include <iterator>

#include "tests/campaign/placeholders.h"

namespace systole::tests {
namespace {

/// Where a fault stands, and what stands there instead, with placeholders; the size is between 5
/// and 7.
struct Fault {
  enum Place { kStatement, kModule, kReset, kMember, kBefore, kThread, kHelper, kThreadParameter };
  Place place;
  const char* right;
  const char* wrong;
};

constexpr Fault kFaults[] = {
    // ---- Values and operators ----
    {Fault::kStatement, "q_ = in.x / 3;", "q_ = in.x / in.z;"},
    {Fault::kStatement, "q_ = in.x % 3;", "q_ = in.x % in.z;"},
    {Fault::kStatement, "q_ = in.x & in.z;", "q_ = in.x & as_signed(in.z);"},
    {Fault::kStatement, "q_ = truncate<T>(in.x + in.z);", "q_ = in.x + in.z;"},
    {Fault::kStatement, "q_ = in.x;", "q_ = concat(in.z, in.x);"},
    {Fault::kStatement, "q_ = T(N);", "q_ = UInt<W + 1>(N);"},
    {Fault::kStatement, "q_ = in.x ^ N;", "q_ = in.x ^ 0x200000000;"},
    {Fault::kStatement, "const int n = N;\n    q_ = truncate<T>(in.x + T::from(n));",
     "const int n = in.i.value();\n    q_ = truncate<T>(in.x + n);"},
    {Fault::kStatement, "q_ = T::from(in.i.value() / S);",
     "q_ = T::from(in.i.value() / (in.x.value() | 1));"},
    {Fault::kStatement, "q_ = T::from(in.i.value());",
     "q_ = T::from(static_cast<unsigned>(static_cast<float>(in.i.value()) * 1.5f));"},
    {Fault::kStatement, "int n = N;\n    if (in.c) n = 1;\n    q_ = T::from(n);",
     "int n;\n    if (in.c) n = 1;\n    q_ = T::from(n);"},
    {Fault::kStatement, "int n = N;\n    maybe@(in.c, n);\n    q_ = T::from(n);",
     "int n;\n    maybe@(in.c, n);\n    q_ = T::from(n);"},
    {Fault::kStatement, "bool b;\n    either@(in.c, b);\n    q_ = b ? in.x : in.z;",
     "bool b;\n    maybe@(in.c, b);\n    q_ = b ? in.x : in.z;"},
    {Fault::kStatement,
     "Both@ both;\n    both.some = 1;\n    either@(in.c, both.flag);\n    q_ = both.flag ? "
     "T::from(both.some) : in.x;",
     "Both@ both;\n    maybe@(in.c, both.some);\n    either@(in.c, both.flag);\n    q_ = both.flag "
     "? "
     "in.x : T::from(both.some);"},
    {Fault::kStatement,
     "int a[S];\n    for (int k = 0; k < S; ++k) a[k] = k;\n    if (in.i < S) q_ = "
     "T::from(a[in.i.value()]);",
     "int a[S];\n    for (int k = 1; k < S; ++k) a[k] = k;\n    if (in.i < S) q_ = "
     "T::from(a[in.i.value()]);"},
    {Fault::kMember, "UInt<4096> wide_;", "UInt<4097> wide_;"},
    {Fault::kMember, "UInt<31> count_;", "int count_;"},
    {Fault::kMember, "T more_;", "float more_;"},
    {Fault::kMember, "T more_;", "T* more_;"},
    {Fault::kMember, "T more_;", "T& more_ = q_;"},
    {Fault::kMember, "struct {\n    T a;\n    T b;\n  } both_;",
     "union {\n    T a;\n    T b;\n  } both_;"},
    // ---- Indices ----
    {Fault::kStatement, "if (in.i < S) q_ = kTable@[in.i.value()];",
     "if (in.i <= S) q_ = kTable@[in.i.value()];"},
    {Fault::kStatement, "if (in.i < S) q_ = in.v[static_cast<int>(in.i.value())];",
     "q_ = in.v[static_cast<int>(in.i.value())];"},
    {Fault::kStatement,
     "T a[S] = {in.x, in.z};\n    a[N] = in.z;\n    if (in.i < S) q_ = a[in.i.value()];",
     "T a[S] = {in.x, in.z};\n    a[N] = in.z;\n    if (in.i != N) q_ = a[in.i.value()];"},
    {Fault::kStatement, "for (int k = 0; k < S; ++k) q_ ^= kTable@[k];",
     "for (int k = 0; k <= S; ++k) q_ ^= kTable@[k];"},
    {Fault::kStatement, "q_ = in.x;\n    q_[W - 1] = in.c;", "q_ = in.x;\n    q_[W] = in.c;"},
    // ---- Loops and calls ----
    {Fault::kStatement,
     "for (unsigned k = 0; k < S; ++k) {\n      if (k >= in.i.value()) break;\n      q_ ^= in.x >> "
     "1;\n    }",
     "for (unsigned k = 0; k < in.i.value(); ++k) q_ ^= in.x >> 1;"},
    {Fault::kStatement, "for (int k = 0; k < S; ++k) q_ ^= in.x;", "for (;;) q_ ^= in.x;"},
    {Fault::kStatement, "q_ = once@(in.x, in.i);", "q_ = again@(in.x, in.i);"},
    {Fault::kStatement, "q_ = once@(in.x, in.i);", "q_ = elsewhere@(in.x);"},
    {Fault::kStatement, "q_ = in.c ? once@(in.x, in.i) : other@(in.x, in.i);",
     "T (*chosen)(const T&, const UInt<3>&) = in.c ? &once@ : &other@;\n    q_ = chosen(in.x, "
     "in.i);"},
    {Fault::kStatement, "T kept = in.x;\n    q_ = kept;",
     "static T kept;\n    kept ^= in.x;\n    q_ = kept;"},
    {Fault::kStatement, "if (in.c) q_ = in.x;\n    else p_ = in.x;",
     "T& chosen = in.c ? q_ : p_;\n    chosen = in.x;"},
    {Fault::kStatement, "q_ = in.x;", "T* made = new T(in.x);\n    q_ = *made;"},
    {Fault::kStatement, "q_ = in.x;", "asm volatile(\"nop\");\n    q_ = in.x;"},
    {Fault::kStatement, "q_ = in.x;",
     "volatile int n = N;\n    q_ = T::from(static_cast<int>(n));"},
    // ---- Submodules and pipelines ----
    {Fault::kModule, "child_.clock({.x = in.x});",
     "child_.clock({.x = in.x});\n    child_.clock({.x = in.z});"},
    {Fault::kModule, "child_.clock({.x = in.c ? in.x : in.z});",
     "if (in.c) child_.clock({.x = in.x});"},
    {Fault::kModule, "child_.clock({.x = in.x});",
     "for (int k = 0; k < 2; ++k) child_.clock({.x = in.x});"},
    {Fault::kModule, "child_.clock({.x = in.x});", "static_cast<void>(child_);"},
    {Fault::kModule, "q_ = child_.outputs().y;\n    child_.clock({.x = in.x});",
     "child_.clock({.x = in.x});\n    q_ = child_.outputs().y;"},
    {Fault::kModule, "q_ = child_.outputs().y;\n    child_.clock({.x = in.x});",
     "q_ = child_.kept;\n    child_.clock({.x = in.x});"},
    {Fault::kModule, "child_.clock({.x = in.c ? T(0) : in.x});",
     "child_.clock({.x = in.x});\n    if (in.c) child_.reset();"},
    {Fault::kModule, "q_ = pipe_.output();\n    pipe_.clock(in.x, in.i);",
     "pipe_.clock(in.x, in.i);\n    q_ = pipe_.output();"},
    {Fault::kModule, "pipe_.clock(in.c ? in.x : in.z, in.i);",
     "if (in.c) pipe_.clock(in.x, in.i);"},
    {Fault::kModule, "pipe_.clock(in.x, in.i);",
     "pipe_.clock(in.x, in.i);\n    pipe_.clock(in.z, in.i);"},
    {Fault::kReset, "p_ = q_;", "p_ ^= T(S);"},
    {Fault::kReset, "p_ = T(N);", "child_.kept = T(N);"},
    // ---- Threads ----
    {Fault::kThread,
     "bool b;\n    either@(x == N ? UInt1(1) : UInt1(0), b);\n    co_await clock();\n    if (b) q "
     "= x;",
     "bool b;\n    maybe@(x == N ? UInt1(1) : UInt1(0), b);\n    co_await clock();\n    if (b) q = "
     "x;"},
    {Fault::kThread, "while (x == N) co_await clock();", "while (x == N) q ^= 1;"},
    {Fault::kThread, "q = x;", "T spun;\n    for (; spun < x; ++spun) q ^= spun;"},
    {Fault::kThread, "co_await clock();", "co_await std::suspend_always{};"},
    {Fault::kThread, "q = x;\n    co_await clock();", "waits@(q);\n    co_await clock();"},
    {Fault::kThread, "q = x == N ? co_await from.pop() : T(0);",
     "auto& chosen = x == N ? from : also;\n    q = co_await chosen.pop();"},
    {Fault::kHelper, "q = N;", "q = x;"},
    {Fault::kThreadParameter, "const T& x", "T x"},
    {Fault::kThread, "if (x < S) q = kTable@[static_cast<int>(slice<W - 1, 0>(x).value() & 3)];",
     "q = kTable@[static_cast<int>(x.value() & 7)];"},
};

constexpr const char* kCommon = R"(
inline constexpr T kTable@[S] = {1, 2, 3, 1};
inline T once@(const T& x, const UInt<3>& i) { return x ^ (x >> i); }
inline T other@(const T& x, const UInt<3>& i) { return x & (x << i); }
inline T again@(const T& x, const UInt<3>& i) { return i == 0 ? x : again@(x >> 1, i >> 1); }
T elsewhere@(const T& x);
struct Both@ {
  bool flag;
  int some;
};
template <typename Value>
void maybe@(UInt1 c, Value& value) {
  if (c) value = 1;
}
inline void either@(UInt1 c, bool& value) {
  if (c) value = true;
  if (!c) value = false;
}

struct @Child {
  struct Inputs {
    T x;
  };
  struct Outputs {
    T y;
  };
  Outputs outputs() const { return {.y = kept}; }
  void clock(const Inputs& in) { kept ^= in.x; }
  void reset() { kept = T(0); }
  T kept;
};

)";

constexpr const char* kModule = R"(struct @ {
  struct Inputs {
    T x;
    T z;
    UInt1 c;
    UInt<3> i;
    Vec<T, S> v;
  };
  struct Outputs {
    T y;
    T p;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = q_, .p = p_};
    ONE
    TWO
    return out;
  }
  void reset() {
    q_ = T(0);
    THREE
    FOUR
  }
  T q_;
  T p_;
  FIVE
};

)";

constexpr const char* kThread = R"(inline Thread waits@(T& q) {
  co_await systole::hls::clock();
  ++q;
}
inline Thread thread@(StreamIn<T>& from, StreamIn<T>& also, PORT, T& q) {
  BEFORE
  for (;;) {
    const T beat = co_await from.pop();
    q = beat ^ co_await also.pop();
    WITHIN
  }
}
using @ = Process<&thread@>;

)";

std::string put(std::string text, const std::string& word, const std::string& what) {
  const std::size_t at = text.find(word);
  return at == std::string::npos ? text : text.replace(at, word.size(), what);
}

/// `wrapping`: 0 as it is, 1 in a block, 2 in a lambda that is called.
std::string kernel(const Fault& fault, const char* piece, std::uint32_t wrapping) {
  std::string text = kCommon;
  if (fault.place >= Fault::kThread) {
    text +=
        put(put(put(kThread, "PORT", fault.place == Fault::kThreadParameter ? piece : "const T& x"),
                "BEFORE", fault.place == Fault::kHelper ? piece : "q = 0;"),
            "WITHIN", fault.place == Fault::kThread ? piece : "q ^= x;");
    return text;
  }
  std::string here = fault.place == Fault::kStatement ? piece : "q_ = in.x;";
  if (wrapping == 1) here = "{\n    " + here + "\n    }";
  if (wrapping == 2) here = "const auto step = [&] {\n    " + here + "\n    };\n    step();";
  const std::string all = piece;
  const bool child = all.find("child_") != std::string::npos;
  const bool pipe = all.find("pipe_") != std::string::npos;
  if (child && all.find("outputs()") == std::string::npos) here = "q_ = child_.outputs().y;";
  text += put(kModule, "ONE", here);
  text = put(text, "TWO",
             fault.place == Fault::kModule ? piece
             : child                       ? "child_.clock({.x = in.x});"
                                           : "");
  text = put(text, "THREE", fault.place == Fault::kReset ? piece : "p_ = T(0);");
  text = put(text, "FOUR", child ? "child_.reset();" : "");
  text = put(text, "FIVE",
             fault.place == Fault::kMember ? piece
             : child                       ? "@Child child_;"
             : pipe                        ? "Pipeline<&once@, 2> pipe_;"
                                           : "");
  return text;
}

}  // namespace

WrongKernel wrong_language(Random& random, const std::string& name) {
  const Fault& fault = kFaults[random.below(std::size(kFaults))];
  const int width = random.between(4, 30);
  const int size = random.between(5, 7);
  const int number = random.between(0, size - 2);
  const std::uint32_t wrapping = random.below(3);
  const auto whole = [&](const char* piece) {
    return with_values(kernel(fault, piece, fault.place == Fault::kStatement ? wrapping : 0), name,
                       width, size, number);
  };
  return {whole(fault.right), whole(fault.wrong)};
}

}  // namespace systole::tests

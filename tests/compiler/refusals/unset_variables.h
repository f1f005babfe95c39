#include <array>

#include "systole/hls/kernel.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/thread.h"

// Variables that only some ways set, mostly by a reference.
using namespace systole::hls;
using systole::hls::clock;

inline void maybe(UInt<1> set, int& value) {
  if (set != 0) value = 1;
}
inline void maybe(UInt<1> set, bool& value) {
  if (set != 0) value = true;
}
template <typename Value>
inline void one_of_two(UInt<2> way, Value& value, Value one, Value other) {
  if (way == 1) value = one;
  if (way == 2) value = other;
}
// ---- unset_in_a_function
inline UInt<8> chosen(UInt<1> set) {
  int value;  // refused at 7: 'value' is used on a way where nothing has set it
  maybe(set, value);
  return UInt<8>::from(static_cast<std::uint64_t>(value));
}
struct Top {
  struct Inputs {
    UInt<1> set;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = pipe_.output()};
    pipe_.clock(in.set);
    return out;
  }
  Pipeline<&chosen, 1> pipe_;
};
// ---- unset_in_a_module
struct Top {
  struct Inputs {
    UInt<2> way;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = y_};
    int value;  // refused at 9: 'value' is used on a way where nothing has set it
    one_of_two(in.way, value, 5, 9);
    y_ = UInt<8>::from(static_cast<std::uint64_t>(value));
    return out;
  }
  void reset() { y_ = 0; }
  UInt<8> y_;
};
// ---- unset_member
struct Both {
  bool first;
  int second;
};
inline void half(UInt<2> way, Both& both) {
  both.first = way[0] != 0;
  if (way[1] != 0) both.second = 3;
}
struct Top {
  struct Inputs {
    UInt<2> way;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = y_};
    Both both;  // refused at 10: 'both' is used on a way where nothing has set it
    half(in.way, both);
    y_ = both.first ? UInt<8>::from(static_cast<std::uint64_t>(both.second)) : UInt<8>(4);
    return out;
  }
  void reset() { y_ = 0; }
  UInt<8> y_;
};
// ---- unset_element
struct Top {
  struct Inputs {
    UInt<2> i;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = y_};
    int list[4];  // refused at 9: 'list' is used on a way where nothing has set it
    for (int k = 0; k < 3; ++k) list[k] = k * k;
    y_ = UInt<8>::from(static_cast<std::uint64_t>(list[in.i.value()]));
    return out;
  }
  void reset() { y_ = 0; }
  UInt<8> y_;
};
// ---- unset_enum
enum class Way { kLeft, kRight, kBoth };
struct Top {
  struct Inputs {
    UInt<2> way;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = y_};
    Way way;  // refused at 9: 'way' is used on a way where nothing has set it
    one_of_two(in.way, way, Way::kLeft, Way::kBoth);
    y_ = way == Way::kLeft ? UInt<8>(1) : UInt<8>(2);
    return out;
  }
  void reset() { y_ = 0; }
  UInt<8> y_;
};
// ---- unset_in_a_thread
inline Thread Top(const UInt<1>& set, UInt<8>& y) {
  co_await clock();
  for (;;) {
    bool value;  // refused at 10: 'value' is used on a way where nothing has set it
    maybe(set, value);
    co_await clock();
    y = value ? UInt<8>(3) : UInt<8>(9);
  }
}
// ---- unset_under_two_tests_of_a_thread
inline Thread Top(const UInt<8>& x, UInt<8>& y) {
  co_await clock();
  for (;;) {
    int value;  // refused at 9: 'value' is used on a way where nothing has set it
    if (x > 10) value = 3;
    if (x > 50) value = 5;
    co_await clock();
    y = UInt<8>::from(static_cast<std::uint64_t>(value));
  }
}
// ---- unset_under_two_tests_of_a_function_over_arrays
inline void Top(const Vec<UInt<8>, 8>& in, Vec<UInt<8>, 8>& out) {
  for (int i = 0; i < 8; ++i) {
    int value;  // refused at 9: 'value' is used on a way where nothing has set it
    if (in[i] > 10) value = 3;
    if (in[i] > 50) value = 5;
    out[i] = UInt<8>::from(static_cast<std::uint64_t>(value));
  }
}
// ---- unset_by_a_loop_that_may_not_run
inline void Top(const UInt<8>& count, UInt<8>& out) {
  int value;  // refused at 7: 'value' is used on a way where nothing has set it
  for (int i = 0; i < static_cast<int>(count.value()); ++i) value = i;
  out = UInt<8>::from(static_cast<std::uint64_t>(value));
}
// ---- unset_over_the_waits_of_a_thread
inline Thread Top(const UInt<1>& set, UInt<8>& y) {
  int value;  // refused at 7: 'value' is used on a way where nothing has set it
  co_await clock();
  for (;;) {
    maybe(set, value);
    co_await clock();
    y = UInt<8>::from(static_cast<std::uint64_t>(value));
  }
}
// ---- unset_in_a_function_over_arrays
inline void Top(const Vec<UInt<1>, 8>& set, Vec<UInt<8>, 8>& out) {
  for (int i = 0; i < 8; ++i) {
    int value;  // refused at 9: 'value' is used on a way where nothing has set it
    maybe(set[i], value);
    out[i] = UInt<8>::from(static_cast<std::uint64_t>(value));
  }
}
// ---- unset_element_in_a_function_over_arrays
inline void Top(const Vec<UInt<8>, 8>& in, Vec<UInt<8>, 8>& out) {
  for (int i = 0; i < 8; ++i) {
    int pair[2];  // refused at 9: 'pair' is used on a way where nothing has set it
    if (in[i] > 3) pair[0] = static_cast<int>(in[i].value());
    out[i] = UInt<8>::from(static_cast<std::uint64_t>(pair[0]));
  }
}
// ---- unset_element_with_one_value
inline void Top(const Vec<UInt<8>, 8>& in, Vec<UInt<8>, 8>& out) {
  for (int i = 0; i < 8; ++i) {
    int pair[2];  // refused at 9: 'pair' is used on a way where nothing has set it
    if (in[i] > 3) pair[0] = 5;
    out[i] = UInt<8>::from(static_cast<std::uint64_t>(pair[0]));
  }
}
// ---- unset_element_in_a_function_that_one_over_arrays_calls
inline UInt<8> picked(const UInt<8>& value) {
  int pair[2];  // refused at 7: 'pair' is used on a way where nothing has set it
  if (value > 3) pair[0] = static_cast<int>(value.value());
  return UInt<8>::from(static_cast<std::uint64_t>(pair[0]));
}
inline void Top(const Vec<UInt<8>, 8>& in, Vec<UInt<8>, 8>& out) {
  for (int i = 0; i < 8; ++i) out[i] = picked(in[i]);
}
// ---- unset_element_of_a_library_array
struct Top {
  struct Inputs {
    UInt<8> value;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    std::array<int, 2> pair;  // refused at 24: 'pair' is used on a way where nothing has set it
    if (in.value > 3) pair[0] = 5;
    return {.y = UInt<8>::from(static_cast<std::uint64_t>(pair[0]))};
  }
};
// ---- unset_in_a_function_of_a_network
inline void reads(const Vec<UInt<1>, 8>& set, Stream<UInt<8>>& out) {
  for (int i = 0; i < 8; ++i) {
    bool value;  // refused at 10: 'value' is used on a way where nothing has set it
    maybe(set[i], value);
    out.push(value ? UInt<8>(3) : UInt<8>(9));
  }
}
inline void writes(Stream<UInt<8>>& in, Vec<UInt<8>, 8>& out) {
  for (int i = 0; i < 8; ++i) out[i] = in.pop();
}
inline void Top(const Vec<UInt<1>, 8>& set, Vec<UInt<8>, 8>& out) {
  dataflow();
  LocalStream<UInt<8>, 2> values;
  reads(set, values);
  writes(values, out);
}

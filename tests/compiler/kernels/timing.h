#pragma once

#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/ram.h"
#include "systole/hls/thread.h"
#include "systole/hls/vec.h"

// Modules whose slowest path is known, for the timing of hlsc.
namespace systole::tests {

using namespace systole::hls;

/// kSums additions one after the other, between two registers.
template <int kSums>
struct Summed {
  struct Inputs {
    UInt<16> value;
  };
  struct Outputs {
    UInt<16> total;
    UInt<1> odd;
  };
  Outputs outputs() const { return {.total = total_, .odd = slice<0, 0>(total_)}; }
  void clock(const Inputs& in) {
    UInt<16> total = value_;
#pragma unroll
    for (int i = 0; i < kSums; ++i) total = truncate<UInt<16>>(total + (total >> UInt<2>(1)));
    total_ = total;
    value_ = in.value;
  }
  void reset() {
    total_ = 0;
    value_ = 0;
  }

 private:
  UInt<16> value_;
  UInt<16> total_;
};

/// One of kValues, each chosen by a branch of its own.
template <int kValues>
struct Chosen {
  struct Inputs {
    UInt<8> place;
    Vec<UInt<8>, kValues> values;
  };
  struct Outputs {
    UInt<8> chosen;
  };
  Outputs outputs() const { return {.chosen = chosen_}; }
  void clock(const Inputs& in) {
    UInt<8> chosen = UInt<8>(0);
#pragma unroll
    for (int i = 0; i < kValues; ++i) {
      if (place_ == UInt<8>::from(static_cast<unsigned>(i))) chosen = values_[i];
    }
    chosen_ = chosen;
    place_ = in.place;
    values_ = in.values;
  }
  void reset() {
    place_ = 0;
    chosen_ = 0;
  }

 private:
  UInt<8> place_;
  Vec<UInt<8>, kValues> values_;
  UInt<8> chosen_;
};

/// Its output depends on its input in the same clock.
struct Squared {
  struct Inputs {
    UInt<16> value;
  };
  struct Outputs {
    UInt<16> square;
  };
  Outputs clock(const Inputs& in) {
    count_ = truncate<UInt<4>>(count_ + UInt<4>(1));
    return {.square = truncate<UInt<16>>(in.value * in.value)};
  }
  void reset() { count_ = 0; }

 private:
  UInt<4> count_;
};

/// A register, two submodules in a row, a register: one path.
struct SquaredTwice {
  struct Inputs {
    UInt<16> value;
  };
  struct Outputs {
    UInt<16> result;
  };
  Outputs outputs() const { return {.result = result_}; }
  void clock(const Inputs& in) {
    const auto first = first_.clock({.value = value_});
    const auto second = second_.clock({.value = first.square});
    result_ = second.square;
    value_ = in.value;
  }
  void reset() {
    first_.reset();
    second_.reset();
    result_ = 0;
    value_ = 0;
  }

 private:
  Squared first_;
  Squared second_;
  UInt<16> value_;
  UInt<16> result_;
};

/// The same, with a register between.
struct SquaredInTurn {
  struct Inputs {
    UInt<16> value;
  };
  struct Outputs {
    UInt<16> result;
  };
  Outputs outputs() const { return {.result = result_}; }
  void clock(const Inputs& in) {
    const auto first = first_.clock({.value = value_});
    const auto second = second_.clock({.value = between_});
    between_ = first.square;
    result_ = second.square;
    value_ = in.value;
  }
  void reset() {
    first_.reset();
    second_.reset();
    between_ = 0;
    result_ = 0;
    value_ = 0;
  }

 private:
  Squared first_;
  Squared second_;
  UInt<16> value_;
  UInt<16> between_;
  UInt<16> result_;
};

/// Only where `enable` is set: its one bit drives every bit of a register.
template <int kBits>
struct Enabled {
  struct Inputs {
    UInt<1> enable;
    UInt<kBits> value;
  };
  struct Outputs {
    UInt<kBits> value;
  };
  Outputs outputs() const { return {.value = value_}; }
  void clock(const Inputs& in) {
    if (enable_) value_ = next_;
    enable_ = in.enable;
    next_ = in.value;
  }
  void reset() {
    enable_ = 0;
    value_ = 0;
    next_ = 0;
  }

 private:
  UInt<1> enable_;
  UInt<kBits> next_;
  UInt<kBits> value_;
};

/// An element is stored and loaded in one clock, in this order if `kFirst`.
template <bool kFirst>
struct Stored {
  struct Inputs {
    UInt<2> place;
    UInt<16> value;
  };
  struct Outputs {
    UInt<16> total;
  };
  Outputs outputs() const { return {.total = total_}; }
  void clock(const Inputs& in) {
    if (kFirst) elements_[place_.raw()] = truncate<UInt<16>>(value_ * value_);
    total_ = truncate<UInt<16>>(total_ + elements_[from_.raw()]);
    if (!kFirst) elements_[place_.raw()] = truncate<UInt<16>>(value_ * value_);
    from_ = place_;
    place_ = in.place;
    value_ = in.value;
  }
  void reset() {
    total_ = 0;
    from_ = 0;
    place_ = 0;
    value_ = 0;
  }

 private:
  UInt<2> place_;
  UInt<2> from_;
  UInt<16> value_;
  UInt<16> total_;
  UInt<16> elements_[4];
};

/// A block RAM's word goes straight into a sum.
struct Recalled {
  struct Inputs {
    UInt<9> address;
    UInt<16> value;
    UInt<1> write;
  };
  struct Outputs {
    UInt<16> total;
  };
  Outputs outputs() const { return {.total = total_}; }
  void clock(const Inputs& in) {
    const auto word = ram_.clock({.read_enable = 1,
                                  .read_address = in.address,
                                  .write_enable = in.write,
                                  .write_address = in.address,
                                  .write_data = in.value});
    total_ = truncate<UInt<16>>(total_ + word.read_data);
  }
  void reset() { total_ = 0; }

 private:
  Ram<UInt<16>, 512> ram_;
  UInt<16> total_;
};

inline UInt<16> scaled(const UInt<16>& x, const UInt<16>& y) {
  return truncate<UInt<16>>(truncate<UInt<16>>(x * y) * y + x);
}

/// A pipeline of two stages, slower than all around it.
struct Piped {
  struct Inputs {
    UInt<16> x;
    UInt<16> y;
  };
  struct Outputs {
    UInt<16> result;
  };
  Outputs outputs() const { return {.result = scaled_.output()}; }
  void clock(const Inputs& in) { scaled_.clock(in.x, in.y); }
  void reset() {}

 private:
  Pipeline<&scaled, 2> scaled_;
};

/// A thread that multiplies what it took in the state before.
inline Thread multiplied(StreamIn<UInt<16>>& values, UInt<16>& product) {
  product = 1;
  for (;;) {
    const UInt<16> value = co_await values.pop();
    co_await clock();
    product = truncate<UInt<16>>(product * value);
  }
}

}  // namespace systole::tests

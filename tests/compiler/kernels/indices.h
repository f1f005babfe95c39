#pragma once

#include <algorithm>
#include <cstdint>

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// Elements picked by a part of a value that is used whole elsewhere, by fewer bits than the array
/// has, and by 64-bit sums; and what a switch's ways leave behind when some of them return.
struct Indices {
  struct Inputs {
    UInt<9> x;
    UInt<2> y;
    bool last;
  };
  struct Outputs {
    UInt<9> found;
    UInt<13> sum;
    UInt<4> state;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.found = found_, .sum = sum_, .state = state_};
    const UInt<9> low = in.x & UInt<9>(15);
    found_ = truncate<UInt<9>>(words_[low.value()] + low);
    words_[in.y.value()] = in.x;
    sum_ = truncate<UInt<13>>(sum_ + words_[(in.y.value() + (in.x.value() & 7)) & 15]);
    switch (in.y.value()) {
      case 0:
        state_ = UInt<4>(1);
        break;
      case 1:
        if (in.last) return out;
        pair_[bit<0>(in.x) ? 1 : 0] = truncate<UInt<4>>(in.x);
        [[fallthrough]];
      case 2:
        state_ = pair_[slice<1, 1>(in.x).value()];
        if (bit<4>(in.x)) return out;
        break;
      default:
        pair_[slice<2, 2>(in.x).value()] = state_;
    }
    words_[3] = truncate<UInt<9>>(in.x + state_);
    return out;
  }
  void reset() {
    for (int i = 0; i < 16; ++i) words_[i] = UInt<9>(0);
    for (int i = 0; i < 2; ++i) pair_[i] = UInt<4>(0);
    found_ = UInt<9>(0);
    sum_ = UInt<13>(0);
    state_ = UInt<4>(0);
  }

 private:
  UInt<9> words_[16];
  UInt<4> pair_[2];
  UInt<9> found_;
  UInt<13> sum_;
  UInt<4> state_;
};

/// Three registers and which one is written next: a lane's array, picked by the lane's own value;
/// and two whose places in all lanes' array have no carry to add.
struct Shelf {
  struct Inputs {
    UInt<5> x;
    UInt<1> next;
  };
  struct Outputs {
    UInt<5> first;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.first = truncate<UInt<5>>(items_[0] + items_[1] + items_[2] + pair_[1])};
    items_[next_.value()] = in.x;
    if (bit<0>(in.x)) pair_[1] = truncate<UInt<5>>(pair_[0] + pair_[1]);
    pair_[0] = in.x;
    next_ = in.next;
    return out;
  }
  void reset() {
    for (int i = 0; i < 3; ++i) items_[i] = UInt<5>(0);
    for (int i = 0; i < 2; ++i) pair_[i] = UInt<5>(0);
    next_ = UInt<1>(0);
  }

 private:
  UInt<5> items_[3];
  UInt<5> pair_[2];
  UInt<1> next_;
};

struct Shelves {
  struct Inputs {
    UInt<5> x;
    UInt<1> next;
  };
  struct Outputs {
    Vec<UInt<5>, 4> first;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.first = first_};
    for (int i = 0; i < 4; ++i) {
      first_[i] =
          shelves_[i].clock({.x = truncate<UInt<5>>(in.x + first_[i]), .next = in.next}).first;
    }
    return out;
  }
  void reset() {
    for (int i = 0; i < 4; ++i) shelves_[i].reset();
    for (int i = 0; i < 4; ++i) first_[i] = UInt<5>(0);
  }

 private:
  Shelf shelves_[4];
  Vec<UInt<5>, 4> first_;
};

/// Two indices under a bound that says it of fewer bits than the index has. The second is also
/// known to be 4, which the bound excludes: nothing reaches it.
struct BoundedItems {
  enum class Item : std::uint8_t { kFirst = 1, kThird = 3, kFourth = 4 };
  struct Inputs {
    Item item;
    UInt<12> x;
    bool use;
    bool step;
  };
  struct Outputs {
    UInt<12> first;
    UInt<12> shifted;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.first = items_[0], .shifted = shifted_};
    const Item item = in.use ? in.item : Item::kFirst;
    const auto index = UInt<3>::from(static_cast<std::uint64_t>(item));
    if (in.step) {
      for (int i = 0; i < 5; ++i) {
        items_[in.use ? 1 : 0] += index < UInt<3>(3) ? items_[index.value()] : in.x;
      }
      const auto by =
          item == Item::kFourth ? (index < UInt<3>(3) ? items_[index.value()] : UInt<12>(5)) : in.x;
      shifted_ = truncate<UInt<12>>(in.x << truncate<UInt<4>>(by));
    }
    return out;
  }
  void reset() {
    for (int i = 0; i < 3; ++i) items_[i] = UInt<12>(3);
    shifted_ = UInt<12>(0);
  }

 private:
  UInt<12> items_[3];
  UInt<12> shifted_;
};

/// An index that a number of more than 64 bits limits, and one that is computed in many steps, each
/// of which reads the one before twice.
struct LongIndices {
  struct Inputs {
    UInt<6> x;
    UInt<4> place;
  };
  struct Outputs {
    UInt<6> limited;
    UInt<6> mixed;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.limited = limited_, .mixed = mixed_};
    const auto wide = truncate<UInt<96>>(-in.x);
    limited_ = words_[static_cast<int>(std::min(wide, UInt<96>(15)).value())];
    UInt<4> place = in.place;
    for (int i = 0; i < 40; ++i) {
      place = truncate<UInt<4>>((place ^ (place >> UInt<1>(1))) + UInt<4>(1));
    }
    mixed_ = words_[place.value()];
    words_[in.place.value()] = in.x;
    return out;
  }
  void reset() {
    for (auto& word : words_) word = UInt<6>(0);
    limited_ = UInt<6>(0);
    mixed_ = UInt<6>(0);
  }

 private:
  UInt<6> words_[16];
  UInt<6> limited_;
  UInt<6> mixed_;
};

}  // namespace systole::tests

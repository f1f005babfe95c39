#pragma once

#include "systole/hls/stream.h"
#include "tests/rtl/ports.h"
#include "tests/rtl/traffic.h"

namespace systole::tests {

/// A hand-written cell with one stream in and one out, against its C++ twin. Pushes follow no rule:
/// data and valid may change while the cell is not ready.
template <typename VerilatedModel, typename NativeCell, typename Word, int kWords>
struct StreamCellTop {
  using Native = NativeCell;
  using Inputs = typename Native::Inputs;
  using Model = VerilatedModel;

  static void inputs(Model& model, const Inputs& in, auto&& visit) {
    visit("push_valid_i", model.push_valid_i, in.push.valid);
    visit("push_data_i", model.push_data_i, in.push.data);
    visit("pop_ready_i", model.pop_ready_i, in.pop_ready);
  }
  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("push_ready_o", model.push_ready_o, out.push_ready);
    visit("pop_valid_o", model.pop_valid_o, out.pop.valid);
    visit("pop_data_o", model.pop_data_o, out.pop.data);
  }

  struct Stimulus {
    /// Every word is pushed once and leaves; the output of the empty cell is then known, too.
    static constexpr int kPrimeClocks = 2 * kWords + 2;
    void prime(int clock, Inputs& in) {
      in.push.valid = hls::as_bit(clock < 2 * kWords);
      in.pop_ready = hls::UInt1(1);
    }

    Inputs next(Random& random) {
      Inputs in;
      in.push = {.valid = push_.next(random), .data = word(random, Word{})};
      in.pop_ready = pop_.next(random);
      return in;
    }

   private:
    template <int kBits>
    static Word word(Random& random, const hls::UInt<kBits>&) {
      return Word::from(random.bits() << 32 ^ random.bits());
    }
    template <int kBits, int kLanes>
    static Word word(Random& random, const hls::Vec<hls::UInt<kBits>, kLanes>&) {
      Word word;
      for (int n = 0; n < kLanes; ++n) word[n] = hls::UInt<kBits>::from(random.bits());
      return word;
    }

    Traffic push_;
    Traffic pop_;
  };
};

template <typename Model, typename Word, int kDepth>
using FifoTop = StreamCellTop<Model, hls::Fifo<Word, kDepth>, Word, kDepth>;
template <typename Model, typename Word>
using SliceTop = StreamCellTop<Model, hls::RegisterSlice<Word>, Word, 2>;

}  // namespace systole::tests

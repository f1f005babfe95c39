#pragma once

#include "hls/kernels/load_parts.h"

namespace systole::kernels {

/// The phases of LoadPatches, beside it because hlsc names enums outside of templates.
struct LoadPatchesPhases {
  enum class Phase { kPixel, kOffset, kImage, kPatch, kEdges, kLine, kRest };
};

/// Walks over the patches of images (im2col): each patch is a row of load's block, made of a
/// segment for each of its lines, zeros where it reaches over the image's edges.
///
/// Units    places along a line of the image in bytes, so that pixels are multiplied out only where
///          a walk starts
/// Timing   4 clocks to start; two for a patch, one for each of its lines until its row is full,
///          and one where the row continues after the last of them. With kAhead the next patch is
///          placed beside the lines, and a patch of two lines or more takes no clock for itself
/// Limits   a shape is taken between walks
template <bool kAhead = false>
struct LoadPatches {
  /// What one clock of the walk brings.
  struct Step {
    bool may_emit;  ///< what is known early of `emits`
    bool emits;     ///< a segment, whose last_of_block is not set
    bool ends_row;  ///< the last one of a patch
    bool has_bytes;
    LoadSegment segment;
  };

  void take(const LoadPatchesCommand& shape) {
    shape_ = shape;
    line_bytes_ = shape.width * shape.pixel_bytes;
  }

  void start(const LoadCommand& load) {
    phase_ = Phase::kPixel;
    if constexpr (kAhead) is_placed_ = UInt1(0);
    image_ = truncate<Address>(load.address);
    out_x_ = load.out_x;
    out_y_ = load.out_y;
  }

  /// One clock, where a segment can be taken.
  Step step(const LoadBytes& row_bytes, const UInt32& row_stride) {
    Step now{.may_emit = false,
             .emits = false,
             .ends_row = false,
             .has_bytes = false,
             .segment = rest()};
    const Phase phase = phase_;
    const UInt16 low_line = slice<15, 0>(line_bytes_), high_line = slice<31, 16>(line_bytes_);
    const LastPatch last = last_;
    last_ = {.of_line = as_bit(truncate<UInt16>(out_x_ + UInt1(1)) == shape_.out_width),
             .of_image = as_bit(truncate<UInt16>(out_y_ + UInt1(1)) == shape_.out_height)};
    switch (phase_) {
      case Phase::kPixel:
        multiply(low_line, high_line);
        phase_ = Phase::kOffset;
        break;
      case Phase::kOffset:
        low_x_ = slice<15, 0>(x_moved_) * shape_.pixel_bytes;
        high_x_ = slice<19, 16>(x_moved_) * shape_.pixel_bytes;
        // Lines from 2^17 on have no bytes, as no image has so many.
        low_rows_ = slice<16, 0>(y_moved_) * low_line;
        high_rows_ = truncate<UInt<24>>(slice<16, 0>(y_moved_) * high_line);
        y_ = truncate<Pixel>(Pixel(y_moved_) - Pixel(shape_.pad_top));
        row_less_line_ = below(row_bytes, truncate<UInt<22>>(line_bytes_));
        row_less_patch_ = below(row_bytes, UInt<22>(patch_line_bytes_));
        step_down_ = truncate<UInt<36>>(low_down_ + concat(high_down_, UInt16(0)));
        top_bytes_ = truncate<UInt<36>>(low_top_ + concat(high_top_, UInt16(0)));
        phase_ = Phase::kImage;
        break;
      case Phase::kImage:
        top_line_ = truncate<Address>(truncate<Address>(image_ - top_bytes_) +
                                      truncate<Address>(low_rows_ + concat(high_rows_, UInt16(0))));
        place_ = truncate<Place>(Int<33>(low_x_) - Int<21>(left_bytes_) +
                                 Int<38>(concat(high_x_, UInt16(0))));
        phase_ = Phase::kPatch;
        break;
      case Phase::kPatch:
        if constexpr (!kAhead) {
          place_ends();
          start_lines(row_bytes);
          find_next_patch(row_stride, last);
          phase_ = Phase::kEdges;
        }
        break;
      case Phase::kEdges:
        find_edges();
        phase_ = Phase::kLine;
        break;
      case Phase::kLine:
        now = step_line();
        break;
      case Phase::kRest:
        now.may_emit = true;
        now.emits = true;
        now.ends_row = true;
        break;
    }
    if (now.ends_row) phase_ = Phase::kPatch;
    if constexpr (kAhead) {
      const bool is_between = phase == Phase::kPatch || now.ends_row;
      if (is_between && is_placed_) {
        find_edges();
        start_lines(row_bytes);
        find_next_patch(row_stride, last);
        is_placed_ = UInt1(0);
        phase_ = Phase::kLine;
      } else if (is_between || phase == Phase::kLine || phase == Phase::kRest) {
        place_ends();
        is_placed_ = UInt1(1);
      }
    }
    return now;
  }

 private:
  using Phase = LoadPatchesPhases::Phase;
  using LineBytes = UInt<20>;  ///< of up to 15 pixels
  using Pixel = Int<22>;       ///< along one axis of an image, its padding included
  using Place = Int<39>;       ///< of a byte on a line, its padding included
  using Balance = Int<22>;     ///< of a row's bytes and those of its patch

  /// Whether the next patch is the last one. It stays for two steps at least, so this is known a
  /// step late.
  struct LastPatch {
    UInt1 of_line;
    UInt1 of_image;
  };

  LoadPatchesCommand shape_;
  UInt32 line_bytes_;  ///< of a line of the image
  LineBytes patch_line_bytes_;
  LineBytes step_bytes_;  ///< from a patch to the one at its right
  LineBytes left_bytes_;  ///< of the zeros at the left
  UInt<36> step_down_;    ///< bytes from a patch to the one below
  UInt<36> top_bytes_;    ///< of the lines of zeros above

  Phase phase_;

  // The next patch.
  Address image_;
  UInt16 out_x_;
  UInt16 out_y_;
  LastPatch last_;
  // Where the walk starts, without the padding.
  Balance row_less_line_;   ///< a row's bytes less those of a line of the image, less one
  Balance row_less_patch_;  ///< the same for a patch's line
  UInt<20> x_moved_;
  UInt<20> y_moved_;
  UInt<32> low_x_;  ///< bytes at its left, by parts of x_moved_
  UInt<20> high_x_;
  UInt<33> low_rows_;  ///< bytes of the lines above, by halves of a line's bytes
  UInt<24> high_rows_;
  UInt<20> low_down_;  ///< step_down_ and top_bytes_, the same way
  UInt<20> high_down_;
  UInt<20> low_top_;
  UInt<20> high_top_;
  Pixel y_;           ///< of the patch's first line
  Place place_;       ///< of its left end
  Address top_line_;  ///< of the line that its first one lies on

  // This patch, or, from its first line on, the next one.
  UInt1 is_placed_;
  Place left_end_;
  Int<40> right_end_;
  // This patch, and its next line.
  Place first_;       ///< byte of a line that it has, not negative
  LineBytes before_;  ///< zeros left of the image
  LineBytes bytes_;   ///< in the image, if in_columns_
  LineBytes behind_;  ///< zeros right of the image
  UInt1 in_columns_;  ///< a line of it has bytes in the image
  UInt1 in_rows_;     ///< the next line lies on one of the image
  UInt<4> line_number_;
  Pixel line_y_;
  Address line_;
  LoadBytes row_left_;  ///< bytes of the block's row that no segment has
  LineBytes zeros_;     ///< of them, known to come first
  Balance balance_;     ///< row_left_ - zeros_; below 0 where only zeros are left
  // The balance after the next line, less one: below 0 where it ends the row.
  Balance after_bytes_;  ///< of `before_` and `bytes_`
  Balance after_line_;   ///< of all of the line

  /// Products alone, so that their time is a multiplier's.
  void multiply(const UInt16& low_line, const UInt16& high_line) {
    x_moved_ = out_x_ * shape_.stride;
    y_moved_ = out_y_ * shape_.stride;
    patch_line_bytes_ = shape_.kernel_width * shape_.pixel_bytes;
    step_bytes_ = shape_.stride * shape_.pixel_bytes;
    left_bytes_ = shape_.pad_left * shape_.pixel_bytes;
    low_down_ = shape_.stride * low_line;
    high_down_ = shape_.stride * high_line;
    low_top_ = shape_.pad_top * low_line;
    high_top_ = shape_.pad_top * high_line;
  }

  void place_ends() {
    left_end_ = place_;
    right_end_ = place_ + Int<21>(patch_line_bytes_);
  }

  void start_lines(const LoadBytes& row_bytes) {
    line_number_ = UInt<4>(0);
    line_y_ = y_;
    in_rows_ = as_bit(is_row(y_));
    line_ = top_line_;
    row_left_ = row_bytes;
    zeros_ = LineBytes(0);
    balance_ = Balance(row_bytes);
    after_line_ = row_less_patch_;
  }

  /// What each line of the patch has left of the image, in it, and right of it.
  void find_edges() {
    const bool cut_left = left_end_ < Place(0);
    const bool cut_right = right_end_ > Int<40>(line_bytes_);
    const bool outside = right_end_ <= Int<40>(0) || left_end_ >= Place(line_bytes_);
    // Each possible length is there before it is known which one counts.
    const auto to_edge = truncate<LineBytes>(line_bytes_ - truncate<LineBytes>(left_end_));
    const LineBytes from_edge =
        cut_right ? truncate<LineBytes>(line_bytes_) : truncate<LineBytes>(right_end_);
    const LineBytes from_left_end = cut_right ? to_edge : patch_line_bytes_;
    first_ = cut_left ? Place(0) : left_end_;
    before_ = cut_left ? truncate<LineBytes>(Place(0) - left_end_) : LineBytes(0);
    bytes_ = cut_left ? from_edge : from_left_end;
    after_bytes_ = cut_right ? truncate<Balance>(row_less_line_ + truncate<Balance>(left_end_))
                             : row_less_patch_;
    behind_ = cut_right ? truncate<LineBytes>(right_end_ - Int<33>(line_bytes_)) : LineBytes(0);
    in_columns_ = as_bit(!outside);
  }

  /// What the row has after the last line: zeros.
  LoadSegment rest() const {
    return {.zeros = row_left_,
            .bytes = LoadBytes(0),
            .address = line_,
            .last_of_row = UInt1(1),
            .last_of_block = UInt1(0)};
  }

  /// a - b - 1, modulo the balances'.
  static Balance below(const LoadBytes& a, const UInt<22>& b) {
    return truncate<Balance>(Balance(a) + as_signed(~b));
  }

  bool is_row(const Pixel& y) const { return y >= Pixel(0) && y < Pixel(shape_.height); }

  /// The row takes zeros, then bytes of the line, as long as its balance lasts.
  Step step_line() {
    const bool inside = in_columns_ && in_rows_;
    const auto next_y = truncate<Pixel>(line_y_ + Pixel(1));
    const LineBytes before = inside ? before_ : patch_line_bytes_;
    const auto zeros = truncate<LineBytes>(zeros_ + before);
    const auto room = truncate<LoadBytes>(balance_ - Balance(before));
    const bool ends_row = inside ? bit<21>(after_bytes_) : bit<21>(after_line_);
    const bool only_zeros = inside ? balance_ <= Balance(before_) : ends_row;
    const Step now{
        .may_emit = true,
        .emits = inside || ends_row,
        .ends_row = ends_row,
        .has_bytes = inside && !only_zeros,
        .segment = {.zeros = only_zeros ? row_left_ : truncate<LoadBytes>(zeros),
                    .bytes = only_zeros || !inside ? LoadBytes(0)
                             : ends_row            ? room
                                                   : truncate<LoadBytes>(bytes_),
                    .address = truncate<Address>(Int<Address::kWidth + 1>(line_) + first_),
                    .last_of_row = as_bit(ends_row),
                    .last_of_block = UInt1(0)}};
    if (inside) row_left_ = truncate<LoadBytes>(after_bytes_ + Balance(1));
    zeros_ = inside ? behind_ : zeros;
    const Balance line = Balance(patch_line_bytes_);
    balance_ = truncate<Balance>(balance_ - line);
    after_bytes_ = truncate<Balance>(after_bytes_ - line);
    after_line_ = truncate<Balance>(after_line_ - line);
    line_y_ = next_y;
    in_rows_ = as_bit(is_row(next_y));
    line_ = truncate<Address>(line_ + line_bytes_);
    line_number_ = truncate<UInt<4>>(line_number_ + UInt1(1));
    if (line_number_ == shape_.kernel_height) phase_ = Phase::kRest;
    return now;
  }

  void find_next_patch(const UInt32& row_stride, const LastPatch& last) {
    const auto right = truncate<UInt16>(out_x_ + UInt1(1));
    const auto below = truncate<UInt16>(out_y_ + UInt1(1));
    if (!last.of_line) {
      out_x_ = right;
      place_ = truncate<Place>(place_ + Int<21>(step_bytes_));
      return;
    }
    out_x_ = UInt16(0);
    place_ = Int<21>(0) - Int<21>(left_bytes_);
    if (!last.of_image) {
      out_y_ = below;
      y_ = truncate<Pixel>(y_ + Pixel(shape_.stride));
      top_line_ = truncate<Address>(top_line_ + step_down_);
      return;
    }
    const auto image = truncate<Address>(image_ + row_stride);
    out_y_ = UInt16(0);
    y_ = truncate<Pixel>(Pixel(0) - Pixel(shape_.pad_top));
    image_ = image;
    top_line_ = truncate<Address>(image - top_bytes_);
  }
};

}  // namespace systole::kernels

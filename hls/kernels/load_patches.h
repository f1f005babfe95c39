#pragma once

#include "hls/kernels/load_parts.h"

namespace systole::kernels {

/// Walks over the patches of images (im2col): each patch is a row of load's block, made of a
/// segment for each of its lines, zeros where it reaches over the image's edges.
///
/// Units    places along a line of the image in bytes, so that pixels are multiplied out only where
///          a walk starts
/// Timing   3 clocks to start; one clock for a patch, one for each of its lines until its row is
///          full, and one where the row goes on behind the last of them
/// Limits   a shape is taken between walks
struct LoadPatches {
  /// What one clock of the walk brings.
  struct Step {
    bool emits;     ///< a segment, whose last_of_block is not set
    bool ends_row;  ///< the last one of a patch
    LoadSegment segment;
  };

  void take(const LoadPatchesCommand& shape) {
    shape_ = shape;
    line_bytes_ = shape.width * shape.pixel_bytes;
  }

  void start(const LoadCommand& load) {
    phase_ = Phase::kPixel;
    image_ = load.address;
    out_x_ = load.out_x;
    out_y_ = load.out_y;
  }

  /// One clock, where a segment can be taken.
  Step step(const LoadBytes& row_bytes, const UInt32& row_stride) {
    Step now{.emits = false, .ends_row = false, .segment = {}};
    if (phase_ == Phase::kPixel) {
      find_pixel();
      phase_ = Phase::kPlace;
    } else if (phase_ == Phase::kPlace) {
      find_place();
      phase_ = Phase::kColumn;
    } else if (phase_ == Phase::kColumn) {
      find_column(row_bytes);
      phase_ = Phase::kLine;
    } else if (phase_ == Phase::kLine) {
      now = step_line();
    } else {
      now = {.emits = true,
             .ends_row = true,
             .segment = {.zeros = row_left_,
                         .bytes = LoadBytes(0),
                         .address = line_,
                         .last_of_row = UInt1(1),
                         .last_of_block = UInt1(0)}};
    }
    if (now.ends_row) {
      next_patch(row_stride);
      phase_ = Phase::kColumn;
    }
    return now;
  }

 private:
  enum class Phase { kPixel, kPlace, kColumn, kLine, kRest };
  using LineBytes = UInt<20>;  ///< of up to 15 pixels
  using Pixel = Int<22>;       ///< along one axis of an image, its padding included
  using Place = Int<39>;       ///< of a byte on a line, its padding included

  LoadPatchesCommand shape_;
  UInt32 line_bytes_;  ///< of a line of the image
  LineBytes patch_line_bytes_;
  LineBytes step_bytes_;  ///< from a patch to the one at its right
  LineBytes left_bytes_;  ///< of the zeros at the left
  UInt<36> step_down_;    ///< bytes from a patch to the one below
  UInt<36> top_bytes_;    ///< of the lines of zeros above

  Phase phase_;
  Address image_;
  UInt16 out_x_;
  UInt16 out_y_;
  Pixel x_;           ///< of the first patch's left end
  Pixel y_;           ///< of the patch's first line
  Place place_;       ///< of its left end
  Address top_line_;  ///< of the line that its first one lies on

  UInt<4> line_number_;  ///< in the patch
  Pixel line_y_;
  Address line_;
  LineBytes before_;  ///< zeros left of the image on each line
  LineBytes bytes_;
  LineBytes behind_;
  Place first_;         ///< byte of the line, not negative
  LoadBytes row_left_;  ///< bytes of the block's row that no segment has
  LoadBytes zeros_;     ///< of them, known to come first

  void find_pixel() {
    x_ = truncate<Pixel>(Pixel(out_x_ * shape_.stride) - Pixel(shape_.pad_left));
    y_ = truncate<Pixel>(Pixel(out_y_ * shape_.stride) - Pixel(shape_.pad_top));
    patch_line_bytes_ = shape_.kernel_width * shape_.pixel_bytes;
    step_bytes_ = shape_.stride * shape_.pixel_bytes;
    left_bytes_ = shape_.pad_left * shape_.pixel_bytes;
    step_down_ = shape_.stride * line_bytes_;
    top_bytes_ = shape_.pad_top * line_bytes_;
  }

  void find_place() {
    place_ = x_ * Int<17>(shape_.pixel_bytes);
    top_line_ = truncate<Address>(Int<41>(image_) + y_ * Int<33>(line_bytes_));
  }

  /// Where a patch lies on its lines, and its first line.
  void find_column(const LoadBytes& row_bytes) {
    const Int<40> end = place_ + Int<21>(patch_line_bytes_);
    const bool cut_left = place_ < Place(0);
    const bool outside = end <= Int<40>(0) || place_ >= Place(line_bytes_);
    const bool cut_right = end > Int<40>(line_bytes_);
    const Place first = cut_left ? Place(0) : place_;
    const auto last = cut_right ? line_bytes_ : truncate<UInt32>(end);
    first_ = first;
    before_ = cut_left ? truncate<LineBytes>(Place(0) - place_) : LineBytes(0);
    bytes_ = outside ? LineBytes(0) : truncate<LineBytes>(Int<33>(last) - first);
    behind_ = cut_right ? truncate<LineBytes>(end - Int<33>(line_bytes_)) : LineBytes(0);
    line_number_ = UInt<4>(0);
    line_y_ = y_;
    line_ = top_line_;
    row_left_ = row_bytes;
    zeros_ = LoadBytes(0);
  }

  Step step_line() {
    const bool inside =
        line_y_ >= Pixel(0) && line_y_ < Pixel(shape_.height) && bytes_ != LineBytes(0);
    const auto all_zeros = zeros_ + (inside ? before_ : patch_line_bytes_);
    const LoadBytes zeros = all_zeros < row_left_ ? truncate<LoadBytes>(all_zeros) : row_left_;
    const auto room = truncate<LoadBytes>(row_left_ - zeros);
    const LoadBytes wanted = !inside         ? LoadBytes(0)
                             : bytes_ < room ? truncate<LoadBytes>(bytes_)
                                             : room;
    const auto left = truncate<LoadBytes>(room - wanted);
    const bool ends_row = left == 0;
    const bool emits = wanted != 0 || ends_row;
    const Step now{.emits = emits,
                   .ends_row = ends_row,
                   .segment = {.zeros = zeros,
                               .bytes = wanted,
                               .address = truncate<Address>(Int<41>(line_) + first_),
                               .last_of_row = as_bit(ends_row),
                               .last_of_block = UInt1(0)}};
    if (emits) {
      row_left_ = left;
      zeros_ = behind_ < left ? truncate<LoadBytes>(behind_) : left;
    } else {
      zeros_ = zeros;
    }
    line_y_ = truncate<Pixel>(line_y_ + Pixel(1));
    line_ = truncate<Address>(line_ + line_bytes_);
    line_number_ = truncate<UInt<4>>(line_number_ + UInt1(1));
    if (line_number_ == shape_.kernel_height) phase_ = Phase::kRest;
    return now;
  }

  void next_patch(const UInt32& row_stride) {
    const auto right = truncate<UInt16>(out_x_ + UInt1(1));
    const auto below = truncate<UInt16>(out_y_ + UInt1(1));
    if (right != shape_.out_width) {
      out_x_ = right;
      place_ = truncate<Place>(place_ + Int<21>(step_bytes_));
      return;
    }
    out_x_ = UInt16(0);
    place_ = Int<21>(0) - Int<21>(left_bytes_);
    if (below != shape_.out_height) {
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

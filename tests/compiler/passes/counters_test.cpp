// merge_counters: a nest of 5 x 7 that became one loop, with an address and a counter that it does
// not need.

#include <catch2/catch.hpp>

#include "hls/compiler/loops/merge_counters.h"
#include "tests/compiler/passes/ir.h"

namespace systole::tests {
namespace {

/// `step` goes to %other in each row's last iteration; the loop ends at `end`.
std::string nest(const std::string& step, const std::string& end) {
  return R"(
declare i8 @hls.memory_read.i8_32_6(i32, i6)
declare i8 @hls.memory_read.i8_32_8(i32, i8)
define void @f() {
entry:
  br label %loop
loop:
  %row = phi i3 [ 0, %entry ], [ %row_next, %loop ]
  %column = phi i3 [ 0, %entry ], [ %column_next, %loop ]
  %other = phi i8 [ 0, %entry ], [ %other_next, %loop ]
  %wide_row = zext i3 %row to i6
  %wide_column = zext i3 %column to i6
  %start = mul i6 %wide_row, 7
  %place = add i6 %start, %wide_column
  %word = call i8 @hls.memory_read.i8_32_6(i32 0, i6 %place)
  %more = call i8 @hls.memory_read.i8_32_8(i32 1, i8 %other)
  %right = add i3 %column, 1
  %turns = icmp eq i3 %right, 7
  %column_next = select i1 %turns, i3 0, i3 %right
  %below = add i3 %row, 1
  %row_next = select i1 %turns, i3 %below, i3 %row
  %step = )" +
         step + R"(
  %other_next = select i1 %turns, i8 %step, i8 %other
  %ends = )" +
         end + R"(
  br i1 %ends, label %out, label %loop
out:
  ret void
}
)";
}

std::string merged(const std::string& step, const std::string& end) {
  Ir ir(nest(step, end));
  compiler::merge_counters(ir.function());
  return ir.body();
}

bool says(const std::string& body, const std::string& text) {
  return body.find(text) != std::string::npos;
}

const std::string kAfterFiveRows = "icmp eq i3 %row_next, 5";

TEST_CASE("a counter that is another one moved up is that one") {
  const std::string body = merged("add i8 %other, 4", kAfterFiveRows);
  INFO(body);
  CHECK_FALSE(says(body, "%other = phi"));
  CHECK(says(body, "zext i3 %row to i8"));
  CHECK(says(body, "shl i8 %"));
}

TEST_CASE("a counter that is no other one in some iteration stays") {
  CHECK(says(merged("add i8 %other, 3", kAfterFiveRows), "%other = phi"));
  // 0, 4, 8, 12, and then 17
  const std::string fifth = "add i8 %other, %late\n";
  const std::string text = nest(fifth, kAfterFiveRows);
  const std::string before = "  %step = ";
  std::string late = text;
  late.insert(late.find(before),
              "  %is_late = icmp eq i3 %row, 3\n  %late = select i1 %is_late, i8 5, i8 4\n");
  Ir ir(late);
  compiler::merge_counters(ir.function());
  CHECK(says(ir.body(), "%other = phi"));
}

TEST_CASE("an address that grows by one step has a counter of its own") {
  const std::string body = merged("add i8 %other, 4", kAfterFiveRows);
  INFO(body);
  CHECK(says(body, "%at = phi i6 [ 0, %entry ]"));
  CHECK(says(body, "@hls.memory_read.i8_32_6(i32 0, i6 %at)"));
}

TEST_CASE("a loop whose length depends on data keeps its counters") {
  const std::string body = merged("add i8 %other, 4", "icmp eq i8 %word, 5");
  INFO(body);
  CHECK(says(body, "%other = phi"));
  CHECK_FALSE(says(body, "%at = phi"));
}

}  // namespace
}  // namespace systole::tests

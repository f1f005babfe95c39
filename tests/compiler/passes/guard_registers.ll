; module
; ---- computes what a register needs alone where it changes
define void @f(i1 %c, i8 %a, i8 %b) {
  %own = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
  %sum = add i8 %a, %b
  %value = select i1 %c, i8 %sum, i8 %own
  call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %value)
  ret void
}
; becomes
;   %own = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
;   br i1 %c, label %1, label %2
;   1:
;   %sum = add i8 %a, %b
;   call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %sum)
;   br label %3
;   2:
;   br label %3
;   3:
;   ret void
; ---- leaves what two branches need before them
define void @f(i1 %c, i1 %d, i8 %a, i8 %b) {
  %own = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
  %other = call i8 @hls.read_register.i8_32_64(i32 1, i64 0)
  %sum = add i8 %a, %b
  %first = select i1 %c, i8 %sum, i8 %own
  %second = select i1 %d, i8 %sum, i8 %other
  call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %first)
  call void @hls.write_register._32_64_8(i32 1, i64 0, i8 %second)
  ret void
}
; becomes
;   %own = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
;   %other = call i8 @hls.read_register.i8_32_64(i32 1, i64 0)
;   %sum = add i8 %a, %b
;   br i1 %c, label %1, label %2
;   1:
;   call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %sum)
;   br label %3
;   2:
;   br label %3
;   3:
;   br i1 %d, label %4, label %5
;   4:
;   call void @hls.write_register._32_64_8(i32 1, i64 0, i8 %sum)
;   br label %6
;   5:
;   br label %6
;   6:
;   ret void
; ---- tests a condition that registers share once, around their own conditions
define void @f(i1 %c, i1 %d, i1 %e, i8 %a, i8 %b) {
  %own = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
  %other = call i8 @hls.read_register.i8_32_64(i32 1, i64 0)
  %both = and i1 %c, %d
  %also = and i1 %c, %e
  %first = select i1 %both, i8 %a, i8 %own
  %second = select i1 %also, i8 %b, i8 %other
  call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %first)
  call void @hls.write_register._32_64_8(i32 1, i64 0, i8 %second)
  ret void
}
; becomes
;   %own = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
;   %other = call i8 @hls.read_register.i8_32_64(i32 1, i64 0)
;   br i1 %c, label %1, label %8
;   1:
;   br i1 %d, label %2, label %3
;   2:
;   call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %a)
;   br label %4
;   3:
;   br label %4
;   4:
;   br i1 %e, label %5, label %6
;   5:
;   call void @hls.write_register._32_64_8(i32 1, i64 0, i8 %b)
;   br label %7
;   6:
;   br label %7
;   7:
;   br label %9
;   8:
;   br label %9
;   9:
;   ret void
; ---- leaves a choice between two new values that cost nothing
define void @f(i1 %c, i8 %a, i8 %b) {
  %value = select i1 %c, i8 %a, i8 %b
  call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %value)
  ret void
}
; becomes
;   %value = select i1 %c, i8 %a, i8 %b
;   call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %value)
;   ret void

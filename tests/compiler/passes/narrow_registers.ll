; thread
; ---- keeps of a register the bits that a state uses
define void @f(i8 %x) {
  %own = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
  %low = trunc i8 %own to i3
  %shown = zext i3 %low to i8
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %shown)
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %x)
  call void @hls.store._32_64_1(i32 2, i64 0, i1 0)
  ret void
}
define void @reset() {
  call void @hls.store._32_64_8(i32 0, i64 0, i8 0)
  call void @hls.store._32_64_1(i32 2, i64 0, i1 0)
  ret void
}
; becomes
;   @f
;   %1 = call i3 @hls.read_register.i3_32_64(i32 0, i64 0)
;   %2 = zext i3 %1 to i8
;   %3 = shl i8 %2, 0
;   %low = trunc i8 %3 to i3
;   %shown = zext i3 %low to i8
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %shown)
;   %4 = lshr i8 %x, 0
;   %5 = trunc i8 %4 to i3
;   call void @hls.store._32_64_3(i32 0, i64 0, i3 %5)
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 false)
;   ret void
;   @reset
;   call void @hls.store._32_64_3(i32 0, i64 0, i3 0)
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 false)
;   ret void

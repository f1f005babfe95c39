; module
; ---- keeps the bits that the array needs
define void @f(i8 %x) {
  %y = zext i8 %x to i64
  %i = and i64 %y, 3
  %v = call i8 @hls.load.i8_32_64(i32 1, i64 %i)
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %v)
  ret void
}
; becomes
;   %y = zext i8 %x to i64
;   %i = and i64 %y, 3
;   %1 = trunc i64 %i to i3
;   %2 = zext i3 %1 to i64
;   %v = call i8 @hls.load.i8_32_64(i32 1, i64 %2)
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %v)
;   ret void

; ---- computes only the bits that are used
define void @f() {
  %a = call i8 @hls.read_port.i8_32_64(i32 0, i64 0)
  %b = call i8 @hls.read_port.i8_32_64(i32 1, i64 0)
  %c = zext i8 %a to i64
  %d = zext i8 %b to i64
  %sum = add i64 %c, %d
  %y = trunc i64 %sum to i8
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %y)
  ret void
}
; becomes
;   %a = call i8 @hls.read_port.i8_32_64(i32 0, i64 0)
;   %b = call i8 @hls.read_port.i8_32_64(i32 1, i64 0)
;   %1 = add i8 %a, %b
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %1)
;   ret void
; ---- reads a test of one masked bit as that bit
define i1 @f(i29 %x) {
  %m = and i29 %x, 16
  %n = icmp ne i29 %m, 0
  ret i1 %n
}
; becomes
;   %m = and i29 %x, 16
;   %1 = lshr i29 %x, 4
;   %n = trunc i29 %1 to i1
;   ret i1 %n
; ---- refuses a value that is none
define i8 @f(i8 %x) {
  %y = add i8 %x, undef
  ret i8 %y
}
; refused: has no value

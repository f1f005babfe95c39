; ---- adds what has the same factor first, in the bits that it has
define i27 @f(i12 %x, i12 %y, i27 %t) {
  %a = sext i12 %x to i27
  %b = mul i27 %a, 1433
  %c = add i27 %b, %t
  %d = sext i12 %y to i27
  %e = mul i27 %d, 1433
  %r = add i27 %c, %e
  ret i27 %r
}
; becomes
;   %1 = sext i12 %x to i13
;   %2 = sext i12 %y to i13
;   %3 = add i13 %1, %2
;   %4 = sext i13 %3 to i27
;   %5 = mul i27 %4, 1433
;   %r = add i27 %5, %t
;   ret i27 %r
; ---- shifts count as factors, and three terms become one
define i32 @f(i8 %x, i8 %y, i8 %z) {
  %a = zext i8 %x to i32
  %b = shl i32 %a, 9
  %c = zext i8 %y to i32
  %d = shl i32 %c, 9
  %e = zext i8 %z to i32
  %g = shl i32 %e, 9
  %h = add i32 %b, %d
  %r = add i32 %h, %g
  ret i32 %r
}
; becomes
;   %1 = zext i8 %x to i9
;   %2 = zext i8 %y to i9
;   %3 = add i9 %1, %2
;   %4 = zext i9 %3 to i32
;   %5 = zext i9 %3 to i10
;   %6 = zext i8 %z to i10
;   %7 = add i10 %5, %6
;   %8 = zext i10 %7 to i32
;   %r = shl i32 %8, 9
;   ret i32 %r
; ---- adds whole words that are no extensions, or of both kinds
define i16 @f(i16 %x, i16 %y, i8 %z) {
  %a = mul i16 %x, -3
  %b = mul i16 %y, -3
  %c = sext i8 %z to i16
  %d = mul i16 %c, -3
  %e = add i16 %a, %b
  %r = add i16 %e, %d
  ret i16 %r
}
; becomes
;   %c = sext i8 %z to i16
;   %1 = add i16 %x, %y
;   %2 = add i16 %1, %c
;   %r = mul i16 %2, -3
;   ret i16 %r
; ---- leaves a product that something else needs, and other factors
define i8 @f(i8 %x, i8 %y) {
  %a = mul i8 %x, 5
  %b = mul i8 %y, 5
  %c = mul i8 %x, 7
  %d = add i8 %a, %b
  %e = add i8 %d, %c
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %b)
  ret i8 %e
}
; becomes
;   %a = mul i8 %x, 5
;   %b = mul i8 %y, 5
;   %c = mul i8 %x, 7
;   %d = add i8 %a, %b
;   %e = add i8 %d, %c
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %b)
;   ret i8 %e

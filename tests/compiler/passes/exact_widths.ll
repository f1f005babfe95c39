; ---- reads and writes a 28-bit integer with 28 bits
define void @f(ptr %p, ptr %q) {
  %wide = load i32, ptr %p
  %x = trunc i32 %wide to i28
  %storedv = zext i28 %x to i32
  store i32 %storedv, ptr %q
  ret void
}
; becomes
;   %x = load i28, ptr %p, align 4
;   store i28 %x, ptr %q, align 4
;   ret void
; ---- keeps an access whose other bits are used
define i32 @f(ptr %p) {
  %wide = load i32, ptr %p
  %x = trunc i32 %wide to i28
  %y = sext i28 %x to i32
  %z = add i32 %y, %wide
  ret i32 %z
}
; becomes
;   %wide = load i32, ptr %p, align 4
;   %x = trunc i32 %wide to i28
;   %y = sext i28 %x to i32
;   %z = add i32 %y, %wide
;   ret i32 %z

; ---- inlines every function into the roots
define i8 @marked(i8 %x) {
  %y = add i8 %x, 1
  ret i8 %y
}
define i8 @f(i8 %x) {
  %a = call i8 @marked(i8 %x)
  ret i8 %a
}
; becomes
;   %y.i = add i8 %x, 1
;   ret i8 %y.i
; ---- refuses what has no hardware
define i8 @f(ptr %p) {
  %x = load volatile i8, ptr %p
  ret i8 %x
}
; refused: volatile

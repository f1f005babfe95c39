; ---- inlines a call that no pass could inline before
define i8 @leaf(i8 %x) {
  ret i8 %x
}
define i8 @f(i8 %x) {
  %a = call i8 @leaf(i8 %x)
  ret i8 %a
}
; becomes
;   ret i8 %x
; ---- refuses recursion
define i8 @loop(i8 %x) {
  %y = call i8 @loop(i8 %x)
  ret i8 %y
}
define i8 @f(i8 %x) {
  %b = call i8 @loop(i8 %x)
  ret i8 %b
}
; refused: recursion has no hardware
; ---- refuses a loop without an end
define void @f() {
entry:
  br label %a
a:
  br label %a
}
; refused: this loop never ends

; ---- takes the element that a constant index names
declare i8 @pick.table.i8_64_8_8(i64, i8, i8)
define i8 @f(i8 %a, i8 %b) {
  %x = call i8 @pick.table.i8_64_8_8(i64 1, i8 %a, i8 %b)
  ret i8 %x
}
; becomes
;   ret i8 %b

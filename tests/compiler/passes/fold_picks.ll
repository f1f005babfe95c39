; ---- takes the element that a constant index names
declare i8 @pick.table.i8_64_8_8(i64, i8, i8)
define i8 @f(i8 %a, i8 %b) {
  %x = call i8 @pick.table.i8_64_8_8(i64 1, i8 %a, i8 %b)
  ret i8 %x
}
; becomes
;   ret i8 %b
; ---- and what is constant then
declare i1 @pick.table.i1_64_1_1(i64, i1, i1)
define i1 @f(i4 %a) {
  %x = call i1 @pick.table.i1_64_1_1(i64 1, i1 true, i1 false)
  %wide = zext i1 %x to i4
  %least = icmp uge i4 %a, %wide
  ret i1 %least
}
; becomes
;   ret i1 true
; ---- and the element that such an element names
declare i1 @pick.table.i1_64_1_1(i64, i1, i1)
declare i8 @pick.table.i8_1_8_8(i1, i8, i8)
define i8 @f(i8 %a, i8 %b) {
  %first = call i1 @pick.table.i1_64_1_1(i64 0, i1 true, i1 false)
  %x = call i8 @pick.table.i8_1_8_8(i1 %first, i8 %a, i8 %b)
  ret i8 %x
}
; becomes
;   ret i8 %b

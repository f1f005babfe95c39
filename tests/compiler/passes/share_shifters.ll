; ---- one shifter of a bit more
define i8 @f(i8 %x, i3 %n, i1 %signed) {
  %by = zext i3 %n to i8
  %a = ashr i8 %x, %by
  %l = lshr i8 %x, %by
  %r = select i1 %signed, i8 %a, i8 %l
  ret i8 %r
}
; becomes
;   %by = zext i3 %n to i8
;   %1 = lshr i8 %x, 7
;   %2 = trunc i8 %1 to i1
;   %3 = and i1 %signed, %2
;   %4 = zext i1 %3 to i9
;   %5 = shl i9 %4, 8
;   %6 = zext i8 %x to i9
;   %7 = or disjoint i9 %5, %6
;   %8 = zext i8 %by to i9
;   %9 = ashr i9 %7, %8
;   %l = trunc i9 %9 to i8
;   ret i8 %l
; ---- a switch's ways exclude each other; the comparison is made first
define i8 @f(i8 %x, i8 %by, i2 %kind) {
  %l = lshr i8 %x, %by
  %a = ashr i8 %x, %by
  %is1 = icmp eq i2 %kind, 1
  %is2 = icmp eq i2 %kind, -2
  %not = xor i8 %l, -1
  %rest = select i1 %is2, i8 %a, i8 %not
  %r = select i1 %is1, i8 %l, i8 %rest
  ret i8 %r
}
; becomes
;   %is2 = icmp eq i2 %kind, -2
;   %1 = lshr i8 %x, 7
;   %2 = trunc i8 %1 to i1
;   %3 = and i1 %is2, %2
;   %4 = zext i1 %3 to i9
;   %5 = shl i9 %4, 8
;   %6 = zext i8 %x to i9
;   %7 = or disjoint i9 %5, %6
;   %8 = zext i8 %by to i9
;   %9 = ashr i9 %7, %8
;   %l = trunc i9 %9 to i8
;   %is1 = icmp eq i2 %kind, 1
;   %not = xor i8 %l, -1
;   %rest = select i1 %is2, i8 %l, i8 %not
;   %r = select i1 %is1, i8 %l, i8 %rest
;   ret i8 %r
; ---- two shifters where both results are used at once, or may be
define i8 @f(i8 %x, i8 %by, i1 %signed, i1 %other) {
  %l = lshr i8 %x, %by
  %a = ashr i8 %x, %by
  %rest = select i1 %signed, i8 %a, i8 0
  %r = select i1 %other, i8 %l, i8 %rest
  ret i8 %r
}
; becomes
;   %l = lshr i8 %x, %by
;   %a = ashr i8 %x, %by
;   %rest = select i1 %signed, i8 %a, i8 0
;   %r = select i1 %other, i8 %l, i8 %rest
;   ret i8 %r
; ---- a shift by a constant costs nothing
define i8 @f(i8 %x, i1 %signed) {
  %l = lshr i8 %x, 3
  %a = ashr i8 %x, 3
  %r = select i1 %signed, i8 %a, i8 %l
  ret i8 %r
}
; becomes
;   %l = lshr i8 %x, 3
;   %a = ashr i8 %x, 3
;   %r = select i1 %signed, i8 %a, i8 %l
;   ret i8 %r

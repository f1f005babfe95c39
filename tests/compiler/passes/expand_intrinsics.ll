; ---- writes a count of ones out
declare i2 @llvm.ctpop.i2(i2)
define i2 @f(i2 %x) {
  %n = call i2 @llvm.ctpop.i2(i2 %x)
  ret i2 %n
}
; becomes
;   %1 = lshr i2 %x, 0
;   %2 = trunc i2 %1 to i1
;   %3 = zext i1 %2 to i2
;   %4 = add i2 0, %3
;   %5 = lshr i2 %x, 1
;   %6 = trunc i2 %5 to i1
;   %7 = zext i1 %6 to i2
;   %n = add i2 %4, %7
;   ret i2 %n
; ---- writes a count of zeros out
declare i2 @llvm.ctlz.i2(i2, i1)
define i2 @f(i2 %x) {
  %n = call i2 @llvm.ctlz.i2(i2 %x, i1 false)
  ret i2 %n
}
; becomes
;   %1 = lshr i2 %x, 0
;   %2 = trunc i2 %1 to i1
;   %3 = select i1 %2, i2 1, i2 -2
;   %4 = lshr i2 %x, 1
;   %5 = trunc i2 %4 to i1
;   %n = select i1 %5, i2 0, i2 %3
;   ret i2 %n
; ---- writes a three-way comparison out
declare i2 @llvm.ucmp.i2.i8(i8, i8)
define i2 @f(i8 %x, i8 %y) {
  %n = call i2 @llvm.ucmp.i2.i8(i8 %x, i8 %y)
  ret i2 %n
}
; becomes
;   %1 = icmp ult i8 %x, %y
;   %2 = icmp eq i8 %x, %y
;   %3 = select i1 %2, i2 0, i2 1
;   %n = select i1 %1, i2 -1, i2 %3
;   ret i2 %n
; ---- writes a saturating sum out
declare i8 @llvm.uadd.sat.i8(i8, i8)
define i8 @f(i8 %x, i8 %y) {
  %n = call i8 @llvm.uadd.sat.i8(i8 %x, i8 %y)
  ret i8 %n
}
; becomes
;   %1 = add i8 %x, %y
;   %2 = icmp ult i8 %1, %x
;   %n = select i1 %2, i8 -1, i8 %1
;   ret i8 %n
; ---- writes the larger of two values out
declare i8 @llvm.umax.i8(i8, i8)
define i8 @f(i8 %x, i8 %y) {
  %n = call i8 @llvm.umax.i8(i8 %x, i8 %y)
  ret i8 %n
}
; becomes
;   %1 = icmp ugt i8 %x, %y
;   %n = select i1 %1, i8 %x, i8 %y
;   ret i8 %n
; ---- writes an absolute value out
declare i8 @llvm.abs.i8(i8, i1)
define i8 @f(i8 %x) {
  %n = call i8 @llvm.abs.i8(i8 %x, i1 false)
  ret i8 %n
}
; becomes
;   %1 = lshr i8 %x, 7
;   %2 = trunc i8 %1 to i1
;   %3 = sub i8 0, %x
;   %n = select i1 %2, i8 %3, i8 %x
;   ret i8 %n
; ---- writes a saturating difference out
declare i8 @llvm.usub.sat.i8(i8, i8)
define i8 @f(i8 %x, i8 %y) {
  %n = call i8 @llvm.usub.sat.i8(i8 %x, i8 %y)
  ret i8 %n
}
; becomes
;   %1 = sub i8 %x, %y
;   %2 = icmp ugt i8 %x, %y
;   %n = select i1 %2, i8 %1, i8 0
;   ret i8 %n
; ---- writes a rotation by a constant out as wires
declare i8 @llvm.fshl.i8(i8, i8, i8)
define i8 @f(i8 %x) {
  %n = call i8 @llvm.fshl.i8(i8 %x, i8 %x, i8 3)
  ret i8 %n
}
; becomes
;   %1 = shl i8 %x, 3
;   %2 = lshr i8 %x, 5
;   %n = or disjoint i8 %1, %2
;   ret i8 %n
; ---- writes swapped bytes out as wires
declare i16 @llvm.bswap.i16(i16)
define i16 @f(i16 %x) {
  %n = call i16 @llvm.bswap.i16(i16 %x)
  ret i16 %n
}
; becomes
;   %1 = lshr i16 %x, 0
;   %2 = trunc i16 %1 to i8
;   %3 = zext i8 %2 to i16
;   %4 = shl i16 %3, 8
;   %5 = lshr i16 %x, 8
;   %6 = trunc i16 %5 to i8
;   %7 = zext i8 %6 to i16
;   %8 = shl i16 %7, 0
;   %n = or disjoint i16 %4, %8
;   ret i16 %n
; ---- writes a division by a constant out
define i9 @f(i9 %x) {
  %n = udiv i9 %x, 7
  ret i9 %n
}
; becomes
;   %1 = zext i9 %x to i19
;   %2 = mul i19 %1, 586
;   %3 = lshr i19 %2, 12
;   %4 = trunc i19 %3 to i10
;   %n = trunc i10 %4 to i9
;   ret i9 %n
; ---- writes a remainder of all ones out
define i9 @f(i9 %x) {
  %n = urem i9 %x, 511
  ret i9 %n
}
; becomes
;   %1 = zext i9 %x to i19
;   %2 = mul i19 %1, 514
;   %3 = lshr i19 %2, 18
;   %4 = trunc i19 %3 to i10
;   %5 = mul i10 %4, 511
;   %6 = zext i9 %x to i10
;   %7 = sub i10 %6, %5
;   %n = trunc i10 %7 to i9
;   ret i9 %n
; ---- writes a division by a negative power of two out
define i9 @f(i9 %x) {
  %n = sdiv i9 %x, -4
  ret i9 %n
}
; becomes
;   %1 = icmp slt i9 %x, 0
;   %2 = sub i9 0, %x
;   %3 = select i1 %1, i9 %2, i9 %x
;   %4 = lshr i9 %3, 2
;   %5 = xor i1 %1, true
;   %6 = sub i9 0, %4
;   %n = select i1 %5, i9 %6, i9 %4
;   ret i9 %n
; ---- leaves a division by a variable
define i9 @f(i9 %x, i9 %y) {
  %n = udiv i9 %x, %y
  ret i9 %n
}
; becomes
;   %n = udiv i9 %x, %y
;   ret i9 %n

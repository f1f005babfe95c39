; ---- removes what has no use and what is computed twice
define i8 @f(i8 %a, i8 %b) {
  %unused = xor i8 %a, %b
  %first = add i8 %a, %b
  %again = add i8 %a, %b
  %both = and i8 %first, %again
  ret i8 %both
}
; becomes
;   %first = add i8 %a, %b
;   ret i8 %first
; ---- leaves no switch
define i8 @f(i2 %x, i8 %a, i8 %b) {
entry:
  switch i2 %x, label %other [ i2 0, label %one i2 1, label %two ]
one:
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %a)
  br label %other
two:
  call void @hls.store._32_64_8(i32 0, i64 1, i8 %b)
  br label %other
other:
  ret i8 %a
}
; becomes
;   entry:
;   %0 = icmp eq i2 %x, 0
;   br i1 %0, label %one, label %case
;   case:
;   %1 = icmp eq i2 %x, 1
;   br i1 %1, label %two, label %other
;   one:
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 %a)
;   br label %other
;   two:
;   call void @hls.store._32_64_8(i32 0, i64 1, i8 %b)
;   br label %other
;   other:
;   ret i8 %a
; ---- makes zero of wires that pick none but zeros
define i1 @f(i31 %x, i3 %low) {
  %shifted = shl i31 %x, 20
  %moved = lshr i31 %shifted, 3
  %part = trunc i31 %moved to i3
  %below = icmp ult i3 %low, %part
  ret i1 %below
}
; becomes
;   ret i1 false
; ---- takes the other way where one has no value, whatever computes it
define i3 @f(i32 %x) {
  %none = icmp eq i32 %x, 0
  %zeros = call i32 @llvm.ctlz.i32(i32 %x, i1 true)
  %cut = trunc i32 %zeros to i3
  %chosen = select i1 %none, i3 undef, i3 %cut
  ret i3 %chosen
}
declare i32 @llvm.ctlz.i32(i32, i1)
; becomes
;   %zeros = call i32 @llvm.ctlz.i32(i32 %x, i1 true)
;   %cut = trunc i32 %zeros to i3
;   ret i3 %cut

; ---- leaves branches with two ways only
define i8 @f(i8 %x) {
entry:
  switch i8 %x, label %other [ i8 0, label %zero i8 7, label %seven ]
zero:
  ret i8 1
seven:
  ret i8 2
other:
  ret i8 3
}
; becomes
;   entry:
;   %0 = icmp eq i8 %x, 0
;   br i1 %0, label %zero, label %case
;   case:
;   %1 = icmp eq i8 %x, 7
;   br i1 %1, label %seven, label %other
;   zero:
;   ret i8 1
;   seven:
;   ret i8 2
;   other:
;   ret i8 3

; ---- turns branches into choices in one block
define i8 @f(i1 %c, i8 %a, i8 %b) {
entry:
  br i1 %c, label %then, label %else
then:
  %sum = add i8 %a, 1
  br label %join
else:
  br label %join
join:
  %x = phi i8 [ %sum, %then ], [ %b, %else ]
  ret i8 %x
}
; becomes
;   flat:
;   %sum = add i8 %a, 1
;   %x = select i1 %c, i8 %sum, i8 %b
;   ret i8 %x
; ---- leaves one block as it is
define i8 @f(i8 %a) {
  ret i8 %a
}
; becomes
;   ret i8 %a
; ---- refuses a loop that is left
define i8 @f(i8 %n) {
entry:
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %next, %loop ]
  %next = add i8 %i, 1
  %more = icmp ult i8 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i8 %i
}
; refused: this loop has no constant bound
; ---- refuses an effect under a condition
define void @f(i1 %c, i8 %a) {
entry:
  br i1 %c, label %then, label %join
then:
  call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %a)
  br label %join
join:
  ret void
}
; refused: this effect is under a condition

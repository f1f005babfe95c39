; ---- gives a counter read after its loop its final value and drops the empty loop
define void @f(i8 %a) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 3
  br i1 %more, label %loop, label %end
end:
  %last = trunc i32 %i to i8
  %sum = add i8 %last, %a
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %sum)
  ret void
}
; becomes
;   entry:
;   %sum = add i8 2, %a
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %sum)
;   ret void
; ---- reads only the condition that a value depends on where two branches met
define i8 @f(i1 %a, i1 %b, i8 %x, i8 %y) {
  %e = select i1 %a, i1 true, i1 %b
  %m = select i1 %a, i8 %x, i8 %y
  %v = select i1 %e, i8 %m, i8 %y
  ret i8 %v
}
; becomes
;   %v = select i1 %a, i8 %x, i8 %y
;   ret i8 %v

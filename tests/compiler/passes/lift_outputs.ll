; module
; ---- computes what an output reads before the loop that reads it, too
define void @f(i8 %a) {
entry:
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %next, %loop ]
  %near = add i8 %a, 1
  %shown = xor i8 %near, 5
  %next = add i8 %i, 1
  %own = add i8 %near, %next
  %more = icmp ult i8 %next, 4
  br i1 %more, label %loop, label %end
end:
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %shown)
  call void @hls.write_port._32_64_8(i32 1, i64 0, i8 %own)
  ret void
}
; becomes
;   entry:
;   %near = add i8 %a, 1
;   %shown = xor i8 %near, 5
;   br label %loop
;   loop:
;   %i = phi i8 [ 0, %entry ], [ %next, %loop ]
;   %next = add i8 %i, 1
;   %own = add i8 %near, %next
;   %more = icmp ult i8 %next, 4
;   br i1 %more, label %loop, label %end
;   end:
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %shown)
;   call void @hls.write_port._32_64_8(i32 1, i64 0, i8 %own)
;   ret void

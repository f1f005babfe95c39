; ---- writes out every loop of a pure function
define void @f() {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v = trunc i64 %i to i8
  call void @hls.store._32_64_8(i32 0, i64 %i, i8 %v)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 3
  br i1 %more, label %loop, label %end
end:
  ret void
}
; becomes
;   entry:
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 0)
;   call void @hls.store._32_64_8(i32 0, i64 1, i8 1)
;   call void @hls.store._32_64_8(i32 0, i64 2, i8 2)
;   ret void

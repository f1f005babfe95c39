; ---- gives a counter of 64 bits that counts down, and the index behind it, the bits of an int
define void @f() {
entry:
  br label %loop
loop:
  %i = phi i64 [ 3, %entry ], [ %next, %loop ]
  %before = sub i64 %i, 1
  %v = call i8 @hls.load.i8_32_64(i32 0, i64 %before)
  call void @hls.store._32_64_8(i32 0, i64 %i, i8 %v)
  %next = add i64 %i, -1
  %more = icmp ne i64 %next, 0
  br i1 %more, label %loop, label %end
end:
  ret void
}
; becomes
;   entry:
;   br label %loop
;   loop:
;   %i = phi i32 [ 3, %entry ], [ %next, %loop ]
;   %0 = sext i32 %i to i64
;   %before = sub i64 %0, 1
;   %1 = trunc i64 %before to i32
;   %2 = zext i32 %1 to i64
;   %v = call i8 @hls.load.i8_32_64(i32 0, i64 %2)
;   call void @hls.store._32_64_8(i32 0, i64 %0, i8 %v)
;   %next = add nsw i32 %i, -1
;   %3 = sext i32 %next to i64
;   %more = icmp ne i64 %3, 0
;   br i1 %more, label %loop, label %end
;   end:
;   ret void
; ---- leaves a counter that is more than an int
define void @f() {
entry:
  br label %loop
loop:
  %i = phi i64 [ 4294967296, %entry ], [ %next, %loop ]
  %index = sub i64 %i, 4294967296
  call void @hls.store._32_64_8(i32 0, i64 %index, i8 0)
  %next = add i64 %i, 1
  %more = icmp ne i64 %next, 4294967299
  br i1 %more, label %loop, label %end
end:
  ret void
}
; becomes
;   entry:
;   br label %loop
;   loop:
;   %i = phi i64 [ 4294967296, %entry ], [ %next, %loop ]
;   %index = sub i64 %i, 4294967296
;   call void @hls.store._32_64_8(i32 0, i64 %index, i8 0)
;   %next = add i64 %i, 1
;   %more = icmp ne i64 %next, 4294967299
;   br i1 %more, label %loop, label %end
;   end:
;   ret void

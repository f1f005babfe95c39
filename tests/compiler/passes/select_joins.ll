; ---- chooses among more than two arms and leaves effects in them
define i8 @f(i1 %c, i1 %d, i8 %a, i8 %b) {
entry:
  br i1 %c, label %one, label %other
one:
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %a)
  br label %join
other:
  br i1 %d, label %two, label %join
two:
  br label %join
join:
  %x = phi i8 [ 1, %one ], [ %b, %other ], [ %a, %two ]
  ret i8 %x
}
; becomes
;   entry:
;   br i1 %c, label %one, label %other
;   one:
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 %a)
;   br label %join
;   other:
;   br i1 %d, label %two, label %join
;   two:
;   br label %join
;   join:
;   %0 = select i1 %d, i8 %a, i8 %b
;   %x = select i1 %c, i8 1, i8 %0
;   ret i8 %x
; ---- keeps a value that an arm reads after its own write
define i8 @f(i1 %c, i8 %a) {
entry:
  br i1 %c, label %one, label %join
one:
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %a)
  %v = call i8 @hls.load.i8_32_64(i32 0, i64 0)
  br label %join
join:
  %x = phi i8 [ %v, %one ], [ 0, %entry ]
  ret i8 %x
}
; becomes
;   entry:
;   br i1 %c, label %one, label %join
;   one:
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 %a)
;   %v = call i8 @hls.load.i8_32_64(i32 0, i64 0)
;   br label %join
;   join:
;   %x = phi i8 [ %v, %one ], [ 0, %entry ]
;   ret i8 %x

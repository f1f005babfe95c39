; thread
; ---- removes the writes of a register that no state reads
define void @f(i8 %x) {
  %own = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
  %next = add i8 %own, 1
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %next)
  call void @hls.store._32_64_8(i32 1, i64 0, i8 %x)
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %own)
  call void @hls.store._32_64_1(i32 2, i64 0, i1 0)
  ret void
}
define void @reset() {
  call void @hls.store._32_64_8(i32 0, i64 0, i8 0)
  call void @hls.store._32_64_1(i32 2, i64 0, i1 0)
  ret void
}
; becomes
;   @f
;   %own = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
;   %next = add i8 %own, 1
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 %next)
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %own)
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 false)
;   ret void
;   @reset
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 0)
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 false)
;   ret void

; thread
; ---- removes a write of what the register holds
define void @f(i8 %x) {
  %own = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %own)
  call void @hls.store._32_64_8(i32 1, i64 0, i8 %x)
  ret void
}
define void @reset() {
  ret void
}
; becomes
;   @f
;   %own = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
;   call void @hls.store._32_64_8(i32 1, i64 0, i8 %x)
;   ret void
;   @reset
;   ret void
; ---- removes a write of what has no value, as that of an empty std::optional
define void @f(i8 %x, i1 %empty) {
  br i1 %empty, label %none, label %some
none:
  call void @hls.store._32_64_8(i32 0, i64 0, i8 undef)
  ret void
some:
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %x)
  ret void
}
define void @reset() {
  ret void
}
; becomes
;   @f
;   br i1 %empty, label %none, label %some
;   none:
;   ret void
;   some:
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 %x)
;   ret void
;   @reset
;   ret void
; ---- refuses a thread that reads a port at reset
define void @f() {
  ret void
}
define void @reset() {
  %x = call i8 @hls.read_port.i8_32_64(i32 0, i64 0)
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %x)
  ret void
}
; refused: put co_await clock() before this

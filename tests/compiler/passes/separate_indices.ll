; module
; ---- gives each access its own extension of the index that both share
define void @f(i3 %x) {
  %i = zext i3 %x to i64
  %v = call i8 @hls.load.i8_32_64(i32 1, i64 %i)
  call void @hls.store._32_64_8(i32 1, i64 %i, i8 1)
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %v)
  ret void
}
; becomes
;   %i = zext i3 %x to i64
;   %1 = zext i3 %x to i64
;   %v = call i8 @hls.load.i8_32_64(i32 1, i64 %1)
;   call void @hls.store._32_64_8(i32 1, i64 %i, i8 1)
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %v)
;   ret void
; ---- refuses an output without a value
define void @f() {
  ret void
}
; refused: output 'y' has no value

; module
; ---- removes a register that nothing reads
define void @f(i8 %x) {
  call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %x)
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %x)
  ret void
}
; becomes
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %x)
;   ret void
; ---- removes a register that only its own next value reads
define void @f(i8 %x) {
  %own = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
  %next = add i8 %own, %x
  call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %next)
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %x)
  ret void
}
; becomes
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %x)
;   ret void
; ---- makes a register that is only ever 0 a constant
define void @f(i8 %x) {
  %own = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
  %sum = add i8 %own, %x
  call void @hls.write_register._32_64_8(i32 0, i64 0, i8 0)
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %sum)
  ret void
}
; becomes
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %x)
;   ret void

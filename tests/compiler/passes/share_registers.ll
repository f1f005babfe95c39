; thread
; ---- gives two values of one name a register where the second is set after the first is read
define void @f(i8 %x) {
  %first = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
  %next = add i8 %first, %x
  call void @hls.store._32_64_8(i32 1, i64 0, i8 %next)
  call void @hls.store._32_64_1(i32 2, i64 0, i1 1)
  ret void
}
define void @g(i8 %x) {
  %second = call i8 @hls.read_register.i8_32_64(i32 1, i64 0)
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %second)
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %x)
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
;   %first = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
;   %next = add i8 %first, %x
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 %next)
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 true)
;   ret void
;   @g
;   %1 = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
;   call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %1)
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 %x)
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 false)
;   ret void
;   @reset
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 0)
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 false)
;   ret void
; ---- keeps two registers where a state waits with both values
define void @f(i8 %x) {
  %first = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
  call void @hls.store._32_64_8(i32 1, i64 0, i8 %x)
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %first)
  call void @hls.store._32_64_1(i32 2, i64 0, i1 1)
  ret void
}
define void @g(i8 %x) {
  %first = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
  %second = call i8 @hls.read_register.i8_32_64(i32 1, i64 0)
  %sum = add i8 %first, %second
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %sum)
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
;   %first = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
;   call void @hls.store._32_64_8(i32 1, i64 0, i8 %x)
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 %first)
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 true)
;   ret void
;   @g
;   %first = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
;   %second = call i8 @hls.read_register.i8_32_64(i32 1, i64 0)
;   %sum = add i8 %first, %second
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 %sum)
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 false)
;   ret void
;   @reset
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 0)
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 false)
;   ret void
; ---- keeps two registers where one is written before a branch that may still need the other
define void @f(i8 %x) {
  %first = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
  call void @hls.store._32_64_8(i32 1, i64 0, i8 %x)
  %leaves = icmp eq i8 %first, %x
  br i1 %leaves, label %go, label %stay
go:
  call void @hls.store._32_64_1(i32 2, i64 0, i1 1)
  ret void
stay:
  call void @hls.store._32_64_1(i32 2, i64 0, i1 0)
  ret void
}
define void @g(i8 %x) {
  %second = call i8 @hls.read_register.i8_32_64(i32 1, i64 0)
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %second)
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
;   %first = call i8 @hls.read_register.i8_32_64(i32 0, i64 0)
;   call void @hls.store._32_64_8(i32 1, i64 0, i8 %x)
;   %leaves = icmp eq i8 %first, %x
;   br i1 %leaves, label %go, label %stay
;   go:
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 true)
;   ret void
;   stay:
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 false)
;   ret void
;   @g
;   %second = call i8 @hls.read_register.i8_32_64(i32 1, i64 0)
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 %second)
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 false)
;   ret void
;   @reset
;   call void @hls.store._32_64_8(i32 0, i64 0, i8 0)
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 false)
;   ret void

; thread
; ---- removes a state that no other goes to, and renumbers the rest
define void @f() {
  call void @hls.store._32_64_1(i32 2, i64 0, i1 1)
  ret void
}
define void @g() {
  call void @hls.store._32_64_1(i32 2, i64 0, i1 1)
  ret void
}
define void @reset() {
  call void @hls.store._32_64_1(i32 2, i64 0, i1 1)
  ret void
}
; becomes
;   @g
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 false)
;   ret void
;   @reset
;   call void @hls.store._32_64_1(i32 2, i64 0, i1 false)
;   ret void

package extract

// #cgo CFLAGS: -D_GNU_SOURCE
// #include <stdlib.h>
// #ifdef __GLIBC__
// #include <malloc.h>
// #include <sched.h>
// static void trim(void) { malloc_trim(0); }
// // Before main: a thread gets its arena at its first allocation, which is when it starts,
// // and a limit takes none away. One arena a core, two at least: by default glibc makes one
// // for each thread, up to eight a core. Go moves goroutines among threads, and in each
// // arena freed trees leave a few megabytes between live objects.
// static __attribute__((constructor)) void limit_arenas(void) {
//   cpu_set_t set;
//   int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 2;
//   mallopt(M_ARENA_MAX, n > 2 ? n : 2);
// }
// #else
// static void trim(void) {}
// #endif
import "C"

import "manicule/indexer/extract/syntax"

// Trim returns memory that parsing freed to the system. Trees live outside of Go's
// heap, and their allocator keeps what it once had.
func Trim() {
	syntax.Trim()
	C.trim()
}

package extract

// #include <stdlib.h>
// #ifdef __GLIBC__
// #include <malloc.h>
// static void trim(void) { malloc_trim(0); }
// static void limit_arenas(int n) { mallopt(M_ARENA_MAX, n); }
// #else
// static void trim(void) {}
// static void limit_arenas(int n) { (void)n; }
// #endif
import "C"

import (
	"runtime"
	"sync"
)

// limitArenas limits glibc's allocator to one arena a core. By default it creates one
// for each thread, up to eight a core, and Go moves goroutines among threads: in each
// arena, freed trees leave a few megabytes between live objects.
var limitArenas = sync.OnceFunc(func() { C.limit_arenas(C.int(max(2, runtime.NumCPU()))) })

// Trim returns memory that parsing freed to the system. Trees live outside of Go's
// heap, and their allocator keeps what it once had.
func Trim() { C.trim() }

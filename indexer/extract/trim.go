package extract

// #include <stdlib.h>
// #ifdef __GLIBC__
// #include <malloc.h>
// static void trim(void) { malloc_trim(0); }
// #else
// static void trim(void) {}
// #endif
import "C"

// Trim gives the memory that parsing has left free back to the system. Trees
// live outside of Go's heap, and their allocator keeps what it once had.
func Trim() { C.trim() }

// Go asks bcryptprimitives.dll for random bytes. Wine before 8.3 has none: this is
// what it would be, for the tests alone.
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
  return SystemFunction036(data, (ULONG)length);
}

#ifndef STORE_STORE_H_
#define STORE_STORE_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(STORE_BUILD)
#define STORE_API __declspec(dllexport)
#else
#define STORE_API
#endif

struct store;

/* Opens it. */
STORE_API struct store *store_open(const char *path, size_t limit);

STORE_API int store_close(struct store *);

extern int store_limit(void) __THROW __nonnull ((1));

#ifdef __cplusplus
}
#endif

#endif /* STORE_STORE_H_ */

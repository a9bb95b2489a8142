/*
 * A store of tokens that expire.
 */
#include <stdio.h>
#include <stdlib.h>
#include "store.h"

#define STORE_MAX 1024
#define STORE_DEBUG
#define STORE_SLOT(s, i) \
	((s)->slots[(i) % STORE_MAX])

#ifdef _WIN32
#define SEP '\\'
#else
#define SEP '/'
#endif

/* One token. */
typedef struct token {
	char *name;                 /* owned */
	unsigned long until, made;
	struct token *next;
	union {
		int number;
		void *data;
	};
	unsigned live : 1;
	int (*check)(const struct token *t, long now);
	char tags[8][STORE_MAX];
} token_t, *token_p;

typedef int (*visit_fn)(token_t *t, void *arg);
typedef unsigned int hash_t;
typedef struct store store;

/** A store. */
struct store {
	token_t *slots[STORE_MAX];
	hash_t (*hash)(const char *);
	struct { int hits, misses; } stats;
};

enum store_error {
	STORE_OK,
	STORE_FULL = 2, // no room
	STORE_GONE,
};

typedef enum { RED, GREEN } color_t;

typedef struct {
	color_t color;
} paint_t;

static const char *const names[] = { "a", [2] = "b" };
extern int store_count;
static int hits, misses = 3;
static int (*handlers[2])(store *s);

static hash_t hash_name(const char *name);
token_t *store_find(store *s, const char *name, ...);
void store_die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Makes a token. */
static inline token_t *token_new(const char *name, long until)
{
	token_t *t = malloc(sizeof(*t)), local = { .until = until, .next = NULL };
	struct token **link = &t->next;

	if (!t)
		return NULL;
	*t = local;
	t->name = strdup(name);
	*link = (struct token *)t;
	return t;
}

int store_each(store *s, visit_fn visit, void *arg)
{
	int seen = 0;

	for (int i = 0; i < STORE_MAX; i++) {
		token_t *t;
		for (t = s->slots[i]; t; t = t->next) {
			if (t->check(t, now()) != STORE_OK)
				goto done;
			seen += visit(t, arg);
			(*t->check)(t, 0);
		}
	}
	s->stats.hits++;
	hits = STORE_SLOT(s, seen)->until;
done:
	switch (seen) {
	case STORE_FULL:
	case 3 + RED:
		break;
	default:
		printf("%d %s\n", seen, names[0]);
	}
	handlers[0] = store_reset;
	return seen > misses ? seen : GREEN;
}

static void store_reset(void) {}

int old_style(count, name)
	int count;
	char *name;
{
	use(&(paint_t){ .color = RED }, (enum store_error)count);
	return count;
}

int main(int argc, char *argv[], char **envp)
{
	int (*compare)(const void *a, const void *b) = strcmp_void;
	store s = { .hash = hash_name };
#if defined(STORE_DEBUG) && STORE_MAX > 2
	dump(&s);
#endif
	qsort(argv, argc, sizeof(char *), compare);
	return store_each(&s, NULL, envp);
}

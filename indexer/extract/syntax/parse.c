// A tree that is only copied lives in an arena: all of its memory is given back
// at once, to the next one. malloc took a fifth of the time of an index, as
// threads wait for each other in it and it gives memory back to the system and
// asks for it again.

#include "parse.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	UNIT = 16,        // alignment, and the step of small sizes
	SMALL = 64,       // classes of one unit more each
	CLASSES = 96,     // above SMALL four for each power of two
	LARGE = 1 << 15,  // larger blocks are malloc's
	LARGE_CLASS = CLASSES,
	CHUNK = 1 << 20,
	KEPT = 4,         // chunks for the next tree
	IDLE = 8,         // arenas kept
};

// header is in front of each block. The block begins behind it, at a multiple of UNIT.
typedef struct { uint32_t capacity, class; } header;

// freed is a block that is free again.
typedef struct freed { struct freed *next; } freed;

// large is in front of a block of malloc's. Its size is a multiple of UNIT, and the header
// is its end, on processors with short pointers too.
typedef struct large {
	_Alignas(8) struct large *previous;
	_Alignas(8) struct large *next;
	_Alignas(8) size_t unused;
	_Alignas(8) header header;
} large;

_Static_assert(sizeof(large) % UNIT == 0, "the block behind it is aligned");

// more is a chunk beyond those that are kept.
typedef struct more { struct more *next; } more;

struct manicule_arena {
	char *at, *end; // of what is left of the current chunk
	char *chunks[KEPT];
	int used; // chunks
	more *more;
	large *large;
	freed *freed[CLASSES];
	TSTree *tree;
};

// current is the arena of the tree that this thread is at, NULL if it is none.
static __thread manicule_arena *current;

void *manicule_checked(void *p, size_t size) {
	if (!p && size) {
		fprintf(stderr, "tree-sitter failed to allocate %zu bytes", size);
		abort();
	}
	return p;
}

// class_of returns the class of blocks of a size, and that of its blocks with their header.
static uint32_t class_of(size_t size, uint32_t *whole) {
	size_t units = (size + sizeof(header) + UNIT - 1) / UNIT;
	if (units <= SMALL) {
		*whole = units * UNIT;
		return units - 1;
	}
	uint32_t shift = 63 - __builtin_clzll(units - 1) - 2; // units-1 is 1xx in units of 1<<shift
	uint32_t quarter = (units - 1) >> shift;                // 4 to 7
	*whole = ((size_t)(quarter + 1) << shift) * UNIT;
	return SMALL + (shift - 4) * 4 + quarter - 4;
}

static char *chunk(manicule_arena *a) {
	if (a->used < KEPT) {
		char **c = &a->chunks[a->used++];
		if (!*c) *c = manicule_checked(malloc(CHUNK), CHUNK);
		return *c;
	}
	more *m = manicule_checked(malloc(CHUNK), CHUNK);
	m->next = a->more;
	a->more = m;
	return (char *)m;
}

static void *allocate_large(manicule_arena *a, size_t size) {
	large *l = manicule_checked(malloc(sizeof(large) + size), size);
	*l = (large){NULL, a->large, 0, {(uint32_t)size, LARGE_CLASS}};
	if (a->large) a->large->previous = l;
	a->large = l;
	return l + 1;
}

static void unlink_large(manicule_arena *a, large *l) {
	if (l->previous) l->previous->next = l->next;
	else a->large = l->next;
	if (l->next) l->next->previous = l->previous;
}

static void *allocate(size_t size) {
	manicule_arena *a = current;
	if (!a) return manicule_checked(malloc(size), size);
	if (size > LARGE) return allocate_large(a, size);
	uint32_t whole, class = class_of(size, &whole);
	freed *f = a->freed[class];
	if (f) {
		a->freed[class] = f->next;
		return f;
	}
	if ((size_t)(a->end - a->at) < whole) {
		char *c = chunk(a);
		a->at = c + 2 * UNIT - sizeof(header); // behind the link of more
		a->end = c + CHUNK;
	}
	header *h = (header *)a->at;
	a->at += whole;
	*h = (header){whole - sizeof(header), class};
	return h + 1;
}

static void release(void *p) {
	manicule_arena *a = current;
	if (!a) {
		free(p);
		return;
	}
	if (!p) return;
	header *h = (header *)p - 1;
	if (h->class == LARGE_CLASS) {
		large *l = (large *)p - 1;
		unlink_large(a, l);
		free(l);
		return;
	}
	freed *f = p;
	f->next = a->freed[h->class];
	a->freed[h->class] = f;
}

static void *zeroed(size_t count, size_t size) {
	if (!current) return manicule_checked(calloc(count, size), count * size);
	return memset(allocate(count * size), 0, count * size);
}

static void *resize(void *p, size_t size) {
	if (!current) return manicule_checked(realloc(p, size), size);
	if (!p) return allocate(size);
	header *h = (header *)p - 1;
	if (h->class != LARGE_CLASS && size <= h->capacity) return p;
	if (h->class == LARGE_CLASS && size > LARGE) {
		unlink_large(current, (large *)p - 1);
		large *l = manicule_checked(realloc((large *)p - 1, sizeof(large) + size), size);
		*l = (large){NULL, current->large, 0, {(uint32_t)size, LARGE_CLASS}};
		if (current->large) current->large->previous = l;
		current->large = l;
		return l + 1;
	}
	void *to = allocate(size);
	memcpy(to, p, size < h->capacity ? size : h->capacity);
	release(p);
	return to;
}

// manicule_use_arenas makes the runtime use this allocator, which outside of
// manicule_parse is malloc: it may be called while trees exist.
void manicule_use_arenas(void) { ts_set_allocator(allocate, zeroed, resize, release); }

static _Atomic(manicule_arena *) idle[IDLE];

static manicule_arena *take(void) {
	for (int i = 0; i < IDLE; i++) {
		manicule_arena *a = atomic_exchange(&idle[i], NULL);
		if (a) return a;
	}
	return manicule_checked(calloc(1, sizeof(manicule_arena)), sizeof(manicule_arena));
}

static void delete(manicule_arena *a) {
	for (int i = 0; i < KEPT; i++) free(a->chunks[i]);
	free(a);
}

// manicule_release gives back a tree.
void manicule_release(manicule_arena *a) {
	while (a->more) {
		more *m = a->more;
		a->more = m->next;
		free(m);
	}
	while (a->large) {
		large *l = a->large;
		a->large = l->next;
		free(l);
	}
	memset(a->freed, 0, sizeof a->freed);
	a->at = a->end = NULL;
	a->used = 0;
	a->tree = NULL;
	for (int i = 0; i < IDLE; i++) {
		manicule_arena *none = NULL;
		if (atomic_compare_exchange_strong(&idle[i], &none, a)) return;
	}
	delete(a);
}

// manicule_trim frees the memory that is kept for the next trees.
void manicule_trim(void) {
	for (int i = 0; i < IDLE; i++) {
		manicule_arena *a = atomic_exchange(&idle[i], NULL);
		if (a) delete(a);
	}
}

// manicule_parse parses a text in an arena, which the caller releases. Its tree is
// NULL if the parse was cancelled.
manicule_arena *manicule_parse(const TSLanguage *language, const char *text, uint32_t length, const size_t *cancelled) {
	manicule_arena *a = current = take();
	TSParser *parser = ts_parser_new();
	ts_parser_set_language(parser, language);
	ts_parser_set_cancellation_flag(parser, cancelled);
	a->tree = ts_parser_parse_string(parser, NULL, text, length);
	ts_parser_delete(parser);
	current = NULL;
	return a;
}

const TSTree *manicule_tree(const manicule_arena *a) { return a->tree; }

// manicule_count returns how many nodes a tree has.
uint32_t manicule_count(const TSTree *tree) { return ts_node_descendant_count(ts_tree_root_node(tree)); }

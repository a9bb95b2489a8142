#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The runtime of tree-sitter is compiled by the package of its Go binding,
// which does not hand its header on: these are the parts of its stable C API
// that are needed here. They are weak because cgo links each package alone,
// once, to see what it needs of the system.
typedef struct TSTree TSTree;
typedef struct TSParser TSParser;
typedef struct TSLanguage TSLanguage;
typedef struct { uint32_t context[4]; const void *id; const TSTree *tree; } TSNode;
#define RUNTIME __attribute__((weak)) extern
RUNTIME TSNode ts_tree_root_node(const TSTree *);
RUNTIME uint32_t ts_node_descendant_count(TSNode);
RUNTIME TSParser *ts_parser_new(void);
RUNTIME void ts_parser_delete(TSParser *);
RUNTIME bool ts_parser_set_language(TSParser *, const TSLanguage *);
RUNTIME void ts_parser_set_cancellation_flag(TSParser *, const size_t *);
RUNTIME TSTree *ts_parser_parse_string(TSParser *, const TSTree *, const char *, uint32_t);
RUNTIME void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));

// manicule_node has the layout of Node in tree.go.
typedef struct {
	uint32_t start, end;
	int32_t next, parent;
	uint16_t symbol, field;
	uint8_t flags;
} manicule_node;

typedef struct manicule_arena manicule_arena;

void manicule_use_arenas(void);
manicule_arena *manicule_parse(const TSLanguage *, const char *, uint32_t, const size_t *);
const TSTree *manicule_tree(const manicule_arena *);
uint32_t manicule_count(const TSTree *);
int32_t manicule_flatten(const TSTree *, manicule_node *, uint32_t);
void *manicule_checked(void *, size_t);
void manicule_release(manicule_arena *);
void manicule_trim(void);
TSLanguage *manicule_widen(const TSLanguage *);
void manicule_narrow(TSLanguage *);

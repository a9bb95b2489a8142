// The nodes of a tree are read from the runtime's own structures. Its cursor, which is the
// quickest walk that its API has, keeps positions in lines and the number of descendants, and asks
// for a node, its field and its parent in calls of their own: that took 6 % of a first index.

#include "parse.h"

#include <stdlib.h>

#include "../treesitter/parsers/c/parser.h"

// The layouts of subtree.h and tree.h in the version of the runtime that go.mod names;
// TestFlatten and TestFlattenSamples fail if another one differs. All machines are little-endian, see
// parsers/generate.go.

typedef struct { uint32_t bytes, row, column; } extent;

typedef struct {
	bool is_inline : 1;
	bool visible : 1;
	bool named : 1;
	bool extra : 1;
	bool has_changes : 1;
	bool is_missing : 1;
	bool is_keyword : 1;
	uint8_t symbol;
	uint16_t parse_state;
	uint8_t padding_columns;
	uint8_t padding_rows : 4;
	uint8_t lookahead_bytes : 4;
	uint8_t padding_bytes;
	uint8_t size_bytes;
} small;

typedef struct {
	volatile uint32_t ref_count;
	extent padding, size;
	uint32_t lookahead_bytes, error_cost, child_count;
	TSSymbol symbol;
	TSStateId parse_state;
	bool visible : 1;
	bool named : 1;
	bool extra : 1;
	bool fragile_left : 1;
	bool fragile_right : 1;
	bool has_changes : 1;
	bool has_external_tokens : 1;
	bool has_external_scanner_state_change : 1;
	bool depends_on_column : 1;
	bool is_missing : 1;
	bool is_keyword : 1;
	union { // the second one is only the size of what leaves have
		struct {
			uint32_t visible_child_count, named_child_count, visible_descendant_count;
			int32_t dynamic_precedence;
			uint16_t repeat_depth, production_id;
		};
		struct {
			union { char *long_data; char short_data[24]; };
			uint32_t length;
		} state;
	};
} heap;

// subtree is a leaf as a value, or points to the others. The children of those are in front of them.
typedef union { small leaf; const heap *at; } subtree;

struct TSTree {
	subtree root;
	const TSLanguage *language;
};

#define GET(s, field) ((s).leaf.is_inline ? (s).leaf.field : (s).at->field)

static uint32_t size_of(subtree s) { return s.leaf.is_inline ? s.leaf.size_bytes : s.at->size.bytes; }
static uint32_t padding_of(subtree s) { return s.leaf.is_inline ? s.leaf.padding_bytes : s.at->padding.bytes; }
static uint32_t children_of(subtree s) { return s.leaf.is_inline ? 0 : s.at->child_count; }

// frame is a subtree whose children are being read.
typedef struct {
	const subtree *child, *end; // the next one
	const TSSymbol *aliases;    // of its children, NULL if they have none
	const TSFieldMapEntry *fields, *fields_end;
	uint32_t position;  // of the next child, behind its padding
	uint32_t structure; // number of the next child without extras
	int32_t node;       // the innermost node that it is or is in
	uint16_t field;     // that its children have if it is hidden and gives them none
	bool visible;
} frame;

enum { NAMED = 1, MISSING = 2, EXTRA = 4 };

static manicule_node node_of(const TSLanguage *language, subtree s, TSSymbol alias, uint32_t start) {
	TSSymbol symbol = alias ? alias : GET(s, symbol);
	return (manicule_node){
		.start = start,
		.end = start + size_of(s),
		.symbol = symbol == ts_builtin_sym_error ? symbol : language->public_symbol_map[symbol],
		.flags = ((alias ? language->symbol_metadata[alias].named : GET(s, named)) ? NAMED : 0) | (GET(s, is_missing) ? MISSING : 0) | (GET(s, extra) ? EXTRA : 0),
	};
}

static frame frame_of(const TSLanguage *language, subtree s, uint32_t start, int32_t node, uint16_t field, bool visible) {
	frame f = {.end = (const subtree *)s.at, .position = start, .node = node, .field = field, .visible = visible};
	f.child = f.end - s.at->child_count;
	uint32_t production = s.at->production_id;
	if (production) f.aliases = &language->alias_sequences[production * language->max_alias_sequence_length];
	if (language->field_count) {
		TSFieldMapSlice slice = language->field_map_slices[production];
		f.fields = &language->field_map_entries[slice.index];
		f.fields_end = f.fields + slice.length;
	}
	return f;
}

// field_of is the field of the next child of a frame, 0 if it has none. A hidden subtree hands its field
// on to its children.
static uint16_t field_of(const frame *f) {
	for (const TSFieldMapEntry *e = f->fields; e < f->fields_end; e++) {
		if (!e->inherited && e->child_index == f->structure) return e->field_id;
	}
	return f->visible ? 0 : f->field;
}

// manicule_flatten writes the nodes of a tree in preorder. It returns their number, -1
// if there is no room for all.
int32_t manicule_flatten(const TSTree *tree, manicule_node *nodes, uint32_t capacity) {
	const TSLanguage *language = tree->language;
	if (!capacity) return -1;
	uint32_t start = padding_of(tree->root);
	nodes[0] = node_of(language, tree->root, 0, start);
	nodes[0].parent = -1;
	nodes[0].next = 1;
	if (!children_of(tree->root)) return 1;

	int32_t n = 1;
	size_t depth = 0, room = 64;
	frame *stack = manicule_checked(malloc(room * sizeof(frame)), room * sizeof(frame));
	stack[0] = frame_of(language, tree->root, start, 0, 0, true);
	for (;;) {
		frame *f = &stack[depth];
		if (f->child == f->end) {
			if (f->visible) nodes[f->node].next = n;
			if (depth-- == 0) break;
			continue;
		}
		subtree s = *f->child++;
		uint32_t at = f->position;
		f->position += size_of(s);
		if (f->child < f->end) f->position += padding_of(*f->child);

		bool extra = GET(s, extra);
		TSSymbol alias = extra || !f->aliases ? 0 : f->aliases[f->structure];
		bool visible = alias || GET(s, visible);
		if (!visible && (!children_of(s) || !s.at->visible_child_count)) {
			f->structure += !extra;
			continue;
		}
		uint16_t field = extra ? 0 : field_of(f);
		f->structure += !extra;
		int32_t parent = f->node;
		if (visible) {
			if ((uint32_t)n == capacity) {
				n = -1;
				break;
			}
			nodes[n] = node_of(language, s, alias, at);
			nodes[n].parent = parent;
			nodes[n].field = field;
			nodes[n].next = n + 1;
			n++;
		}
		if (!children_of(s)) continue;
		if (++depth == room) {
			room *= 2;
			stack = manicule_checked(realloc(stack, room * sizeof(frame)), room * sizeof(frame));
		}
		stack[depth] = frame_of(language, s, at, visible ? n - 1 : parent, field, visible);
	}
	free(stack);
	return n;
}

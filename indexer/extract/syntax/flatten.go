package syntax

/*
#cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// The runtime of tree-sitter is compiled by the package of its Go binding,
// which does not hand its header on: these are the parts of its stable C API
// that a walk needs. They are weak because cgo links each package alone, once,
// to see what it needs of the system.
typedef struct TSTree TSTree;
typedef struct { uint32_t context[4]; const void *id; const TSTree *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;
#define RUNTIME __attribute__((weak)) extern
RUNTIME TSNode ts_tree_root_node(const TSTree *);
RUNTIME TSTreeCursor ts_tree_cursor_new(TSNode);
RUNTIME void ts_tree_cursor_delete(TSTreeCursor *);
RUNTIME TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
RUNTIME uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
RUNTIME bool ts_tree_cursor_goto_parent(TSTreeCursor *);
RUNTIME bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
RUNTIME bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
RUNTIME uint16_t ts_node_symbol(TSNode);
RUNTIME uint32_t ts_node_start_byte(TSNode);
RUNTIME uint32_t ts_node_end_byte(TSNode);
RUNTIME bool ts_node_is_named(TSNode);
RUNTIME bool ts_node_is_missing(TSNode);
RUNTIME bool ts_node_is_extra(TSNode);

// flat has the layout of Node in tree.go.
typedef struct {
	uint32_t start, end;
	int32_t next, parent;
	uint16_t symbol, field;
	uint8_t flags;
} flat;

enum { NAMED = 1, MISSING = 2, EXTRA = 4 };

// flatten writes the nodes of a tree in preorder. It returns NULL when there
// is no memory; the caller frees the rest.
static flat *flatten(const TSTree *tree, uint32_t guess, int32_t *count) {
	uint32_t capacity = guess < 64 ? 64 : guess;
	flat *nodes = malloc(capacity * sizeof(flat));
	if (!nodes) return NULL;
	TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
	int32_t n = 0, parent = -1;
	for (;;) {
		if ((uint32_t)n == capacity) {
			flat *more = realloc(nodes, 2 * (size_t)capacity * sizeof(flat));
			if (!more) {
				free(nodes);
				ts_tree_cursor_delete(&cursor);
				return NULL;
			}
			nodes = more;
			capacity *= 2;
		}
		TSNode node = ts_tree_cursor_current_node(&cursor);
		flat *f = &nodes[n];
		f->start = ts_node_start_byte(node);
		f->end = ts_node_end_byte(node);
		f->parent = parent;
		f->symbol = ts_node_symbol(node);
		f->field = parent < 0 ? 0 : ts_tree_cursor_current_field_id(&cursor);
		f->flags = (ts_node_is_named(node) ? NAMED : 0) | (ts_node_is_missing(node) ? MISSING : 0) | (ts_node_is_extra(node) ? EXTRA : 0);
		f->next = ++n;
		if (ts_tree_cursor_goto_first_child(&cursor)) {
			parent = n - 1;
			continue;
		}
		while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
			if (!ts_tree_cursor_goto_parent(&cursor)) {
				ts_tree_cursor_delete(&cursor);
				*count = n;
				return nodes;
			}
			nodes[parent].next = n;
			parent = nodes[parent].parent;
		}
	}
}
*/
import "C"

import (
	"errors"
	"unsafe"

	"manicule/indexer/extract/treesitter"
)

// errMemory means that C has no memory for the nodes of a tree.
var errMemory = errors.New("no memory for the nodes of the tree")

// flatten appends the nodes of a tree to those in buf. One call walks the whole tree:
// a call into C for each node costs more than the walk itself.
func flatten(tree *treesitter.Tree, size int, buf []Node) ([]Node, error) {
	var count C.int32_t
	// The binding keeps the pointer to the C tree as the first field of
	// BaseTree and offers no way to it; TestFlatten fails if that changes.
	pointer := *(**C.TSTree)(unsafe.Pointer(tree.BaseTree))
	nodes := C.flatten(pointer, C.uint32_t(size/nodeBytes), &count)
	if nodes == nil {
		return nil, errMemory
	}
	defer C.free(unsafe.Pointer(nodes))
	return append(buf, unsafe.Slice((*Node)(unsafe.Pointer(nodes)), int(count))...), nil
}

// nodeBytes is the usual minimum of source bytes per node: a guess that usually makes
// the first allocation the only one.
const nodeBytes = 2

//go:build linux || darwin

package extract

/*
#cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// What is used of tree-sitter's C interface, as its api.h declares it. The
// binding compiles the library and keeps the header to itself. The functions
// are weak so that this file links alone, which cgo tries.
typedef struct { uint32_t context[4]; const void *id; const void *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;
#define WEAK __attribute__((weak))
WEAK TSTreeCursor ts_tree_cursor_new(TSNode);
WEAK void ts_tree_cursor_delete(TSTreeCursor *);
WEAK TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
WEAK bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
WEAK bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
WEAK bool ts_tree_cursor_goto_parent(TSTreeCursor *);
WEAK uint32_t ts_node_start_byte(TSNode);
WEAK uint32_t ts_node_end_byte(TSNode);
WEAK uint16_t ts_node_symbol(TSNode);
WEAK bool ts_node_is_named(TSNode);
WEAK bool ts_node_is_missing(TSNode);

typedef struct { uint32_t start, end, parent; uint16_t kind, flags; } visited;

// walk notes all nodes below root in preorder, and their number. The caller
// frees what it returns; it is NULL when there is no memory.
static visited *walk(TSNode root, uint32_t *count) {
	uint32_t n = 0, size = 4096, depth = 0, deepest = 256;
	visited *all = malloc(size * sizeof *all);
	uint32_t *parents = malloc(deepest * sizeof *parents);
	TSTreeCursor c = ts_tree_cursor_new(root);
	while (all && parents) {
		if (n == size) {
			visited *more = realloc(all, 2 * (size_t)size * sizeof *all);
			if (!more) break;
			all = more;
			size *= 2;
		}
		TSNode node = ts_tree_cursor_current_node(&c);
		visited *v = &all[n];
		v->start = ts_node_start_byte(node);
		v->end = ts_node_end_byte(node);
		v->parent = depth ? parents[depth - 1] : 0;
		v->kind = ts_node_symbol(node);
		v->flags = ts_node_is_named(node) ? 1 : 0;
		if (v->kind == UINT16_MAX || ts_node_is_missing(node)) v->flags |= 4;
		if (ts_tree_cursor_goto_first_child(&c)) {
			if (depth == deepest) {
				uint32_t *more = realloc(parents, 2 * (size_t)deepest * sizeof *parents);
				if (!more) break;
				parents = more;
				deepest *= 2;
			}
			parents[depth++] = n++;
			continue;
		}
		v->flags |= 2;
		n++;
		bool up = true;
		while (!ts_tree_cursor_goto_next_sibling(&c) && (up = ts_tree_cursor_goto_parent(&c))) depth--;
		if (!up) {
			ts_tree_cursor_delete(&c);
			free(parents);
			*count = n;
			return all;
		}
	}
	ts_tree_cursor_delete(&c);
	free(all);
	free(parents);
	return NULL;
}
*/
import "C"

import (
	"slices"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
)

// walk notes all nodes below root in preorder, in one call into C.
func walk(root *sitter.Node) []visited {
	// A node of the binding begins with the one of C.
	node := *(*C.TSNode)(unsafe.Pointer(root))
	var count C.uint32_t
	all := C.walk(node, &count)
	if all == nil {
		return walkByGo(root)
	}
	defer C.free(unsafe.Pointer(all))
	return slices.Clone(unsafe.Slice((*visited)(unsafe.Pointer(all)), int(count)))
}

package syntax

/*
#cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
#include "parse.h"
*/
import "C"

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"manicule/indexer/extract/treesitter"
)

// useArenas lets trees be parsed in arenas.
var useArenas = sync.OnceFunc(func() { C.manicule_use_arenas() })

// parse appends the nodes of a text's tree to those in buf. All memory of the tree itself
// is in an arena that the next one takes over.
func (l *Language) parse(ctx context.Context, text []byte, buf []Node) ([]Node, error) {
	useArenas()
	// The binding keeps the pointer to the grammar as the first field and offers no way
	// to it; TestParse fails if that changes.
	grammar := *(**C.TSLanguage)(unsafe.Pointer(l.grammar))
	var cancelled C.size_t
	stop := context.AfterFunc(ctx, func() { atomic.StoreUintptr((*uintptr)(unsafe.Pointer(&cancelled)), 1) })
	defer stop()
	grammar, done := wideGrammars.take(grammar, len(text))
	defer done()
	arena := C.manicule_parse(grammar, (*C.char)(unsafe.Pointer(unsafe.SliceData(text))), C.uint32_t(len(text)), &cancelled)
	defer C.manicule_release(arena)
	tree := C.manicule_tree(arena)
	if tree == nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, treesitter.ErrOperationLimit
	}
	return collect(buf, C.manicule_count(tree), func(nodes *C.manicule_node, room C.uint32_t) C.int32_t {
		return C.manicule_flatten(tree, nodes, room)
	}), nil
}

// flatten appends the nodes of a tree to those in buf.
func flatten(tree *treesitter.Tree, buf []Node) ([]Node, error) {
	// The binding keeps the pointer to the C tree as the first field of BaseTree and
	// offers no way to it; TestFlatten fails if that changes.
	pointer := *(**C.TSTree)(unsafe.Pointer(tree.BaseTree))
	nodes := collect(buf, C.manicule_count(pointer), func(nodes *C.manicule_node, room C.uint32_t) C.int32_t {
		return C.manicule_flatten(pointer, nodes, room)
	})
	runtime.KeepAlive(tree)
	return nodes, nil
}

// collect appends what walk writes to buf. One call into C walks the whole tree: a call
// for each node costs more than the walk itself. count is the expected number of nodes.
func collect(buf []Node, count C.uint32_t, walk func(*C.manicule_node, C.uint32_t) C.int32_t) []Node {
	for room := max(int(count), 1); ; room *= 2 {
		buf = slices.Grow(buf, room)
		free := buf[len(buf):cap(buf)]
		if n := walk((*C.manicule_node)(unsafe.Pointer(unsafe.SliceData(free))), C.uint32_t(len(free))); n >= 0 {
			return buf[:len(buf)+int(n)]
		}
	}
}

// Trim frees the memory that is kept for the next trees.
func Trim() {
	C.manicule_trim()
	wideGrammars.drop()
}

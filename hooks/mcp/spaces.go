package mcp

//lint:file-ignore SA1019 Roots and logging go with the next protocol; today's clients have nothing else.

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/agent"
	"manicule/hooks/nudge"
	"manicule/memory"
)

// spaces are the workspaces of a connection: those of the client's roots, or the one in
// which the server was started.
type spaces struct {
	s *server

	mu    sync.Mutex // guards the following fields
	roots []string   // folders, as the client named them
	asked chan struct{}
	open  map[string]*opened // by folder
}

// opened is a workspace that is open or being opened.
type opened struct {
	done  chan struct{}
	space *Space
	err   error
	unsub func()
}

func newSpaces(s *server) *spaces { return &spaces{s: s, open: map[string]*opened{}} }

// rootsWait bounds the wait of a question for the client's roots.
const rootsWait = 2 * time.Second

// askRoots asks the client for its roots, if it supports that. It returns at once; later
// questions wait for the answer.
func (x *spaces) askRoots(ss *mcp.ServerSession) {
	p := ss.InitializeParams()
	if x.s.opts.Dir != "" || p == nil || p.Capabilities == nil || p.Capabilities.RootsV2 == nil {
		return
	}
	asked := make(chan struct{})
	x.mu.Lock()
	x.asked = asked
	x.mu.Unlock()
	x.s.spawn(func() {
		defer close(asked)
		x.learnRoots(ss, asked)
	})
}

// learnRoots waits for the client's answer. It drops the answer if the client was asked
// again meanwhile, because the newer answer may have arrived first.
func (x *spaces) learnRoots(ss *mcp.ServerSession, asked chan struct{}) {
	ctx, cancel := context.WithTimeout(x.s.base, rootsWait)
	defer cancel()
	r, err := ss.ListRoots(ctx, nil)
	if err != nil {
		if x.s.base.Err() == nil {
			x.s.log.Warn("ask the client for its roots", "err", err)
		}
		return
	}
	var dirs []string
	for _, root := range r.Roots {
		if dir, ok := folderOf(root.URI); ok {
			dirs = append(dirs, dir)
		}
	}
	x.mu.Lock()
	if x.asked != asked {
		x.mu.Unlock()
		return
	}
	before := x.roots
	x.roots = dirs
	x.mu.Unlock()
	if !slices.Equal(before, dirs) {
		x.s.topics.schedule()
	}
}

// folderOf returns the folder of a file URI.
func folderOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || (u.Host != "" && u.Host != "localhost") || !filepath.IsAbs(filepath.FromSlash(u.Path)) {
		return "", false
	}
	return filepath.FromSlash(u.Path), true
}

// folders lists the folders to look for a workspace, in order.
func (x *spaces) folders() []string {
	if x.s.opts.Dir != "" {
		return []string{x.s.opts.Dir}
	}
	x.mu.Lock()
	dirs := slices.Clone(x.roots)
	x.mu.Unlock()
	if len(dirs) > 0 {
		return dirs
	}
	for _, a := range agent.All() {
		if key := a.Env.ServerProject; key != "" && filepath.IsAbs(x.s.opts.Getenv(key)) {
			return []string{x.s.opts.Getenv(key)}
		}
	}
	return []string{x.s.opts.Cwd}
}

// current returns the workspace of the first root that has one.
func (x *spaces) current(ctx context.Context) (*Space, error) {
	if err := x.answered(ctx); err != nil {
		return nil, err
	}
	var errs []error
	for _, dir := range x.folders() {
		sp, err := x.at(ctx, dir)
		if err == nil {
			return sp, nil
		}
		errs = append(errs, err)
	}
	return nil, errs[0]
}

// answered waits until the client has answered the latest request, or its time is up.
func (x *spaces) answered(ctx context.Context) error {
	var before chan struct{}
	for {
		x.mu.Lock()
		asked := x.asked
		x.mu.Unlock()
		if asked == before {
			return nil
		}
		select {
		case <-asked:
		case <-ctx.Done():
			return ctx.Err()
		}
		before = asked
	}
}

// all returns the given workspace and those of the other roots that can be opened.
func (x *spaces) all(ctx context.Context, first *Space) []*Space {
	out := []*Space{first}
	dirs := x.folders()
	if len(dirs) < 2 {
		return out
	}
	for _, dir := range dirs {
		if sp, err := x.at(ctx, dir); err == nil && !slices.ContainsFunc(out, func(o *Space) bool { return o.Memories.Root() == sp.Memories.Root() }) {
			out = append(out, sp)
		}
	}
	return out
}

// withID returns the workspace with the memory or draft of an id. It looks in all roots,
// because an id does not name one. If none has it, the current one reports that. An id
// that is ambiguous between two roots is refused.
func (x *spaces) withID(ctx context.Context, id string) (*Space, error) {
	sp, err := x.current(ctx)
	if err != nil {
		return nil, err
	}
	all := x.all(ctx, sp)
	if len(all) == 1 {
		return sp, nil
	}
	var found *Space
	var uuid string
	for _, o := range all {
		got, err := has(ctx, o, id)
		if err != nil {
			return nil, err
		}
		switch {
		case got == "":
		case found == nil:
			found, uuid = o, got
		case got != uuid:
			return nil, userError(fmt.Sprintf("two roots have an id that begins or ends with %q", nudge.Cut(nudge.Clean(id), 40)), "Give all of it.")
		}
	}
	if found == nil {
		return sp, nil
	}
	return found, nil
}

// has returns the uuid of the memory or draft of an id in a workspace, or "". An
// unreadable one counts as present: reading it reports the error.
func has(ctx context.Context, sp *Space, id string) (string, error) {
	if err := sp.Fresh(ctx); err != nil {
		return "", err
	}
	h, err := sp.Memories.Get(ctx, id)
	switch {
	case err == nil:
		return h.Memory.UUID, nil
	case !errors.Is(err, memory.ErrNotFound):
		return id, nil
	}
	rows, err := sp.Memories.State().Drafts().Find(ctx, id)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0].Memory.UUID, nil
}

// queriedRoot says which of several roots was queried, or "" if there is only one.
func (x *spaces) queriedRoot(ctx context.Context, sp *Space) string {
	all := x.all(ctx, sp)
	if len(all) == 1 {
		return ""
	}
	var others []string
	for _, o := range all[1:] {
		others = append(others, placeText(filepath.Base(o.Memories.Root())))
	}
	return fmt.Sprintf("only %s was asked; for %s give an absolute path in it", placeText(filepath.Base(sp.Memories.Root())), strings.Join(others, ", "))
}

// forPaths returns the one workspace that paths refer to: the root of the first absolute path,
// else that of the first relative one that lies in exactly one root, else the current
// one.
func (x *spaces) forPaths(ctx context.Context, paths ...string) (*Space, error) {
	sp, err := x.current(ctx)
	if err != nil {
		return nil, err
	}
	all := x.all(ctx, sp)
	if len(all) == 1 {
		return sp, nil
	}
	for _, p := range paths {
		if name := fileOf(p); filepath.IsAbs(name) {
			if o := all[rootsOf(all, p)[0]]; contains(o, name) {
				return o, nil
			}
		}
	}
	for _, p := range paths {
		if in := rootsOf(all, p); len(in) == 1 && !filepath.IsAbs(fileOf(p)) {
			return all[in[0]], nil
		}
	}
	return sp, nil
}

// contains reports whether a path is in a workspace.
func contains(sp *Space, path string) bool {
	_, ok := sp.Memories.Place().Rel(path)
	return ok
}

// at opens the workspace of a folder, once.
func (x *spaces) at(ctx context.Context, dir string) (*Space, error) {
	x.mu.Lock()
	o := x.open[dir]
	if o == nil {
		o = &opened{done: make(chan struct{})}
		x.open[dir] = o
		go x.begin(dir, o)
	}
	x.mu.Unlock()
	select {
	case <-o.done:
		return o.space, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (x *spaces) begin(dir string, o *opened) {
	defer close(o.done)
	o.space, o.err = x.s.opts.Open(x.s.base, dir)
	if o.err != nil {
		o.err = fmt.Errorf("open the workspace of %s: %w", dir, o.err)
		x.mu.Lock()
		delete(x.open, dir) // it may exist the next time
		x.mu.Unlock()
		return
	}
	o.unsub = o.space.Memories.Views().Subscribe(x.s.topics.schedule)
}

// close closes the open workspaces.
func (x *spaces) close() error {
	x.mu.Lock()
	all := x.open
	x.open = map[string]*opened{}
	x.mu.Unlock()
	var err error
	for _, o := range all {
		<-o.done
		if o.err == nil {
			o.unsub()
			err = errors.Join(err, o.space.Close())
		}
	}
	return err
}

package anchors

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"

	"manicule/cmd/internal/gitread"
	"manicule/grammars"
	"manicule/indexer/anchoring"
)

// repository reads a git repository through the git program and caches what it has read.
type repository struct {
	name, dir string

	mu        sync.Mutex
	objects   *gitread.Objects
	sources   map[string]*anchoring.Source // by blob and path
	blobs     map[string]string            // by commit and path
	diffs     map[string][]diff            // by the two commits
	histories map[string]*history          // by the last commit
	renamed   map[string]map[string]string // by the two commits
}

func openRepository(name, dir string) (*repository, error) {
	r := &repository{name: name, dir: dir, sources: make(map[string]*anchoring.Source), blobs: make(map[string]string), diffs: make(map[string][]diff), histories: make(map[string]*history), renamed: make(map[string]map[string]string)}
	var err error
	r.objects, err = gitread.Open(context.Background(), dir)
	return r, err
}

func (r *repository) close() error { return r.objects.Close() }

// object reads a file or a commit by any name that git knows. ok is false if there is none of that name.
func (r *repository) object(name string) (id string, data []byte, ok bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.objects.Read(name)
}

// source returns a file at a commit, or nil if it does not exist there.
func (r *repository) source(commit, path string) *anchoring.Source {
	key := commit + ":" + path
	blob, ok := r.blobs[key]
	if !ok {
		id, data, found, err := r.object(key)
		if err != nil || !found {
			id = ""
		}
		blob = id
		r.blobs[key] = blob
		if blob != "" && r.sources[blob+path] == nil {
			r.sources[blob+path] = anchoring.TextSource(path, language(path), blob, data)
		}
	}
	if blob == "" {
		return nil
	}
	return r.blobAt(blob, path)
}

// blobAt returns a file by its content.
func (r *repository) blobAt(blob, path string) *anchoring.Source {
	if strings.Trim(blob, "0") == "" {
		return nil
	}
	key := blob + path
	if s := r.sources[key]; s != nil {
		return s
	}
	s := anchoring.NewSource(path, language(path), blob, func() ([]byte, error) {
		_, data, ok, err := r.object(blob)
		if err == nil && !ok {
			err = fmt.Errorf("%s has no %s", r.name, blob)
		}
		return data, err
	})
	r.sources[key] = s
	return s
}

func language(path string) string {
	l, _ := grammars.ForPath(path) // the zero language has no ID
	return l.ID
}

// diff is one file that differs between two commits.
type diff struct{ oldBlob, newBlob, path string }

// differences lists the files that differ between two commits.
func (r *repository) differences(ctx context.Context, from, to string) ([]diff, error) {
	key := from + to
	if d, ok := r.diffs[key]; ok {
		return d, nil
	}
	out, err := r.git(ctx, "diff-tree", "-r", "--raw", "--no-renames", "--no-abbrev", "-z", from, to)
	if err != nil {
		return nil, err
	}
	d := parseRaw(out)
	r.diffs[key] = d
	return d, nil
}

// parseRaw parses the output of git diff-tree --raw -z.
func parseRaw(out []byte) []diff {
	var all []diff
	fields := bytes.Split(out, []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		meta := strings.Fields(string(fields[i]))
		if len(meta) < 5 {
			continue
		}
		all = append(all, diff{meta[2], meta[3], string(fields[i+1])})
	}
	return all
}

func (r *repository) git(ctx context.Context, args ...string) ([]byte, error) {
	return gitread.Output(ctx, r.dir, args...)
}

// world returns the view of two commits that an anchor's resolution sees.
func (r *repository) world(ctx context.Context, from, to string) (*anchoring.World, error) {
	diffs, err := r.differences(ctx, from, to)
	if err != nil {
		return nil, err
	}
	return &anchoring.World{
		Old: func(path string) *anchoring.Source { return r.source(from, path) },
		New: func(path string) *anchoring.Source { return r.source(to, path) },
		Changed: func() []anchoring.Change {
			var all []anchoring.Change
			for _, d := range diffs {
				if language(d.path) != "" {
					all = append(all, anchoring.Change{Old: r.blobAt(d.oldBlob, d.path), New: r.blobAt(d.newBlob, d.path)})
				}
			}
			return all
		},
	}, nil
}

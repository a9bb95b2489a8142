package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"manicule/indexer/sorting"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/store"
)

// MaxCommits is how many commits are searched for versions of a memory.
const MaxCommits = 20_000

// Past is one version of a memory in the line of its versions.
type Past struct {
	Memory  *file.Memory `json:"memory"`
	Hash    string       `json:"hash"`
	Current bool         `json:"current,omitzero"`
	// Here is true if this machine has seen the version; Commit is the commit of git's that brought
	// it, "" for none.
	Here    bool   `json:"here"`
	Commit  string `json:"commit,omitempty"`
	Author  string `json:"author,omitempty"` // of the commit
	Subject string `json:"subject,omitempty"`
}

// History finds the versions of memories that this machine or git holds, also of those whose files are gone or damaged. It
// writes nothing, and is safe for concurrent use.
type History struct {
	place *workspace.Workspace
	rows  *store.Memories
	state *store.State
	git   *Git
	get   func(ctx context.Context, id string) (h Hit, quarantined bool, err error) // see [Workspace.GetAny]
}

// Timeline lists the versions of a memory, newest first: those that this machine has seen and those
// in git, each once. The id may be that of a forgotten memory.
func (h *History) Timeline(ctx context.Context, id string) ([]Past, error) {
	uuid, now, err := h.anyID(ctx, id)
	if err != nil {
		return nil, err
	}
	return h.versions(ctx, uuid, now)
}

// versions is Timeline of a whole uuid. now is what its file says, nil without one.
func (h *History) versions(ctx context.Context, uuid string, now *file.Memory) ([]Past, error) {
	return h.versionsWith(ctx, uuid, now, h.git.versions(uuid))
}

// versionsWith is versions with the versions in git that are known.
func (h *History) versionsWith(ctx context.Context, uuid string, now *file.Memory, inGit []gitVersion) ([]Past, error) {
	var out []Past
	at := map[string]int{}
	add := func(m *file.Memory, p Past) error {
		hash, err := m.Hash()
		if err != nil {
			return fmt.Errorf("version of %s: %w", uuid, err)
		}
		i, known := at[hash]
		if !known {
			i, at[hash] = len(out), len(out)
			out = append(out, Past{Memory: m, Hash: hash})
		}
		out[i].Here, out[i].Current = out[i].Here || p.Here, out[i].Current || p.Current
		if p.Commit != "" { // commits come newest first: the oldest brought it
			out[i].Commit, out[i].Author, out[i].Subject = p.Commit, p.Author, p.Subject
		}
		return nil
	}
	if now != nil {
		if err := add(now, Past{Here: true, Current: true}); err != nil {
			return nil, err
		}
	}
	list, err := h.state.Versions().Of(ctx, uuid)
	if err != nil {
		return nil, fmt.Errorf("list the versions of %s: %w", uuid, err)
	}
	for _, m := range list {
		if err := add(m, Past{Here: true}); err != nil {
			return nil, err
		}
	}
	for _, v := range inGit {
		if err := add(v.memory, Past{Commit: v.Commit.ID, Author: v.Commit.Author, Subject: v.Commit.Subject}); err != nil {
			return nil, err
		}
	}
	sorting.StableFunc(out, func(a, b Past) int {
		return cmp.Or(file.TrueFirst(a.Current, b.Current), cmp.Compare(b.Memory.Lineage.Version, a.Memory.Lineage.Version),
			b.Memory.UpdatedAt.Compare(a.Memory.UpdatedAt.Time), cmp.Compare(a.Hash, b.Hash))
	})
	return out, nil
}

// anyID finds the uuid of an active, quarantined or forgotten memory, of one whose file is damaged, or of one that somebody
// else removed: of that this machine has seen versions, or git holds some, which only a whole uuid finds. now is nil for one that is gone or
// damaged.
func (h *History) anyID(ctx context.Context, id string) (uuid string, now *file.Memory, err error) {
	hit, _, err := h.get(ctx, id)
	if err == nil {
		return hit.Memory.UUID, hit.Memory, nil
	}
	if len(id) < minID {
		return "", nil, err
	}
	if d, ok, derr := h.Damaged(ctx, id); derr != nil || ok {
		return d.UUID, nil, derr
	}
	tombstones, terr := h.state.Tombstones().Of(ctx, id)
	if terr == nil && len(tombstones) == 1 {
		return tombstones[0].UUID, nil, nil
	}
	if terr != nil || len(tombstones) > 1 || !errors.Is(err, ErrNotFound) {
		return "", nil, err
	}
	if seen, serr := h.state.Versions().SeenAs(ctx, id); serr == nil && seen != "" {
		return seen, nil, nil
	}
	if file.ValidUUID(id) && len(h.git.versions(id)) > 0 {
		return id, nil, nil
	}
	return "", nil, err
}

// unshallowed adds to the error for a version that is not there that a shallow clone may lack it.
func (h *History) unshallowed(err error) error {
	if u, ok := errors.AsType[*UserError](err); ok && errors.Is(err, ErrNotFound) && h.git.Shallow() {
		told := *u
		told.Hint += " This clone is shallow: `git fetch --unshallow` brings earlier versions."
		return &told
	}
	return err
}

// isGone says of a memory without a file how it can come back: from this machine if it was forgotten here, else from git.
func (h *History) isGone(ctx context.Context, id string, line []Past) error {
	gone := &UserError{Msg: fmt.Sprintf("memory %q was forgotten", id), Err: ErrNotFound, Hint: "`manicule restore " + id + "` brings it back; then revert it."}
	if tombstones, err := h.state.Tombstones().Of(ctx, id); err != nil || len(tombstones) > 0 {
		return gone
	}
	for _, p := range line {
		if p.Commit != "" {
			at := path.Join(workspace.Folder, "memories", p.Memory.RelPath())
			gone.Msg, gone.Hint = fmt.Sprintf("memory %q was removed by a commit", id), fmt.Sprintf("`git checkout %.8s -- %s` in %s brings it back.", p.Commit, at, h.place.Root)
			break
		}
	}
	return gone
}

// Before returns the version that the one at i of a timeline was made from. A merge was made from
// several: it is the first of them that is there. Without any it is the newest with a lower number,
// as in a shallow clone: another clone or branch may have made what stands next to it.
func Before(line []Past, i int) (Past, bool) {
	l := line[i].Memory.Lineage
	for _, hash := range append([]string{l.Parent}, l.Merged...) {
		for _, p := range line {
			if hash != "" && p.Hash == hash {
				return p, true
			}
		}
	}
	for j, p := range line {
		if j != i && p.Memory.Lineage.Version < l.Version {
			return p, true
		}
	}
	return Past{}, false
}

// Version picks a version of a timeline: its number, or the beginning of its hash or commit. ""
// picks the one before the first, which is the current one or the last of a memory that is gone.
func Version(line []Past, name string) (Past, error) {
	if name == "" {
		if len(line) > 0 {
			if p, ok := Before(line, 0); ok {
				return p, nil
			}
		}
		return Past{}, &UserError{Msg: "there is no earlier version", Err: ErrNotFound, Hint: "`manicule history ID` lists the versions."}
	}
	var found []Past
	for _, p := range line {
		n, err := strconv.Atoi(strings.TrimPrefix(name, "v"))
		isNumber := err == nil && n == p.Memory.Lineage.Version
		if isNumber || len(name) >= 4 && (strings.HasPrefix(p.Commit, name) || strings.HasPrefix(strings.TrimPrefix(p.Hash, "sha256:"), strings.TrimPrefix(name, "sha256:"))) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Past{}, &UserError{Msg: fmt.Sprintf("there is no version %q", name), Err: ErrNotFound, Hint: "`manicule history ID` lists the versions, with their numbers and hashes."}
	}
	return Past{}, &UserError{Msg: fmt.Sprintf("%d versions are called %q", len(found), name), Err: ErrAmbiguous, Hint: "Two clones changed it at once: give the beginning of the hash, as `manicule history ID` shows it."}
}

// Changes lists what the second of two versions changes, in a fixed order.
func Changes(old, now *file.Memory) []Field {
	out := differ(old, now)
	add := func(name, a, b string) {
		if a != b {
			out = append(out, Field{name, a, b})
		}
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
	add("visibility", string(old.Visibility), string(now.Visibility))
	add("confidence", number(old.Confidence), number(now.Confidence))
	add("pinned", strconv.FormatBool(old.Pinned), strconv.FormatBool(now.Pinned))
	add("relations", relationNames(old), relationNames(now))
	add("verified by", old.Trust.VerifiedBy, now.Trust.VerifiedBy)
	add("disputed by", old.Trust.DisputedBy, now.Trust.DisputedBy)
	add("deprecated", deprecation(old), deprecation(now))
	return out
}

func relationNames(m *file.Memory) string {
	var out []string
	for _, r := range m.Relations {
		other := cmp.Or(r.File, r.Memory[max(0, len(r.Memory)-8):])
		out = append(out, strings.ReplaceAll(r.Type, "_", " ")+" "+other)
	}
	return strings.Join(out, ", ")
}

package memory

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"manicule/memory/file"
)

// Damaged is a memory file that can't be read, as one that a power loss cut off, though versions of its memory are
// known.
type Damaged struct {
	UUID string
	Path string // absolute
	Last Past   // the newest version that is known
	// Sides is true if git's index still has both sides of the merge that left the file.
	Sides bool
	// Newer is true if a newer version may have written the file: it has a value that this one does not know.
	Newer bool
}

// Remedy names the command that brings the memory back, for a person.
func (d *Damaged) Remedy(root string) string {
	if d.Sides {
		if rel, err := filepath.Rel(root, d.Path); err == nil {
			return fmt.Sprintf("`git checkout --merge -- %s` writes both sides of the merge anew; then `manicule resolve`.", filepath.ToSlash(rel))
		}
	}
	id := file.ShortID(d.UUID)
	from := "this machine's"
	if !d.Last.Here {
		from = fmt.Sprintf("commit %.8s's", d.Last.Commit)
	}
	before := ""
	if d.Newer { // what a newer version wrote would be undone
		before = "Update Manicule, if a newer version wrote it. Else "
	}
	return before + fmt.Sprintf("`manicule revert %s` brings back version %d of %s, %s; `manicule history %s` lists others.", id, d.Last.Memory.Lineage.Version, d.Last.Memory.UpdatedAt.Format("2006-01-02 15:04"), from, id)
}

// Damaged returns the damaged file of the memory that id is short for. ok is false if none or several match, or no
// version of it is known.
func (h *History) Damaged(ctx context.Context, id string) (d Damaged, ok bool, err error) {
	if len(id) < minID {
		return d, false, nil
	}
	faults, err := h.rows.Faults(ctx)
	if err != nil {
		return d, false, err
	}
	for _, f := range faults {
		name := strings.TrimSuffix(path.Base(f.Path), ".json")
		if f.Held != "" || !file.ValidUUID(name) || !file.Abbreviates(id, name) {
			continue
		}
		if ok {
			return Damaged{}, false, nil // two files
		}
		d, ok = Damaged{UUID: name, Path: filepath.Join(h.place.MemoriesDir(), filepath.FromSlash(f.Path))}, true
	}
	if !ok {
		return Damaged{}, false, nil
	}
	var damaged bool
	if damaged, d.Newer = isDamaged(d.Path); !damaged {
		return Damaged{}, false, nil
	}
	line, err := h.versions(ctx, d.UUID, nil)
	if err != nil || len(line) == 0 {
		return Damaged{}, false, err
	}
	d.Last, d.Sides = line[0], h.git.hasSides(d.Path)
	return d, true, nil
}

// isDamaged reports whether a file is there and says nothing that this version or a newer format could read, and whether a newer
// version may have written it nevertheless.
func isDamaged(name string) (damaged, newer bool) {
	_, err := file.Read(name)
	fault, ok := errors.AsType[*file.Error](err)
	if !ok || errors.Is(err, file.ErrNewer) {
		return false, false
	}
	newer = errors.Is(err, file.ErrUnknownValue)
	_, err = file.ReadBytes(name) // a link or a folder can't be written either
	return fault != nil && err == nil, newer
}

// Last returns the newest version that is known of a memory, on this machine or in git. ok is false without one. It
// reads git's history, which takes as long as a log of one file.
func (h *History) Last(ctx context.Context, uuid string) (m *file.Memory, ok bool, err error) {
	return newestOf(h.versions(ctx, uuid, nil))
}

// Committed is Last where the last commit has a sound version, or where there is no git: then no history has to
// be read. Else ok is false.
func (h *History) Committed(ctx context.Context, uuid string) (m *file.Memory, ok bool, err error) {
	if h.git.Dir() == "" {
		return newestOf(h.versionsWith(ctx, uuid, nil, nil))
	}
	if m := h.git.committed(uuid); m != nil {
		return newestOf(h.versionsWith(ctx, uuid, nil, []gitVersion{{memory: m}}))
	}
	return nil, false, nil
}

func newestOf(line []Past, err error) (m *file.Memory, ok bool, _ error) {
	if err != nil || len(line) == 0 {
		return nil, false, err
	}
	return line[0].Memory, true, nil
}

package thread

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/atomicfile"
	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/gate/injection"
	"manicule/memory/secret"
)

// SharedFolder holds the threads that a team shares, within the project's own folder.
const SharedFolder = "sessions"

// Limits of the files of threads that are read: a session's start reads them, and a clone may bring many.
const (
	maxShared      = 300
	maxSharedBytes = 1 << 20
)

// members are what a thread's file has beside the members of a memory. Each is one of its own, so that the merge
// driver for memories merges them one by one.
type members struct {
	Kind       Kind   `json:"thread_kind"`
	State      State  `json:"thread_state"`
	Resolution string `json:"thread_resolution,omitzero"`
	Owner      string `json:"thread_owner,omitzero"`
	Agent      string `json:"thread_agent,omitzero"`

	// Extra keeps members that this version does not know.
	Extra jsontext.Value `json:",embed"`
}

// SharedPath is the file of a shared thread.
func SharedPath(p *workspace.Workspace, uuid string) string {
	return filepath.Join(p.Root, filepath.FromSlash(SharedName(uuid)))
}

// SharedName is the file of a shared thread, relative to the root, with slashes.
func SharedName(uuid string) string { return path.Join(workspace.Folder, SharedFolder, uuid+".json") }

// Shared reads the threads that the files of a workspace share, ordered by uuid. A file that is no thread is left out and part
// of the error. A thread whose words no agent may be told, since its file may have come with a clone, is marked
// as tainted.
func Shared(p *workspace.Workspace) (out []Thread, err error) {
	dir := filepath.Dir(SharedPath(p, "-"))
	entries, rerr := os.ReadDir(dir)
	if errors.Is(rerr, fs.ErrNotExist) || len(entries) == 0 && rerr == nil {
		return nil, nil
	}
	if rerr != nil {
		return nil, fmt.Errorf("list the shared threads: %w", rerr)
	}
	folder, err := treefile.OpenOwnFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("list the shared threads: %w", err)
	}
	var errs []error
	size := 0
	for _, e := range entries {
		uuid, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || atomicfile.IsTemporary(e.Name()) {
			continue
		}
		if len(out) == maxShared || size > maxSharedBytes {
			errs = append(errs, fmt.Errorf("list the shared threads: more than %d or %d MB, the rest is left out", maxShared, maxSharedBytes>>20))
			break
		}
		data, err := folder.Read(e.Name(), file.MaxSize)
		size += len(data)
		if err != nil {
			errs = append(errs, fmt.Errorf("read a shared thread: %w", err))
			continue
		}
		t, err := parseShared(data, uuid)
		if err != nil {
			errs = append(errs, fmt.Errorf("read the shared thread %s: %w", e.Name(), err))
			continue
		}
		out = append(out, t)
	}
	return out, errors.Join(append(errs, folder.Close())...)
}

// SharedOf is Shared for a reader whom a damaged file must not stop: it is logged.
func SharedOf(p *workspace.Workspace, log *slog.Logger) []Thread {
	list, err := Shared(p)
	if err != nil {
		log.Warn("read the shared threads", "root", p.Root, "err", err)
	}
	return list
}

// SharedOne reads one shared thread as Shared does.
func SharedOne(p *workspace.Workspace, uuid string) (t Thread, err error) {
	if !file.ValidUUID(uuid) {
		return t, fmt.Errorf("read the shared thread %q: no id", uuid)
	}
	name := SharedPath(p, uuid)
	folder, err := treefile.OpenOwnFolder(filepath.Dir(name))
	if err != nil {
		return t, fmt.Errorf("read a shared thread: %w", err)
	}
	data, err := folder.Read(filepath.Base(name), file.MaxSize)
	if err = errors.Join(err, folder.Close()); err != nil {
		return t, fmt.Errorf("read a shared thread: %w", err)
	}
	return parseShared(data, uuid)
}

func parseShared(data []byte, uuid string) (t Thread, err error) {
	m, err := file.ParseMerged(data) // of a clone without the driver
	if err != nil {
		return t, err
	}
	if m.UUID != uuid {
		return t, errors.New("it is not named after its uuid")
	}
	var x members
	if len(m.Extra) > 0 {
		if err := json.Unmarshal(m.Extra, &x); err != nil {
			return t, err
		}
	}
	if !slices.Contains(Kinds(), x.Kind) || !slices.Contains(states(), x.State) {
		return t, fmt.Errorf("thread_kind %q or thread_state %q is unknown", x.Kind, x.State)
	}
	t = Thread{Memory: m, Kind: x.Kind, State: x.State, Resolution: x.Resolution, Owner: x.Owner, Agent: x.Agent, Shared: true,
		Version: m.Lineage.Version, Created: m.CreatedAt.Time, Updated: m.UpdatedAt.Time}
	said := []string{m.What, m.Why, x.Resolution, x.Owner, x.Agent, m.Contributor, strings.Join(m.Tags, " "), t.Place()}
	for _, v := range m.Conflict {
		said = append(said, v.What, v.Why, v.Contributor)
	}
	if text := strings.Join(said, "\n"); injection.Find(text) != "" || len(secret.Find(text)) > 0 {
		m.Trust.Tainted = true
	}
	return t, nil
}

// SharedFile is what the file of a shared thread says.
func SharedFile(t Thread) (*file.Memory, error) {
	m := t.Memory.Clone()
	var x members
	if len(m.Extra) > 0 {
		if err := json.Unmarshal(m.Extra, &x); err != nil {
			return nil, fmt.Errorf("write a shared thread: %w", err)
		}
	}
	x.Kind, x.State, x.Resolution, x.Owner, x.Agent = t.Kind, t.State, t.Resolution, t.Owner, t.Agent
	extra, err := json.Marshal(x, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("write a shared thread: %w", err)
	}
	m.Extra = jsontext.Value(extra)
	return m, nil
}

// WriteFile writes the file of a shared thread, of which m is what [SharedFile] makes or a merge has.
func WriteFile(p *workspace.Workspace, m *file.Memory) error {
	data, err := m.Marshal()
	if err != nil {
		return fmt.Errorf("write a shared thread: %w", err)
	}
	dir := filepath.Dir(SharedPath(p, m.UUID))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("write a shared thread: %w", err)
	}
	if err := treefile.CheckNoLinks(dir); err != nil {
		return fmt.Errorf("write a shared thread: %w", err)
	}
	if err := file.WriteOwn(filepath.Dir(dir), path.Join(SharedFolder, m.UUID+".json"), data); err != nil {
		return fmt.Errorf("write a shared thread: %w", err)
	}
	return nil
}

// WithShared adds shared threads to those of this machine. Where both have one, the shared one counts. The latest
// change comes first.
func WithShared(own, shared []Thread) []Thread {
	if len(shared) == 0 {
		return own
	}
	is := map[string]bool{}
	for i := range shared {
		is[shared[i].Memory.UUID] = true
	}
	out := slices.DeleteFunc(slices.Clone(own), func(t Thread) bool { return is[t.Memory.UUID] })
	out = append(out, shared...)
	sorting.StableFunc(out, func(a, b Thread) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.Memory.UUID, b.Memory.UUID))
	})
	return out
}

package sqlfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"manicule/indexer/atomicfile"
	"manicule/indexer/treefile"
)

// Generations names the files of a derived database that is rebuilt when it is
// damaged. Other processes may have the damaged file open, so the new one never reuses
// an old name. A small pointer file names the current one.
type Generations struct {
	Dir  string
	Name string // with the schema's version, such as "code.v3"
}

func (g Generations) pointer() string { return filepath.Join(g.Dir, g.Name+".current") }

// Current returns the path of the current generation. The first has no number.
func (g Generations) Current() string {
	data, err := treefile.ReadMade(g.pointer())
	name := strings.TrimSpace(string(data))
	if err != nil || !g.owns(name) {
		name = g.Name + ".db"
	}
	return filepath.Join(g.Dir, name)
}

func (g Generations) owns(name string) bool {
	return name == filepath.Base(name) && strings.HasPrefix(name, g.Name+".") && strings.HasSuffix(name, ".db")
}

// Next replaces a damaged generation by a new one, unless another process already did,
// and returns the path of the current one. It deletes older ones; a process that has
// one open keeps it until close.
func (g Generations) Next(damaged string) (string, error) {
	if now := g.Current(); now != damaged {
		return now, nil
	}
	name := g.Name + "." + rand.Text() + ".db"
	if err := atomicfile.Write(g.pointer(), []byte(name+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("create a new generation of %s: %w", g.Name, err)
	}
	list, err := os.ReadDir(g.Dir)
	if err != nil {
		return "", fmt.Errorf("list old generations of %s: %w", g.Name, err)
	}
	var errs []error
	for _, e := range list {
		if g.owns(e.Name()) && e.Name() != name {
			errs = append(errs, Remove(filepath.Join(g.Dir, e.Name())))
		}
	}
	if err := errors.Join(errs...); err != nil && !errors.Is(err, fs.ErrPermission) { // Windows: it is open elsewhere
		return "", err
	}
	return filepath.Join(g.Dir, name), nil
}

// Open opens the current generation with a function that also migrates it, or a new
// generation if the current one is damaged.
func (g Generations) Open(open func(path string) (*DB, error)) (*DB, error) {
	path := g.Current()
	db, err := open(path)
	if !IsCorrupt(err) && !IsSchema(err) {
		return db, err
	}
	if path, err = g.Next(path); err != nil {
		return nil, err
	}
	return open(path)
}

const (
	// earlierKept is how long a database of an earlier schema is kept unused, for a program that was not updated.
	earlierKept = 7 * 24 * time.Hour
	// earlierOpen is how long, if it has a journal: a program has it open, or was killed.
	earlierOpen = 30 * 24 * time.Hour
)

// RemoveEarlier removes the derived databases called NAME.vN.… in a folder, and their pointers, whose schema is earlier than this
// one and which no program of an earlier version can be using, by their age. It is called when the database of this schema is
// complete. A failure only means that they stay.
func RemoveEarlier(dir, name string, schema int, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	files := map[string]fs.FileInfo{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && earlier(e.Name(), name, schema) {
			files[e.Name()] = info
		}
	}
	used := map[string]bool{}
	for file, info := range files {
		kept := earlierKept
		if strings.HasSuffix(file, "-wal") || strings.HasSuffix(file, "-shm") {
			kept = earlierOpen
		}
		if now.Sub(info.ModTime()) < kept {
			used[versionOf(file)] = true
		}
	}
	for file := range files {
		if !used[versionOf(file)] {
			_ = os.Remove(filepath.Join(dir, file)) // the next time again
		}
	}
}

// versionOf is the part of a name that says the schema.
func versionOf(file string) string { return strings.Split(file, ".")[1] }

// earlier reports whether a file is of NAME.vN with a version before schema.
func earlier(file, name string, schema int) bool {
	rest, ok := strings.CutPrefix(file, name+".v")
	version, _, dotted := strings.Cut(rest, ".")
	n, err := strconv.Atoi(version)
	return ok && dotted && err == nil && n < schema
}

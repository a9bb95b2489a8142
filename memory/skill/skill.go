// Package skill reads and writes the files in which agents keep skills and commands. It must not know
// databases: package store keeps the index of them.
package skill

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"manicule/indexer/atomicfile"
	"manicule/indexer/clip"
	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
	"manicule/memory/gate"
)

// Kind is what a file is to an agent.
type Kind string

// The kinds of files.
const (
	Skill   Kind = "skill"   // a folder with a SKILL.md, which the agent loads when its description fits
	Command Kind = "command" // a prompt that a person calls by its name
)

// File is a skill or a command.
type File struct {
	Path        string // below the root, with forward slashes
	Kind        Kind
	Name        string
	Description string
	Hash        string // of the content
}

// maxFile is the size in bytes above which a file is no skill, and maxFiles how many are read.
const (
	maxFile  = 256 << 10
	maxFiles = 500
)

// Folder is where an agent looks for skills.
type Folder struct {
	Agent string
	Dir   string
}

// Folders lists where skills can be written, by agent. The generic folder is read by Codex, OpenCode,
// Cursor, Gemini CLI and others; Claude Code reads its own.
func Folders() []Folder {
	return []Folder{{"claude-code", ".claude/skills"}, {"generic", ".agents/skills"}}
}

// scanned lists where skills and commands are looked for.
func scanned() []struct {
	dir  string
	kind Kind
} {
	return []struct {
		dir  string
		kind Kind
	}{
		{".claude/skills", Skill}, {".agents/skills", Skill}, {".github/skills", Skill}, {".codex/skills", Skill}, {".opencode/skill", Skill}, {".opencode/skills", Skill},
		{".cursor/skills", Skill}, {".gemini/skills", Skill},
		{".claude/commands", Command}, {".opencode/command", Command}, {".opencode/commands", Command}, {".cursor/commands", Command}, {".github/prompts", Command},
		{".gemini/commands", Command}, {".codex/prompts", Command},
	}
}

// Scan reads the skills and commands below a root. Links are not followed, and what can't be read is left
// out.
func Scan(root string) []File {
	tree, err := os.OpenRoot(root)
	if err != nil {
		return nil
	}
	defer func() { _ = tree.Close() }() // it was only read
	var out []File
	for _, where := range scanned() {
		_ = fs.WalkDir(tree.FS(), where.dir, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return fs.SkipDir // not there, or not readable
			case len(out) >= maxFiles:
				return fs.SkipAll
			case d.IsDir() || !d.Type().IsRegular():
				return nil
			case where.kind == Skill && path.Base(p) != "SKILL.md":
				return nil
			case where.kind == Command && path.Ext(p) != ".md" && path.Ext(p) != ".toml":
				return nil
			}
			if data, err := treefile.ReadWithin(root, p, maxFile); err == nil {
				out = append(out, read(p, where.kind, data))
			}
			return nil
		})
	}
	sorting.Func(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// read takes a file's name and description from its front matter, else from its path and first line.
func read(p string, kind Kind, data []byte) File {
	f := File{Path: p, Kind: kind, Hash: Hash(data)}
	if f.Name = strings.TrimSuffix(strings.TrimSuffix(path.Base(p), path.Ext(p)), ".prompt"); kind == Skill {
		f.Name = path.Base(path.Dir(p))
	}
	head, body := cut(data)
	var front struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	if decode(head, &front) == nil {
		if front.Name != "" && kind == Skill {
			f.Name = front.Name
		}
		f.Description = front.Description
	}
	if path.Ext(p) == ".toml" {
		for line := range strings.Lines(string(data)) {
			if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "description" {
				f.Description = strings.Trim(strings.TrimSpace(value), `"'`)
			}
		}
	} else if f.Description == "" {
		for line := range strings.Lines(string(body)) {
			if line = strings.TrimSpace(strings.TrimLeft(line, "#> ")); line != "" {
				f.Description = line
				break
			}
		}
	}
	f.Name, f.Description = oneLine(f.Name, 80), oneLine(f.Description, 300)
	return f
}

// cut splits off the front matter.
func cut(data []byte) (head, body []byte) {
	text := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	if !ok {
		return nil, text
	}
	head, body, ok = bytes.Cut(rest, []byte("\n---\n"))
	if !ok {
		return nil, text
	}
	return head, body
}

// decode turns the decoder's panics on malformed input into errors.
func decode(data []byte, into any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("read front matter: %v", r)
		}
	}()
	return yaml.Unmarshal(data, into)
}

// Hash identifies the content of a file, whatever its line ends.
func Hash(data []byte) string {
	sum := sha256.Sum256(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
	return hex.EncodeToString(sum[:])
}

// oneLine folds white space, drops what a terminal or an agent would take for more than text, and cuts.
func oneLine(s string, limit int) string {
	return clip.MarkedChars(gate.Printable(strings.Join(strings.Fields(s), " ")), limit)
}

// ChangedError is returned if a file that would be written holds something else than what was written
// there before: a person's text.
type ChangedError struct{ Path string }

func (e *ChangedError) Error() string { return e.Path + " was written or changed by a person" }

// Write writes a skill below a root, unless the same is there. written is the hash of what was written
// there before, "" for nothing: anything else there is a person's and stays.
func Write(root, rel string, data []byte, written string) (changed bool, err error) {
	full := filepath.Join(root, filepath.FromSlash(rel))
	old, err := treefile.ReadWithin(root, rel, maxFile)
	switch {
	case err == nil && Hash(old) == Hash(data):
		return false, nil
	case err == nil && (written == "" || Hash(old) != written):
		return false, &ChangedError{rel}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("look at %s: %w", rel, err)
	}
	if err := treefile.CheckNoLinks(full); err != nil {
		return false, fmt.Errorf("write a skill: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		return false, fmt.Errorf("write a skill: %w", err)
	}
	if err := atomicfile.Write(full, data, 0o666); err != nil {
		return false, fmt.Errorf("write %s: %w", rel, err)
	}
	return true, nil
}

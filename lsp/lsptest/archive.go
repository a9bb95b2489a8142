package lsptest

import (
	"fmt"
	"os"
	"strings"
)

// Archive is several files in one text, each behind a line "-- name --", with
// a comment before the first. It is the txtar form.
type Archive struct {
	Comment string
	Files   []File
}

// File is one file of an archive. Its text ends with a line end.
type File struct{ Name, Text string }

// ParseArchive reads an archive.
func ParseArchive(text string) *Archive {
	a := new(Archive)
	for line := range strings.Lines(text) {
		name, ok := fileName(line)
		switch {
		case ok:
			a.Files = append(a.Files, File{Name: name})
		case len(a.Files) == 0:
			a.Comment += line
		default:
			a.Files[len(a.Files)-1].Text += line
		}
	}
	return a
}

func fileName(line string) (string, bool) {
	line = strings.TrimRight(line, "\r\n")
	name, ok := strings.CutPrefix(line, "-- ")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, " --")
}

// ReadArchive reads an archive from a file.
func ReadArchive(path string) (*Archive, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	return ParseArchive(string(b)), nil
}

// String writes the archive.
func (a *Archive) String() string {
	var b strings.Builder
	b.WriteString(a.Comment)
	for _, f := range a.Files {
		b.WriteString("-- " + f.Name + " --\n" + f.Text)
		if f.Text != "" && !strings.HasSuffix(f.Text, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

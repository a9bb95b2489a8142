// Package evalkit holds what the evaluations and benchmarks share: JSON Lines
// datasets, confidence intervals and percentiles, Markdown tables, the generated part
// of a document, the machine's load, and subcommands. It must not know what is
// measured.
package evalkit

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/pflag"
)

// ErrMissing means that a dataset, a repository or a tool is not available. The part that
// needs it is skipped.
var ErrMissing = errors.New("not here")

// Missing returns an ErrMissing that says what is missing and how to get it.
func Missing(format string, args ...any) error { return missing(fmt.Sprintf(format, args...)) }

type missing string

// Error returns the message.
func (m missing) Error() string { return string(m) }

// Is reports whether target is ErrMissing.
func (m missing) Is(err error) bool { return err == ErrMissing }

// Data is the folder of the datasets, or "".
type Data string

// Flag adds the flag that names the folder.
func (d *Data) Flag(f *pflag.FlagSet) {
	f.StringVar((*string)(d), "data", os.Getenv("EVAL_DATA"), "the folder of the datasets")
}

// Path returns a file or folder of the datasets, or ErrMissing if it does not exist.
func (d Data) Path(elem ...string) (string, error) {
	if d == "" {
		return "", Missing("no folder of datasets, name it with --data")
	}
	path := filepath.Join(append([]string{string(d)}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		return "", Missing("%v", err)
	}
	return path, nil
}

// Lines calls each for every non-blank line of a file. Files that end in .gz are
// decompressed.
func Lines(name string, each func(line []byte) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	lines := bufio.NewReaderSize(r, 1<<20)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 {
			if err := each(line); err != nil {
				return fmt.Errorf("read %s, line %d: %w", name, n, err)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
}

// ReadLines reads a file of JSON lines.
func ReadLines[T any](name string) (out []T, err error) {
	err = Lines(name, func(line []byte) error {
		var v T
		err := json.Unmarshal(line, &v)
		out = append(out, v)
		return err
	})
	return out, err
}

// ParseLines parses embedded JSON lines.
func ParseLines[T any](text string) ([]T, error) {
	var out []T
	for line := range strings.Lines(text) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(out)+1, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// WriteLines writes values as JSON lines. Equal values give equal bytes.
func WriteLines[T any](name string, values []T) error {
	var b bytes.Buffer
	for _, v := range values {
		line, err := json.Marshal(v, json.Deterministic(true))
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

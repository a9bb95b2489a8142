package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"manicule/indexer/atomicfile"
	"manicule/indexer/treefile"
)

// Write sets a whole number in a configuration file and keeps everything else, including comments.
// It refuses a file that is not TOML.
func Write(path, key string, value int) error {
	data, err := treefile.Read(path, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the configuration: %w", err)
	}
	next := withValue(strings.TrimPrefix(string(data), bom), key, value)
	tree, flat := map[string]any{}, map[string]any{}
	if err := toml.Unmarshal([]byte(next), &tree); err != nil {
		return fmt.Errorf("set %s in %s: %w", key, path, err)
	}
	if flatten("", tree, flat, depth); flat[key] != int64(value) {
		return fmt.Errorf("set %s in %s: it is written there in another way", key, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder of %s: %w", path, err)
	}
	return atomicfile.Write(path, []byte(next), 0o600)
}

// withValue sets a key where it is set already, else in its table, else before all tables. A new
// table could clash with one that dotted keys have created.
func withValue(text, key string, value int) string {
	dot := strings.LastIndexByte(key, '.')
	table, last := key[:max(dot, 0)], key[dot+1:]
	var lines []string
	for l := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(l, "\r\n"))
	}
	in, header := "", -1
	for i, l := range lines {
		trimmed := strings.TrimSpace(l)
		if inner, ok := strings.CutPrefix(trimmed, "["); ok && !strings.HasPrefix(inner, "[") {
			name, _, _ := strings.Cut(inner, "]")
			in = strings.TrimSpace(name)
			if in == table {
				header = i
			}
			continue
		}
		name, old, ok := strings.Cut(trimmed, "=")
		if name = strings.TrimSpace(name); ok && (in == table && name == last || in == "" && name == key) {
			comment := ""
			if at := strings.IndexByte(old, '#'); at >= 0 {
				comment = " " + old[at:]
			}
			lines[i] = fmt.Sprintf("%s = %d%s", name, value, comment)
			return strings.Join(lines, "\n") + "\n"
		}
	}
	if header >= 0 {
		lines = append(lines[:header+1], append([]string{fmt.Sprintf("%s = %d", last, value)}, lines[header+1:]...)...)
	} else {
		lines = append([]string{fmt.Sprintf("%s = %d", key, value)}, lines...)
	}
	return strings.Join(lines, "\n") + "\n"
}

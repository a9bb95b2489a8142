package grammars

import (
	"bytes"
	"path"
	"strings"
	"sync"
)

// interpreters maps the names of programs that run scripts to languages.
var interpreters = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"sh": "bash", "bash": "bash", "dash": "bash", "ash": "bash", "ksh": "bash",
		"python": "python", "pypy": "python", "ruby": "ruby", "node": "javascript", "bun": "javascript", "perl": "perl",
		"lua": "lua", "php": "php", "elixir": "elixir", "Rscript": "r", "pwsh": "powershell", "groovy": "groovy", "make": "make",
	}
})

// ForFile returns the language of a file, by its path or else, for a name without an
// extension, by the first line of its text, which may name the program that runs it.
func ForFile(name string, text []byte) (Language, bool) {
	if l, ok := ForPath(name); ok {
		return l, true
	}
	rest, ok := bytes.CutPrefix(text[:min(len(text), maxShebang)], []byte("#!"))
	if !ok || path.Ext(strings.ReplaceAll(name, `\`, "/")) != "" {
		return Language{}, false
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	for i, word := range strings.Fields(string(line)) {
		program := path.Base(word)
		if i > 0 && (strings.HasPrefix(word, "-") || strings.Contains(word, "=")) || program == "env" {
			continue // what env takes
		}
		return ByID(interpreters()[strings.TrimRight(program, "0123456789.")])
	}
	return Language{}, false
}

// maxShebang is how long a first line may be.
const maxShebang = 256

//go:build ignore

// Generate writes the parsers of the languages, each a package of its own, from
// those that the go-tree-sitter module has. It takes the parse tables out of the
// C source and keeps them packed: nine tenths of a parser are such tables, and they
// pack to a sixteenth. The lexers get the macros of lexing.h, the scanners the function of scanning.h. It needs gcc, and zstd where a table is new.
//
//	go run generate.go

package main

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"go/format"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/klauspost/compress/zstd"
)

const module = "github.com/smacker/go-tree-sitter"

const (
	packedFile  = "tables.zst"
	scannerFile = "scanner.c"
)

// languages are the folders of the module, by the name of the package.
var languages = map[string]string{
	"bash": "bash", "c": "c", "cpp": "cpp", "csharp": "csharp", "elixir": "elixir", "golang": "golang", "java": "java",
	"javascript": "javascript", "kotlin": "kotlin", "lua": "lua", "markdown": "markdown/tree-sitter-markdown", "php": "php",
	"python": "python", "ruby": "ruby", "rust": "rust", "scala": "scala", "swift": "swift", "toml": "toml",
	"tsx": "typescript/tsx", "typescript": "typescript/typescript", "yaml": "yaml",
}

// table is an array of a parser that has no pointers in it, so that its bytes are
// the same on every machine that is little-endian. The fields of the actions are
// bytes and 16-bit numbers, which compilers align alike.
type table struct{ name, field, ctype string }

var tables = []table{
	{"ts_parse_table", "parse_table", "uint16_t"},
	{"ts_small_parse_table", "small_parse_table", "uint16_t"},
	{"ts_small_parse_table_map", "small_parse_table_map", "uint32_t"},
	{"ts_parse_actions", "parse_actions", "TSParseActionEntry"},
	{"ts_lex_modes", "lex_modes", "TSLexMode"},
	{"ts_alias_sequences", "alias_sequences", "TSSymbol"},
	{"ts_primary_state_ids", "primary_state_ids", "TSStateId"},
}

func main() {
	log.SetFlags(0)
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	check(err)
	root := strings.TrimSpace(string(out))
	for _, name := range []string{"alloc.h", "array.h"} {
		copyFile(filepath.Join(root, name), name)
	}
	for name, dir := range languages {
		generate(name, filepath.Join(root, filepath.FromSlash(dir)))
	}
}

func generate(name, from string) {
	had, err := os.ReadFile(filepath.Join(name, packedFile))
	if err != nil && !os.IsNotExist(err) {
		log.Fatal(err)
	}
	scanner, err := os.ReadFile(filepath.Join(name, scannerFile))
	if err != nil && !os.IsNotExist(err) {
		log.Fatal(err)
	}
	check(os.RemoveAll(name))
	check(os.MkdirAll(name, 0o755))
	check(filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		check(err)
		rel, err := filepath.Rel(from, path)
		check(err)
		switch ext := filepath.Ext(path); {
		case d.IsDir():
			check(os.MkdirAll(filepath.Join(name, rel), 0o755))
		case ext == ".cc": // its library would have to be where the program runs: the folder has one in C, which is kept
			write(filepath.Join(name, scannerFile), goingOn(scanner))
		case rel != "parser.c" && (ext == ".c" || ext == ".h"):
			source, err := os.ReadFile(path)
			check(err)
			write(filepath.Join(name, rel), goingOn(source))
		}
		return nil
	}))
	source, err := os.ReadFile(filepath.Join(from, "parser.c"))
	check(err)
	raw, offsets := unpacked(from)
	packed := pack(raw, had)
	function, stripped := strip(name, source, offsets)
	write(filepath.Join(name, "parser.c"), stripped)
	write(filepath.Join(name, packedFile), packed)
	code, err := format.Source(fmt.Appendf(nil, binding, name, name, function, function))
	check(err)
	write(filepath.Join(name, name+".go"), code)
	fmt.Printf("%-12s tables %8d packed %7d source %8d of %8d\n", name, len(raw), len(packed), len(stripped), len(source))
}

// unpacked are the tables of a parser behind each other, as a compiler lays them
// out, and where each is.
func unpacked(from string) ([]byte, map[string]int) {
	object := filepath.Join(os.TempDir(), fmt.Sprintf("parser-%d.o", os.Getpid()))
	defer os.Remove(object)
	cmd := exec.Command("gcc", "-c", "-O0", "-w", "-o", object, filepath.Join(from, "parser.c"))
	cmd.Stderr = os.Stderr
	check(cmd.Run())
	f, err := elf.Open(object)
	check(err)
	defer f.Close()
	symbols, err := f.Symbols()
	check(err)
	var all bytes.Buffer
	offsets := map[string]int{}
	for _, t := range tables {
		for _, s := range symbols {
			if s.Name != t.name {
				continue
			}
			for all.Len()%8 != 0 {
				all.WriteByte(0)
			}
			section := f.Sections[s.Section]
			offsets[t.name] = all.Len()
			if section.Type == elf.SHT_NOBITS {
				all.Write(make([]byte, s.Size))
				continue
			}
			data, err := section.Data()
			check(err)
			all.Write(data[s.Value : s.Value+s.Size])
		}
	}
	return all.Bytes(), offsets
}

// slow are the parsers whose optimization takes a compiler more than six seconds even without the tables.
var slow = map[string]bool{"bash": true, "swift": true}

// unoptimized are the pragmas that keep a compiler from optimizing a large parser, because of its tables.
var unoptimized = regexp.MustCompile(`(?m)^#ifdef _MSC_VER\n#pragma optimize\("", off\)\n#elif defined\(__clang__\)\n#pragma clang optimize off\n#elif defined\(__GNUC__\)\n#pragma GCC optimize \("O0"\)\n#endif\n\n`)

var (
	head     = regexp.MustCompile(`(?m)^(?:TS_PUBLIC |extern )?const TSLanguage \*(tree_sitter_\w+)\((?:void)?\) \{\n  static (?:const )?TSLanguage language = \{\n`)
	returned = "  return &language;\n"
)

// strip takes the tables out of a parser's source. Its function is given where
// they are in memory.
func strip(name string, source []byte, offsets map[string]int) (function string, stripped []byte) {
	text := strings.ReplaceAll(string(source), "\x00", `\0`) // of a symbol's name; compilers warn of the character itself
	m := head.FindStringSubmatch(text)
	if m == nil || strings.Count(text, returned) != 1 {
		log.Fatalf("%s: no function that returns the language", name)
	}
	text = strings.Replace(text, m[0], "const TSLanguage *"+m[1]+"(const char *tables) {\n  static TSLanguage language = {\n", 1)
	if !slow[name] {
		text = scanning(unoptimized.ReplaceAllString(text, ""))
	}
	var set strings.Builder
	for _, t := range tables {
		at, ok := offsets[t.name]
		if !ok {
			continue
		}
		array := regexp.MustCompile(`(?m)^static (?:const )?\w+ ` + t.name + `(?:\[\w*\])+ = \{\n(?:[^}].*\n|\}[^;\n].*\n|\n)*\};\n\n?`)
		field := regexp.MustCompile(`(?m)^ *\.` + t.field + ` = .*\n`)
		if len(array.FindAllStringIndex(text, -1)) != 1 || len(field.FindAllStringIndex(text, -1)) != 1 {
			log.Fatalf("%s: %s is not there once", name, t.name)
		}
		text = array.ReplaceAllString(text, "")
		text = field.ReplaceAllString(text, "")
		fmt.Fprintf(&set, "  language.%s = (const %s *)(tables + %d);\n", t.field, t.ctype, at)
	}
	text = strings.Replace(text, returned, set.String()+returned, 1)
	return m[1], []byte("// Code generated by generate.go from " + module + "; DO NOT EDIT.\n\n" + text)
}

var (
	header = regexp.MustCompile(`(?m)^#include "(?:tree_sitter/)?parser\.h"\n`)
	asked  = regexp.MustCompile(`(?m)^  START_LEXER\(\);\n  eof = lexer->eof\(lexer\);\n`)
)

// scanning has the lexers use the macros of lexing.h. Go does not compile a package again because a file of another folder has
// changed, so the hash of that is in the source.
func scanning(text string) string {
	macros, err := os.ReadFile("lexing.h")
	check(err)
	text = header.ReplaceAllStringFunc(text, func(include string) string {
		return include + fmt.Sprintf("#include \"../lexing.h\" // %.4x\n", sha256.Sum256(macros))
	})
	return asked.ReplaceAllString(text, "  START_LEXER();\n")
}

var (
	advance = regexp.MustCompile(`\b\w+->advance\((\w+), (true|false)\)`)
	known   = regexp.MustCompile(`(?m)^#include "\.\./scanning\.h" // .*\n`)
)

// goingOn has a scanner use the function of scanning.h. A scanner that is kept has done so before.
func goingOn(source []byte) []byte {
	if !advance.Match(source) && !known.Match(source) {
		return source
	}
	var macros []byte
	for _, name := range []string{"lexing.h", "scanning.h"} {
		text, err := os.ReadFile(name)
		check(err)
		macros = append(macros, text...)
	}
	text := advance.ReplaceAllString(known.ReplaceAllString(string(source), ""), "manicule_advance($1, $2)")
	return []byte(header.ReplaceAllStringFunc(text, func(include string) string {
		return include + fmt.Sprintf("#include \"../scanning.h\" // %.4x\n", sha256.Sum256(macros))
	}))
}

const binding = `// Code generated by generate.go from ` + module + `; DO NOT EDIT.

// Package %s owns the generated parser of one language. It must not know what its
// trees are for.
package %s

// #include "parser.h"
// const TSLanguage *%s(const char *tables);
import "C"

import (
	_ "embed"
	"sync"
	"unsafe"

	"manicule/indexer/extract/treesitter/parsers"
)

//go:embed tables.zst
var packed string

// Language is the grammar, a TSLanguage.
var Language = sync.OnceValue(func() unsafe.Pointer {
	return unsafe.Pointer(C.%s((*C.char)(parsers.Unpack(packed))))
})
`

// pack packs the tables, their length first. What the folder has is kept where the tables are the same,
// as another version of zstd may write other bytes.
func pack(tables, had []byte) []byte {
	size := binary.LittleEndian.AppendUint32(nil, uint32(len(tables)))
	if packed, ok := bytes.CutPrefix(had, size); ok {
		decoder, err := zstd.NewReader(nil)
		check(err)
		defer decoder.Close()
		if old, err := decoder.DecodeAll(packed, nil); err == nil && bytes.Equal(old, tables) {
			return had
		}
	}
	cmd := exec.Command("zstd", "--quiet", "--ultra", "-22", "--no-check", fmt.Sprintf("--stream-size=%d", len(tables)), "--stdout")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(tables), os.Stderr
	packed, err := cmd.Output()
	check(err)
	return append(size, packed...)
}

func copyFile(from, to string) {
	data, err := os.ReadFile(from)
	check(err)
	write(to, data)
}

func write(path string, data []byte) { check(os.WriteFile(path, data, 0o644)) }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

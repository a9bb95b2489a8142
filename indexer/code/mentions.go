package code

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"manicule/indexer/graph"
	"manicule/indexer/sorting"
	"manicule/indexer/words"
)

// A function is also known by what mentions it: the tests, documents and callers that use its name
// say in other words what it does.
const (
	mentioning  = 30  // how many of the best pieces are read
	maxNamed    = 3   // how many functions may have a name that tells something
	minName     = 3   // bytes of such a name
	maxMentions = 400 // how many names of a piece are looked up
)

// nameOf returns the name under which others mention a piece, "" for one that is no function of
// the code itself.
func nameOf(file string, c graph.Chunk) string {
	if !IsFunction(c.Kind) || graph.IsTest(file) {
		return ""
	}
	if name := c.Symbol[strings.LastIndexAny(c.Symbol, ".:#/")+1:]; len(name) >= minName {
		return name
	}
	return ""
}

// mention is a piece that uses a name.
type mention struct {
	hit
	path string
}

// mentioned ranks the functions that the best hits mention, by the score of the best one that
// does. The hits are sorted by score.
func (s search) mentioned(ctx context.Context, hits []hit) ([]hit, error) {
	texts := make(map[string]string)
	users, err := s.x.namesUsed(ctx, hits[:min(len(hits), mentioning)], texts)
	if err != nil || len(users) == 0 {
		return nil, err
	}
	named, err := s.x.named(ctx, slices.Sorted(maps.Keys(users)))
	if err != nil {
		return nil, err
	}
	var out []hit
	for _, f := range named {
		if _, ok := slices.BinarySearch(s.among, f.id); s.among != nil && !ok {
			continue
		}
		for _, u := range users[f.name] {
			if u.id == f.id || !IsDocument(u.path) && !linked(u.path, texts[u.path], f.path) {
				continue
			}
			out = append(out, hit{id: f.id, score: u.score})
			break
		}
	}
	sorting.Func(out, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id)) })
	return out[:min(len(out), s.limit)], nil
}

// namesUsed returns the hits that use a name, the best first. It keeps the texts of their files.
func (x *Index) namesUsed(ctx context.Context, hits []hit, texts map[string]string) (map[string][]mention, error) {
	ids := make([]int64, len(hits))
	for i, h := range hits {
		ids[i] = h.id
	}
	pieces, err := x.Pieces(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]Piece, len(pieces))
	for _, p := range pieces {
		byID[p.ID] = p
	}
	users := make(map[string][]mention)
	for _, h := range hits {
		p, ok := byID[h.id]
		if !ok {
			continue
		}
		text, read := texts[p.File]
		if !read {
			data, _ := x.Read(p.File) // a removed file mentions nothing
			text = string(data)
			texts[p.File] = text
		}
		for _, name := range namesIn(p.Text([]byte(text)), IsDocument(p.File)) {
			users[name] = append(users[name], mention{h, p.File})
		}
	}
	return users, nil
}

// namesIn returns the names in a text, each once. Of prose only what looks like a name counts: one
// of several words, or one that is called or marked as code.
func namesIn(text string, prose bool) []string {
	var out []string
	seen := make(map[string]bool)
	from := -1
	end := func(to int, next rune) {
		name := text[from:to]
		if len(name) < minName || seen[name] || len(out) == maxMentions {
			return
		}
		if prose && next != '(' && (from == 0 || !strings.ContainsRune("`.:", rune(text[from-1]))) &&
			!strings.Contains(name, "_") && len(words.SplitIdentifier(name)) == 1 {
			return
		}
		seen[name] = true
		out = append(out, name)
	}
	for i, r := range text {
		switch partOfName := isNameRune(r); {
		case partOfName && from < 0:
			from = i
		case !partOfName && from >= 0:
			end(i, r)
			from = -1
		}
	}
	if from >= 0 {
		end(len(text), 0)
	}
	return out
}

func isNameRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// linked reports whether a file that uses a name may mean the function of that name in another
// one: it names that file or its folder, as imports do, or the folder is one unit. Names alone
// often agree by chance.
func linked(from, text, to string) bool {
	if from == to {
		return true
	}
	ext, dir := path.Ext(to), path.Dir(to)
	if dir == path.Dir(from) && slices.Contains([]string{".go", ".java", ".kt", ".cs", ".scala", ".swift"}, ext) {
		return true
	}
	return hasName(text, strings.TrimSuffix(path.Base(to), ext)) || dir != "." && hasName(text, path.Base(dir))
}

// hasName reports whether a text has a name as a whole word.
func hasName(text, name string) bool {
	for at := 0; name != ""; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		start := at + i
		at = start + len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[at:])
		if !isNameRune(before) && !isNameRune(after) {
			return true
		}
	}
	return false
}

// IsDocument reports whether a file is prose, by its name.
func IsDocument(file string) bool {
	base := path.Base(file)
	if ext := strings.ToLower(path.Ext(base)); ext != "" {
		return slices.Contains([]string{".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".tex", ".textile", ".pod"}, ext)
	}
	return slices.Contains([]string{"README", "LICENSE", "COPYING", "NOTICE", "CHANGELOG", "CHANGES", "HISTORY", "NEWS", "AUTHORS", "CONTRIBUTING", "TODO"}, strings.ToUpper(base))
}

// namedPiece is a function by its name.
type namedPiece struct {
	id         int64
	path, name string
}

// named lists the functions with names that few of them share.
func (x *Index) named(ctx context.Context, names []string) ([]namedPiece, error) {
	list, err := json.Marshal(names)
	if err != nil {
		return nil, fmt.Errorf("encode the names of functions: %w", err)
	}
	var out []namedPiece
	err = x.each(ctx, qNamed, []any{string(list), maxNamed}, func(rows *sql.Rows) error {
		var p namedPiece
		err := rows.Scan(&p.id, &p.path, &p.name)
		out = append(out, p)
		return err
	})
	return out, err
}

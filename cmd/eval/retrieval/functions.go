package retrieval

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/code"
	"manicule/indexer/graph"
	"manicule/indexer/words"
	"manicule/memory/embed"
	"manicule/memory/retrieve"
	"manicule/memory/search"
)

// functionsEach is the number of functions to find in a repository.
const functionsEach = 25

// documented are repositories whose functions are to be found by the first sentence of
// their comment, without the words of their name. The comments of these functions are
// removed from the code; tests and documents stay.
func documented() []string {
	return []string{"spf13/cobra", "psf/requests", "sharkdp/fd", "sharkdp/hyperfine"}
}

// function is a function to find.
type function struct {
	file, name, text string
	start, end       int // bytes of its comment
}

// comments matches documented functions by language: the comment, then the name.
func comments(ext string) *regexp.Regexp {
	switch ext {
	case ".go":
		return regexp.MustCompile(`(?m)((?:^//.*\n)+)func (?:\([^)]*\) )?(\w+)`)
	case ".rs":
		return regexp.MustCompile(`(?m)((?:^[ \t]*///.*\n)+)(?:[ \t]*#\[.*\n)*[ \t]*(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*fn (\w+)`)
	case ".java":
		return regexp.MustCompile(`(?m)(^[ \t]*/\*\*(?s:.*?)\*/[ \t]*\n)(?:[ \t]*@.*\n)*[ \t]*(?:public|protected|private|static|final|synchronized|<[^>]+>|[ \t])+[\w<>\[\], .?]+ (\w+)\(`)
	case ".py":
		return regexp.MustCompile(`(?m)^[ \t]*(?:async )?def (\w+)\([^:]*?\)(?: *->[^:]+)?:\n([ \t]*r?"""(?s:.*?)"""[ \t]*\n)`)
	}
	return nil
}

// sentence returns the first sentence of a comment as plain words.
func sentence(comment string) string {
	text := regexp.MustCompile(`(?m)^[ \t]*(///?|/?\*+/?|r?""")|"""|\*/|\{@\w+ |\}|</?\w+/?>|:\w+:|`+"`").ReplaceAllString(comment, " ")
	text = strings.Join(strings.Fields(text), " ")
	if i := regexp.MustCompile(`\. |\.$| @\w| :param`).FindStringIndex(text); i != nil {
		text = text[:i[0]]
	}
	return text
}

// without drops the words of a name from a text.
func without(text, name string) string {
	own := words.Terms(strings.ReplaceAll(name, "_", " "))
	var out []string
	for _, w := range strings.Fields(text) {
		if !slices.ContainsFunc(words.Terms(w), func(t string) bool { return slices.Contains(own, t) }) {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// functionsOf returns the documented functions of a file.
func functionsOf(file, text string) []function {
	re := comments(path.Ext(file))
	if re == nil || graph.IsTest(file) {
		return nil
	}
	var out []function
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		comment, name := m[2:4], m[4:6]
		if path.Ext(file) == ".py" {
			comment, name = name, comment
		}
		f := function{file: file, name: text[name[0]:name[1]], start: comment[0], end: comment[1]}
		f.text = without(sentence(text[comment[0]:comment[1]]), f.name)
		if n := len(words.Terms(f.text)); n >= 4 && n <= 20 {
			out = append(out, f)
		}
	}
	return out
}

// tracked reads the files of a commit of a repository.
func tracked(ctx context.Context, repo, commit string, each func(name string, data []byte) error) (err error) {
	cmd := exec.CommandContext(ctx, "git", "-C", repo, "archive", "--format=tar", commit)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("run git archive: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run git archive: %w", err)
	}
	defer func() {
		_, drained := io.Copy(io.Discard, out)
		err = errors.Join(err, drained, cmd.Wait())
	}()
	for r := tar.NewReader(out); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read git archive: %w", err)
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) || h.Size > 300_000 {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("read git archive: %w", err)
		}
		if err := each(h.Name, data); err != nil {
			return err
		}
	}
}

// undocumented writes a repository without the comments of the functions that it selects, at most as
// many as said.
func undocumented(ctx context.Context, repo, root string, most int) ([]function, error) {
	files := map[string]string{}
	var all []function
	err := tracked(ctx, repo, "HEAD", func(name string, data []byte) error {
		files[name] = string(data)
		all = append(all, functionsOf(name, string(data))...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	named := map[string]int{}
	for _, f := range all {
		named[f.file+"#"+f.name]++
	}
	all = slices.DeleteFunc(all, func(f function) bool { return named[f.file+"#"+f.name] > 1 }) // overloads
	var chosen []function
	for i := range min(most, len(all)) {
		chosen = append(chosen, all[i*len(all)/min(most, len(all))])
	}
	for i := len(chosen) - 1; i >= 0; i-- { // from the end, so that offsets stay valid
		f := chosen[i]
		files[f.file] = files[f.file][:f.start] + files[f.file][f.end:]
	}
	for name, text := range files {
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, []byte(text), 0o600)); err != nil {
			return nil, err
		}
	}
	return chosen, nil
}

// codeWays lists the variants of code search.
func codeWays(o options) []variant {
	out := []variant{
		{name: "words", lexical: true, tune: oneLeg(retrieve.Weights{Words: 1})},
		{name: "meaning", tune: oneLeg(retrieve.Weights{Meaning: 1})},
	}
	for _, w := range []float64{.1, .15, .2, .3} {
		out = append(out, variant{name: fmt.Sprintf("words %.2f + meaning", w), tune: func(t *retrieve.Tuning) {
			plain(t)
			t.Code[retrieve.Semantic] = retrieve.Weights{Words: w, Meaning: 1 - w}
		}})
	}
	out = append(out, variant{name: "as shipped, without a model", lexical: true}, variant{name: "as shipped"})
	return slices.DeleteFunc(out, func(v variant) bool {
		return o.noEmbed && !v.lexical || v.name != "words" && !o.way(v.name)
	})
}

// functions finds functions by words that their code does not use.
func functions(ctx context.Context, o options) (_ string, bad []string, err error) {
	var model *embed.Service
	if !o.noEmbed {
		model = o.codeModel()
		defer func() { err = errors.Join(err, model.Close()) }()
	}
	ranks := map[string][]float64{} // of each variant and question: 1/rank of the function among ten
	var names []string
	add := func(way string, rank float64) {
		if ranks[way] == nil {
			names = append(names, way)
		}
		ranks[way] = append(ranks[way], rank)
	}
	total := 0
	for _, repo := range o.of {
		dir := o.history(ctx, repo)
		if dir == "" {
			continue
		}
		n, err := o.functionsIn(ctx, dir, repo, model, add)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", repo, err)
		}
		total += n
		for _, way := range names {
			evalkit.Progress("%s: %d of %d among the first five", way, hitsAt(5, ranks[way]), total)
		}
	}
	if total == 0 {
		return "", nil, evalkit.Missing("none of the repositories of the set, name their folder with --repos")
	}
	t := newTable(fmt.Sprintf("%d functions by what they do", total), "MRR@10", "hit@1", "hit@5", "hit@10")
	for _, way := range names {
		t.row(way, ranks[way], hitsAt(1, ranks[way]), hitsAt(5, ranks[way]), hitsAt(10, ranks[way]))
	}
	return t.String(), nil, nil
}

// hitsAt counts the reciprocal ranks within the first k.
func hitsAt(k int, ranks []float64) (n int) {
	for _, r := range ranks {
		if r >= 1/float64(k) {
			n++
		}
	}
	return n
}

func (o options) functionsIn(ctx context.Context, dir, repo string, model *embed.Service, add func(string, float64)) (n int, err error) {
	var asked []function
	s, err := newSpace(ctx, nil, func(root string) (err error) {
		asked, err = undocumented(ctx, dir, root, o.each)
		return err
	}, model, o.cache)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	pieces, err := s.embedCode(ctx)
	if err != nil {
		return 0, err
	}
	evalkit.Progress("%s: %d functions of %d pieces", repo, len(asked), pieces)
	for _, v := range codeWays(o) {
		for _, all := range []bool{false, true} {
			searcher := s.searcher(v, true)
			name := v.name
			if all {
				name += ", tests and documents among them"
			}
			for _, f := range asked {
				_, got, err := searcher.Code(ctx, search.Question{Text: f.text, Limit: 10, Lexical: v.lexical, Explicit: true, All: all})
				if err != nil {
					return 0, errors.Join(err, searcher.Close())
				}
				at := slices.IndexFunc(got, func(p code.Piece) bool {
					return p.File == f.file && p.Symbol[strings.LastIndexAny(p.Symbol, ".:#/")+1:] == f.name
				})
				rank := 0.0
				if at >= 0 {
					rank = 1 / float64(at+1)
				}
				add(name, rank)
			}
			if err := searcher.Close(); err != nil {
				return 0, err
			}
		}
	}
	for _, f := range asked {
		rank, err := ripgrep(ctx, s.root, f)
		if err != nil {
			return 0, err
		}
		add("rg -i, files with most words (the file is enough)", rank)
	}
	return len(asked), nil
}

// ripgrep ranks files by the number of the question's words in them and returns the rank
// of the function's file.
func ripgrep(ctx context.Context, root string, f function) (float64, error) {
	count := map[string]int{}
	for _, w := range words.Fields(f.text) {
		if words.IsStopWord(w) {
			continue
		}
		cmd := exec.CommandContext(ctx, "rg", "-ilF", "--", w, ".")
		cmd.Dir = root
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
			return 0, fmt.Errorf("run rg: %w", err)
		}
		for name := range strings.Lines(string(out)) {
			count[strings.TrimPrefix(strings.TrimSpace(name), "./")]++
		}
	}
	better := 0
	for name, n := range count {
		if n > count[f.file] || n == count[f.file] && name < f.file {
			better++
		}
	}
	if count[f.file] == 0 || better >= 10 {
		return 0, nil
	}
	return 1 / float64(better+1), nil
}

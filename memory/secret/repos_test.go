package secret

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"manicule/indexer/must"
)

// TestRepositories measures on whole public repositories, which taught no weight.
// testdata/repos.txt names them with their commits and groups: the alarms of groups A to E
// were read before rules were written or kept, those of F after the last one.
// testdata/labels.txt has the labels of lines, without their text.

var group = flag.String("group", "ABCDEF", "the groups of repositories to measure on")
var drawn = flag.Bool("drawn", false, "print the drawn lines that have no label")
var alarms = flag.Int("alarms", 0, "print as many alarms of each repository")

const (
	maxFile  = 256 << 10 // larger files are data
	maxFiles = 250       // of a repository, so that none outweighs the others
	perKind  = 25        // lines drawn of a repository: at random, and with a name for a secret
	longest  = 1000      // a longer line is data, too
)

// givesName is a name for a secret beside a literal, as drawn: wider than any rule of
// the scanner.
var givesName = regexp.MustCompile("(?i)(pass(word|wd|phrase|code)|pwd|secret|token|api[-_]?key|credential|auth|private[-_]?key|access[-_]?key|salt|nonce)[\\w.\\-\\[\\]\"']{0,20}\\s*" +
	"((=>|:=|==|=|:|,|\\(|>)\\s*[\"'`][^\"'`]{4}|[=:]\\s*[^\\s\"'`$(){}<>\\[\\]]{4,}\\s*$|>[^<>]{4,}</)")

type repository struct{ group, name, commit string }

// file is a text of a repository.
type file struct{ path, text string }

// place is a line of a file of a repository.
type place struct {
	repo, path string
	line       int
}

func (p place) String() string { return fmt.Sprintf("%s\t%s:%d", p.repo, p.path, p.line) }

func readRepositories(t testing.TB) (dir string, out []repository) {
	dir = os.Getenv("EVAL_REPOS")
	if dir == "" {
		t.Skip("EVAL_REPOS names no folder of clones")
	}
	data := must.Read(t, "testdata/repos.txt")
	for l := range strings.Lines(string(data)) {
		if f := strings.Fields(l); len(f) == 3 && f[0] != "#" && strings.Contains(*group, f[0]) {
			out = append(out, repository{f[0], f[1], f[2]})
		}
	}
	return dir, out
}

// readLabels is which lines were labelled T, F or X.
func readLabels(t testing.TB) map[string]string {
	data := must.Read(t, "testdata/labels.txt")
	out := map[string]string{}
	for l := range strings.Lines(string(data)) {
		if label, at, ok := strings.Cut(strings.TrimRight(l, "\n"), "\t"); ok {
			out[at] = label
		}
	}
	return out
}

// files reads the texts of a repository's checkout: all, or as many as maxFiles, chosen
// by the checksums of their paths.
func (r repository) files(t testing.TB, dir string) []file {
	root := filepath.Join(dir, strings.Replace(r.name, "/", "+", 1))
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := d.Info(); err == nil && d.Type().IsRegular() && info.Size() > 0 && info.Size() <= maxFile {
			paths = append(paths, path[len(root)+1:])
		}
		if d.Name() == ".git" {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Logf("%s is not here: %v", r.name, err)
		return nil
	}
	var out []file
	for _, path := range bySum(paths, func(s string) string { return s }) {
		data := must.Read(t, filepath.Join(root, path))
		if bytes.IndexByte(data, 0) < 0 && utf8.Valid(data) {
			out = append(out, file{path, string(data)})
		}
		if len(out) == maxFiles {
			break
		}
	}
	return out
}

// bySum sorts by checksums, which is as good as at random and always the same.
func bySum[T comparable](list []T, name func(T) string) []T {
	sums := make(map[T][sha256.Size]byte, len(list))
	for _, x := range list {
		sums[x] = sha256.Sum256([]byte(name(x)))
	}
	slices.SortFunc(list, func(a, b T) int {
		x, y := sums[a], sums[b]
		return bytes.Compare(x[:], y[:])
	})
	return list
}

// draw takes lines by the checksums of where they are: at random, and of those with
// a name for a secret.
func draw(r repository, files []file) (any, named []place, text map[place]string) {
	text = map[place]string{}
	seen := map[string]bool{}
	for _, f := range files {
		n := 0
		for l := range strings.Lines(f.text) {
			n++
			l = strings.TrimSpace(l)
			if l == "" || len(l) > longest || seen[l] {
				continue
			}
			seen[l] = true
			p := place{r.name, f.path, n}
			text[p] = l
			any = append(any, p)
			if givesName.MatchString(l) {
				named = append(named, p)
			}
		}
	}
	first := func(list []place) []place {
		list = bySum(list, place.String)
		return list[:min(len(list), perKind)]
	}
	return first(any), first(named), text
}

// verdicts counts what a scan says of labelled lines.
type verdicts struct{ recall, alarms tally }

func (v *verdicts) add(label string, found bool) {
	hit := 0
	if found {
		hit = 1
	}
	switch label {
	case "T":
		v.recall.hit, v.recall.all = v.recall.hit+hit, v.recall.all+1
	case "F":
		v.alarms.hit, v.alarms.all = v.alarms.hit+hit, v.alarms.all+1
	}
}

// excerpt is an alarm with what stands around it.
func excerpt(s string, f Found) string {
	from := max(strings.LastIndexByte(s[:f.Start], '\n')+1, f.Start-120)
	value, rest := s[f.Start:f.End], s[f.End:min(len(s), f.End+40)]
	rest, _, _ = strings.Cut(rest, "\n")
	if len(value) > longest/6 {
		value, rest = value[:longest/6], "\u2026"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, f.Kind+" "+s[from:f.Start]+"\u00ab"+value+"\u00bb"+rest)
}

func TestRepositories(t *testing.T) {
	dir, list := readRepositories(t)
	labels := readLabels(t)
	type sums struct {
		random, named             verdicts
		files, lines, repos, hits int
		by                        map[string]int // alarms by label
	}
	by := map[string]*sums{}
	for _, r := range list {
		files := r.files(t, dir)
		if len(files) == 0 {
			continue
		}
		s := by[r.group]
		if s == nil {
			s = &sums{by: map[string]int{}}
			by[r.group] = s
		}
		s.repos++
		any, named, text := draw(r, files)
		for i, l := range [][]place{any, named} {
			for _, p := range l {
				label, known := labels[p.String()]
				if *drawn && !known && (i == 1 || found(text[p])) {
					fmt.Printf("%s\t%s\n", p, text[p])
				}
				if !known {
					label = "F"
				}
				if i == 0 {
					s.random.add(label, found(text[p]))
				} else {
					s.named.add(label, found(text[p]))
				}
			}
		}
		hits, lines := 0, 0
		unread := map[place]string{}
		for _, f := range files {
			s.files++
			lines += strings.Count(f.text, "\n") + 1
			for _, x := range Find(f.text) {
				hits++
				p := place{r.name, f.path, 1 + strings.Count(f.text[:x.Start], "\n")}
				label := labels[p.String()]
				s.by[label]++
				if label == "" {
					unread[p] = excerpt(f.text, x)
				}
			}
		}
		for i, p := range bySum(slices.Collect(maps.Keys(unread)), place.String) {
			if i < *alarms {
				fmt.Printf("%s\t%s\n", p, unread[p])
			}
		}
		s.lines += lines
		s.hits += hits
		t.Logf("%s %-45s %5d files %7d lines %5d alarms", r.group, r.name, len(files), lines, hits)
	}
	for _, g := range slices.Sorted(slices.Values([]string{"A", "B", "C", "D", "E", "F"})) {
		s := by[g]
		if s == nil {
			continue
		}
		t.Logf("%s: %d repositories, %d files, %d lines: alarms %d, T %d X %d F %d unread %d", g, s.repos, s.files, s.lines, s.hits, s.by["T"], s.by["X"], s.by["F"], s.by[""])
		t.Logf("%s: at random    recall %v   false alarms %v", g, s.random.recall, s.random.alarms)
		t.Logf("%s: with a name  recall %v   false alarms %v", g, s.named.recall, s.named.alarms)
	}
}

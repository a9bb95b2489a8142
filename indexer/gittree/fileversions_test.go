package gittree

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// fastImport makes commits from a stream of git fast-import.
func (r *repository) fastImport(stream string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", "-C", r.root, "fast-import", "--quiet")
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	cmd.Stdin = strings.NewReader(stream)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git fast-import: %v\n%s", err, out)
	}
}

// commits writes the heads of commits for [repository.fastImport].
type commits struct {
	strings.Builder
	n int
}

// add adds a commit with parents, by their numbers, and with some changes.
func (c *commits) add(branch string, parents []int, changes ...string) int {
	c.n++
	fmt.Fprintf(c, "commit refs/heads/%s\nmark :%d\ncommitter A <a@example.org> %d +0000\ndata 1\nx\n", branch, c.n, madeAt(c.n).Unix())
	for i, p := range parents {
		fmt.Fprintf(c, "%s :%d\n", []string{"from", "merge"}[min(i, 1)], p)
	}
	for _, change := range changes {
		fmt.Fprintln(c, change)
	}
	return c.n
}

// madeAt is when the commit of a number was made.
func madeAt(n int) time.Time { return time.Unix(1_700_000_000+int64(n), 0) }

func put(path, text string) string {
	return fmt.Sprintf("M 644 inline %s\ndata %d\n%s", path, len(text), text)
}

// TestFileVersionsSkip: a walk that passes over commits that left the whole folder as it is tells the same as one that looks at each,
// in histories of any shape and for any bound.
func TestFileVersionsSkip(t *testing.T) {
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var c commits
		c.add("main", nil, put(".m/a/0", "0"), put("code", "0"))
		for c.n < 60 {
			parents := []int{1 + max(0, c.n-1-rnd.IntN(6))}
			if p := 1 + rnd.IntN(c.n); rnd.IntN(4) == 0 && p != parents[0] {
				parents = append(parents, p)
			}
			name := fmt.Sprintf(".m/%c/%d", 'a'+rune(rnd.IntN(2)), rnd.IntN(3))
			change := put("code", fmt.Sprint(c.n))
			switch rnd.IntN(8) {
			case 0, 1:
				change = put(name, fmt.Sprint(rnd.IntN(3)))
			case 2:
				change = "D " + name
			}
			c.add("main", parents, change)
		}
		r := newRepository(t)
		r.fastImport(c.String())
		head := r.git("rev-parse", "main")
		skips, looks := r.open(""), r.open("")
		for n := range 3 {
			paths := []string{fmt.Sprintf(".m/a/%d", n), fmt.Sprintf(".m/b/%d", n)}
			for _, max := range []int{1000, 30, 7} {
				// A path elsewhere, that there is not, has it look at each commit.
				got, want := skips.FileVersions(head, paths, max), looks.FileVersions(head, append(paths, "elsewhere"), max)
				if max < c.n && len(got) <= len(want) {
					want = want[:len(got)] // a commit that two sides lead to counts for each
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("seed %d, file %d, at most %d commits: -each, +skipping:\n%s", seed, n, max, d)
				}
			}
			since := madeAt(1 + rnd.IntN(c.n))
			want := slices.DeleteFunc(looks.FileVersions(head, append(paths, "elsewhere"), 1000), func(v FileVersion) bool { return v.Commit.Time.Before(since) })
			for who, repo := range []*Repo{skips, r.open("")} {
				if d := cmp.Diff(want, repo.FileVersionsSince(head, paths, since, 1000), cmpopts.EquateEmpty()); d != "" {
					t.Errorf("seed %d, file %d, since %v, in repository %d: -those, +got:\n%s", seed, n, since, who, d)
				}
			}
		}
	}
}

// TestFileVersionsOfManyFiles: a repository has thousands of commits, few of which change memories. Whoever asks about many files
// reads them once, and not once for each file.
func TestFileVersionsOfManyFiles(t *testing.T) {
	const length, files = 1500, 60
	var c commits
	var all []string
	for n := range files {
		all = append(all, put(fmt.Sprintf(".m/%d", n), "x"))
	}
	at := c.add("main", nil, all...)
	for c.n < length {
		at = c.add("main", []int{at}, put("code", fmt.Sprint(c.n)))
	}
	r := newRepository(t)
	r.fastImport(c.String())
	head := r.git("rev-parse", "main")
	repo := r.open("")
	ask := func(n int) {
		if got := repo.FileVersions(head, []string{fmt.Sprintf(".m/%d", n)}, 2*length); len(got) != 1 {
			t.Fatalf("file %d: %+v", n, got)
		}
	}
	one := testing.AllocsPerRun(1, func() { ask(0) }) // it runs twice: the second has read the commits
	if one > length {
		t.Errorf("%.0f allocations for one more file in a history of %d commits", one, length)
	}
	for n := range files {
		ask(n)
	}
	look := func(since time.Time) float64 {
		return testing.AllocsPerRun(1, func() {
			if got := r.open("").FileVersionsSince(head, []string{".m/later"}, since, 2*length); len(got) > 0 {
				t.Fatalf("%+v", got)
			}
		})
	}
	if all, late := look(time.Time{}), look(madeAt(length-5)); late > all/10 {
		t.Errorf("%.0f allocations to look at five of %d commits, and %.0f for all", late, length, all)
	}
}

// TestFileVersionsOfLargeFolder: of the tree of a folder with very many files only the entries on the way are kept.
func TestFileVersionsOfLargeFolder(t *testing.T) {
	const files = 20_000
	var tree bytes.Buffer
	for i := range files {
		fmt.Fprintf(&tree, "100644 %05d.json\x00", i)
		tree.Write(bytes.Repeat([]byte{byte(1 + i%200)}, 20))
	}
	tree.WriteString("120000 link\x00" + strings.Repeat("\x07", 20) + "40000 personal\x00" + strings.Repeat("\x08", 20))
	got, err := entriesIn(&tree, []string{"00007.json", "link", "personal", "none"})
	if err != nil {
		t.Fatal(err)
	}
	want := []treeEntry{{"00007.json", strings.Repeat("08", 20), false}, {"personal", strings.Repeat("08", 20), true}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, cut := range []string{"100644 a", "100644 a\x00short", "nospace\x00" + strings.Repeat("x", 20), "100644 \x00" + strings.Repeat("x", 20)} {
		if got, err := entriesIn(strings.NewReader(cut), []string{"a"}); err == nil {
			t.Errorf("a tree that is cut off has %v", got)
		}
	}
}

// TestFileVersionsAllocate: to look at more commits keeps nothing of the other files of their folders.
func TestFileVersionsAllocate(t *testing.T) {
	const files = 5000
	var tree bytes.Buffer
	for i := range files {
		fmt.Fprintf(&tree, "100644 %05d.json\x00%s", i, strings.Repeat("\x01", 20))
	}
	n := testing.AllocsPerRun(5, func() {
		if _, err := entriesIn(bytes.NewReader(tree.Bytes()), []string{"00007.json"}); err != nil {
			t.Fatal(err)
		}
	})
	if n > 20 {
		t.Errorf("%v allocations for a folder of %d files", n, files)
	}
}

package secret

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// mostRead is how many percent of the documents' lines are read byte by byte at most.
const mostRead = 18

// findEach is find with a look at each byte.
func findEach(s string, strict bool) []Found {
	var out []Found
	done := 0
	line := commandLine{strict: strict}
	for i := 0; i < len(s); {
		line.step(s, i)
		start, end, kind := line.secretAt(s, i)
		if kind == "" || start < done || end <= start {
			i++
			continue
		}
		out = append(out, Found{start, end, kind})
		done, i = end, end
	}
	return out
}

// replaceSome replaces each occurrence of old by another text, or leaves it.
func replaceSome(random *rand.Rand, s, old, by string) string {
	var b strings.Builder
	for i, part := range strings.Split(s, old) {
		if i > 0 && random.IntN(2) == 0 {
			b.WriteString(by)
		} else if i > 0 {
			b.WriteString(old)
		}
		b.WriteString(part)
	}
	return b.String()
}

// TestSkip: what is passed over within words holds nothing.
func TestSkip(t *testing.T) {
	var texts []string
	for _, name := range []string{"prose.txt", "prose_unseen.txt"} {
		data := must.Read(t, filepath.Join("testdata", name))
		texts = append(texts, strings.Split(string(data), "\n")...)
	}
	for _, first := range "AgxsrnphdSGywlZbe" {
		for _, f := range shapes[first] {
			texts = append(texts, "x "+f.prefix+strings.Repeat("aB3dE5fG7h", 7)+" y", f.prefix+"EYEXAMPLE", "x_"+f.prefix+strings.Repeat("3dE5fG7haB", 7))
		}
	}
	texts = append(texts, "mysql -u root -pS3cr3tPw9 db", "machine x login y password z9Qw4R7t", "echo 'a' | curl -u me:pw12x https://u:p4ssw0rd9@h.io/", "Authorization: Bearer abc123def456ghi789jk")
	for _, w := range englishWords {
		texts = append(texts, "of the "+w+" hT7xq2Zk9w, and ", w+" is 'hT7xq2Zk9w'", "as "+w+" with admin / hT7xq2Zk9w")
	}
	for _, list := range foreignWords() {
		for _, w := range list {
			texts = append(texts, "il "+w.text+" hT7xq2Zk9w. Ende", w.text+": hT7xq2Zk9w")
		}
	}
	texts = append(texts, "the dbPassword `prod 123e4567-e89b-12d3-a456-426614174000` is", "its apiKey `live 9b2f1c7d8e3a4b5c6d7e8f9a0b1c2d3e` too")
	texts = append(texts, "vault secrets put x value=hT7xq2Zk9w", "vault and the patch --value hT7xq2Zk9w", "kubectl create secret a generic --value hT7xq2Zk9w", "gh secret set -b hT7xq2Zk9w", "docker please login and -p hT7xq2Zk9w", "docker config use -p hT7xq2Zk9w")
	for _, w := range programs {
		texts = append(texts, "and "+w+" -u root -p S3cr3tPw9 --password S3cr3tPw9 a b", w+" login -u me:pw12x9Z")
	}
	texts = append(texts, "as Bearer abc123def456ghi789jk then", "with basic YWRtaW46aFQ3eHEyWms5dw== in it", "the machine example.com login joe password hT7xq2Zk9w")
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 60_000 {
		text := texts[random.IntN(len(texts))]
		if random.IntN(2) == 0 {
			text = text[random.IntN(len(text)+1):] + texts[random.IntN(len(texts))]
		}
		for _, mark := range [...]string{"\n", " (", ") ", "` ", " `", "; ", " - ", "\n\n* ", "' ", ".\n"} { // other signs between words
			if random.IntN(8) == 0 {
				text = replaceSome(random, text, " ", mark)
			}
		}
		strict := random.IntN(2) == 0
		got, want := find(text, strict), findEach(text, strict)
		found += len(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
		all := findEach(text, false)
		if got := findIn(text, false, len(text), true); !slices.Equal(got, all) {
			t.Fatalf("%q, by lines: %v, want %v", text, got, all)
		}
		if first, ok := First(text); ok != (len(all) > 0) || ok && first != all[0] {
			t.Fatalf("%q: %v first, want %v", text, first, all)
		}
	}
	if found < 1000 {
		t.Errorf("only %d were found", found)
	}
}

// TestFewLinesAreRead: most of a document is passed over. Of this repository's, which speak much of
// passwords and tokens, 10 % was read when the bound was set.
func TestFewLinesAreRead(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(names) < 10 {
		t.Fatalf("%d documents: %v", len(names), err)
	}
	all, read := 0, 0
	for _, name := range names {
		data := must.Read(t, name)
		all += len(data)
		end := 0
		for _, l := range linesToRead(string(data)) {
			read, end = read+max(0, l.end-max(l.start, end)), max(end, l.end)
		}
	}
	if t.Logf("%d of %d bytes", read, all); read*100 > all*mostRead {
		t.Errorf("%d of %d bytes are read, at most %d %% may be", read, all, mostRead)
	}
}

// TestTelling: each word that starts a look into a sentence is let through to it.
func TestTelling(t *testing.T) {
	for text, want := range map[string]string{
		"the password is hT7xq2Zk9w": "hT7xq2Zk9w", "das Passwort ist hT7xq2Zk9w": "hT7xq2Zk9w", "requirepass hT7xq2Zk9w": "hT7xq2Zk9w",
		"log in with admin / hT7xq2Zk9w": "hT7xq2Zk9w", "le mot de passe est hT7xq2Zk9w": "hT7xq2Zk9w", "la contraseña es hT7xq2Zk9w": "hT7xq2Zk9w",
	} {
		list := Find(text)
		if len(list) != 1 || text[list[0].Start:list[0].End] != want {
			t.Errorf("%q: %v", text, list)
		}
	}
	for _, w := range englishWords {
		if !beginsKnownWord(w[0], w[1]) {
			t.Errorf("%s is passed over", w)
		}
	}
	for _, list := range foreignWords() {
		for _, w := range list {
			if !beginsKnownWord(w.text[0], w.text[1]|0x20) {
				t.Errorf("%s is passed over", w.text)
			}
		}
	}
}

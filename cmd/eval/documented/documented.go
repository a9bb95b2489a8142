// Package documented finds functions with a comment in the files of a repository. It reads them by patterns, which is
// enough for drawing many of them. It must not know what they are for.
package documented

import (
	"context"
	"errors"
	"path"
	"regexp"
	"strings"

	"manicule/cmd/internal/gitread"
)

// Function is a function with its comment.
type Function struct {
	Name, Comment string
	Start, End    int    // bytes of the comment in the file
	Body          string // from its name on, at most mostBody bytes
}

const mostBody = 3000

// knows reports whether functions of files with this extension are found.
func knows(ext string) bool { return pattern(ext) != nil }

// pattern matches documented functions of a language: the comment, then the name.
func pattern(ext string) *regexp.Regexp {
	switch ext {
	case ".go":
		return goFunction
	case ".rs":
		return rustFunction
	case ".java":
		return javaMethod
	case ".py":
		return pythonFunction
	case ".js", ".jsx", ".mjs", ".ts", ".tsx":
		return scriptFunction
	}
	return nil
}

var (
	goFunction     = regexp.MustCompile(`(?m)((?:^//.*\n)+)func (?:\([^)]*\) )?(\w+)`)
	rustFunction   = regexp.MustCompile(`(?m)((?:^[ \t]*///.*\n)+)(?:[ \t]*#\[.*\n)*[ \t]*(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*fn (\w+)`)
	javaMethod     = regexp.MustCompile(`(?m)(^[ \t]*/\*\*(?s:.*?)\*/[ \t]*\n)(?:[ \t]*@.*\n)*[ \t]*(?:public|protected|private|static|final|synchronized|<[^>]+>|[ \t])+[\w<>\[\], .?]+ (\w+)\(`)
	pythonFunction = regexp.MustCompile(`(?m)^[ \t]*(?:async )?def (\w+)\([^:]*?\)(?: *->[^:]+)?:\n([ \t]*r?"""(?s:.*?)"""[ \t]*\n)`)
	scriptFunction = regexp.MustCompile(`(?m)(^[ \t]*/\*\*(?s:.*?)\*/[ \t]*\n)(?:[ \t]*@.*\n)*[ \t]*(?:export |default |async |public |private |protected |static |readonly |get |set |function\*? |const |abstract |override |#)*([A-Za-z_$][\w$]*)\s*(?:<[^>\n]*>)?(?:\(|=\s*(?:async\s*)?(?:\(|function|[a-z]\w*\s*=>))`)
)

// In returns the documented functions of a file, in order.
func In(file, text string) []Function {
	re := pattern(path.Ext(file))
	if re == nil {
		return nil
	}
	var out []Function
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		comment, name := m[2:4], m[4:6]
		python := path.Ext(file) == ".py"
		if python {
			comment, name = name, comment
		}
		f := Function{Name: text[name[0]:name[1]], Comment: text[comment[0]:comment[1]], Start: comment[0], End: comment[1]}
		if python {
			f.Body = indented(text, name[0], comment[1])
		} else {
			f.Body = braced(text[name[0]:min(name[0]+mostBody, len(text))])
		}
		out = append(out, f)
	}
	return out
}

// indented returns the first line of a function, and the lines after its comment that are indented as the first of them.
func indented(text string, name, after int) string {
	head, _, _ := strings.Cut(text[name:], "\n")
	var b strings.Builder
	b.WriteString(head)
	b.WriteByte('\n')
	depth := 0
	for line := range strings.Lines(text[after:min(after+mostBody, len(text))]) {
		code := strings.TrimLeft(line, " \t")
		if strings.TrimSpace(code) == "" {
			continue
		}
		in := len(line) - len(code)
		if depth == 0 {
			depth = in
		}
		if in < depth || in == 0 {
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// braced returns a text up to the brace that closes its first one, or to the semicolon before any.
func braced(text string) string {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth <= 0 {
				return text[:i+1]
			}
		case ';':
			if depth == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

var (
	markup = regexp.MustCompile(`(?m)(^[ \t]*(///?|/?\*+/?|r?""")|"""|\*/|\{@\w+ |\}|</?\w+/?>|:\w+:|` + "`" + `)`)
	period = regexp.MustCompile(`\. |\.$| @\w| :param`)
)

// Sentence returns the first sentence of a comment as plain words.
func Sentence(comment string) string {
	text := strings.Join(strings.Fields(markup.ReplaceAllString(comment, " ")), " ")
	if i := period.FindStringIndex(text); i != nil {
		text = text[:i[0]]
	}
	return text
}

// maxFile is the size up to which files are read.
const maxFile = 300_000

// Tracked reads the files of a commit of a repository.
func Tracked(ctx context.Context, repo, commit string, each func(name string, data []byte) error) error {
	return gitread.Archive(ctx, repo, commit, func(_ string, size int64) bool { return size <= maxFile }, each)
}

// Code reads the files of a commit whose functions are found, as far as the clone has them.
func Code(ctx context.Context, repo, commit string, each func(name string, data []byte) error) (err error) {
	list, err := gitread.List(ctx, repo, commit)
	if err != nil {
		return err
	}
	objects, err := gitread.Open(ctx, repo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, objects.Close()) }()
	for _, e := range list {
		if e.Kind != "blob" || !knows(path.Ext(e.Path)) {
			continue
		}
		_, data, ok, err := objects.Read(e.ID)
		if err != nil {
			return err
		}
		if !ok || len(data) > maxFile {
			continue
		}
		if err := each(e.Path, data); err != nil {
			return err
		}
	}
	return nil
}

// Package documented finds functions with a comment in the files of a repository. It reads them by patterns, which is
// enough for drawing many of them. It must not know what they are for.
package documented

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Function is a function with its comment.
type Function struct {
	Name, Comment string
	Start, End    int    // bytes of the comment in the file
	Body          string // from its name on, at most mostBody bytes
}

const mostBody = 3000

// Knows reports whether functions of files with this extension are found.
func Knows(ext string) bool { return pattern(ext) != nil }

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
func Tracked(ctx context.Context, repo, commit string, each func(name string, data []byte) error) (err error) {
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
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) || h.Size > maxFile {
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

// Code reads the files of a commit whose functions are found, as far as the clone has them.
func Code(ctx context.Context, repo, commit string, each func(name string, data []byte) error) error {
	list, err := exec.CommandContext(ctx, "git", "-C", repo, "ls-tree", "-r", "-z", "--name-only", commit).Output()
	if err != nil {
		return fmt.Errorf("run git ls-tree: %w", err)
	}
	var names []string
	for name := range strings.SplitSeq(string(list), "\x00") {
		if Knows(path.Ext(name)) && !strings.Contains(name, "\n") {
			names = append(names, name)
		}
	}
	cmd := exec.CommandContext(ctx, "git", "-C", repo, "cat-file", "--batch", "--buffer")
	cmd.Stdin = strings.NewReader(commit + ":" + strings.Join(names, "\n"+commit+":") + "\n")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("run git cat-file: %w", err)
	}
	err = readBatch(bufio.NewReader(out), names, each)
	_, drained := io.Copy(io.Discard, out)
	return errors.Join(err, drained, cmd.Wait())
}

// readBatch reads what git cat-file prints of files.
func readBatch(r *bufio.Reader, names []string, each func(name string, data []byte) error) error {
	for _, name := range names {
		head, err := r.ReadString('\n')
		if err != nil {
			return fmt.Errorf("read git cat-file: %w", err)
		}
		parts := strings.Fields(head)
		if len(parts) != 3 || len(parts[0]) < 40 { // "COMMIT:NAME missing", and a name may have spaces
			continue
		}
		size, err := strconv.Atoi(parts[2])
		if err != nil {
			continue
		}
		data := make([]byte, size+1) // with the line end behind it
		if _, err := io.ReadFull(r, data); err != nil {
			return fmt.Errorf("read git cat-file: %w", err)
		}
		if parts[1] != "blob" || size > maxFile {
			continue
		}
		if err := each(name, data[:size]); err != nil {
			return err
		}
	}
	return nil
}

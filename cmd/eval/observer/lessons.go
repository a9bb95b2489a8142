package observer

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/gitread"
	"manicule/memory/file"
)

// lesson is a memory that a person could have taught with a commit: the sentence of its message
// that gives a reason, about the files that it changed.
type lesson struct {
	at     time.Time
	commit string
	kind   file.Type
	what   string
	scope  []string
}

var (
	reason   = regexp.MustCompile(`(?i)\b(because|otherwise|so that|instead of|must|never|only if|would|fails?|silently|cannot|can't|without|even though|breaks?)\b`)
	aFix     = regexp.MustCompile(`(?i)^(fix|revert)|\b(fix(es)?|bug|regression|leak|race)\b`)
	dangling = regexp.MustCompile(`^(?i)(also|this|these|it|its|that|they|now|previously|two|the fix)\b`) // refers to another sentence
	trailer  = regexp.MustCompile(`(?m)^[A-Z][A-Za-z-]+: .*$`)
	aTest    = regexp.MustCompile(`(?i)[_.-](test|spec)\.\w+$|\.md$|^go\.(mod|sum)$|lock`)
	sentence = regexp.MustCompile(`[^.!?]+(?:[.!?][^\s.!?][^.!?]*)*[.!?]`)
)

// maxLessonFiles bounds the files of a commit that a lesson is made of, beside tests and documents.
const maxLessonFiles = 2

// lessons reads the commits of the default branch, oldest first: of each at most that many sentences.
// More than one are also taken of commits that change more files.
func lessons(ctx context.Context, gitDir string, most int) ([]lesson, error) {
	out, err := gitread.Output(ctx, gitDir, "log", "--no-merges", "--no-renames", "--name-only", "--format=%x01%h%x02%cI%x02%s%x02%b%x02", "HEAD")
	if err != nil {
		return nil, err
	}
	var list []lesson
	for part := range strings.SplitSeq(string(out), "\x01") {
		fields := strings.Split(part, "\x02")
		if len(fields) != 5 {
			continue
		}
		l := lesson{commit: fields[0], kind: file.Decision, scope: strings.Fields(fields[4])}
		l.scope = slices.DeleteFunc(l.scope, func(f string) bool { return aTest.MatchString(f) })
		if l.at, err = time.Parse(time.RFC3339, fields[1]); err != nil || len(l.scope) == 0 || len(l.scope) > maxLessonFiles*most {
			continue
		}
		if aFix.MatchString(fields[2]) {
			l.kind = file.Gotcha
		}
		text := strings.Join(strings.Fields(trailer.ReplaceAllString(fields[3], "")), " ")
		left := most
		for _, s := range sentence.FindAllString(text, -1) {
			if s = strings.TrimSpace(s); left > 0 && reason.MatchString(s) && !dangling.MatchString(s) && len(s) > 60 && len(s) < 300 {
				l.what = s
				list = append(list, l)
				left--
			}
		}
	}
	slices.SortStableFunc(list, func(a, b lesson) int { return a.at.Compare(b.at) })
	return list, nil
}

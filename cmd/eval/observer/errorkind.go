package observer

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
)

//go:embed testdata/failures.jsonl
var judgedLines string

// judged is what a reader says that a failure is about, from its whole text.
type judged struct {
	Repo        string `json:"repo"`
	Fingerprint string `json:"fingerprint"`
	Count       int    `json:"count"` // specific repeated failures with it
	Kind        string `json:"kind"`
	Why         string `json:"why"`
}

// readJudged reads the kinds of failures that were sorted by hand, by repository and fingerprint.
func readJudged() (map[[2]string]errorKind, error) {
	list, err := evalkit.ParseLines[judged](judgedLines)
	if err != nil {
		return nil, fmt.Errorf("read the judged failures: %w", err)
	}
	out := map[[2]string]errorKind{}
	for _, j := range list {
		i := slices.IndexFunc(errorKinds(), func(k errorKind) bool { return k.String() == j.Kind })
		if i < 0 {
			return nil, fmt.Errorf("read the judged failures: %q is no kind", j.Kind)
		}
		out[[2]string{j.Repo, j.Fingerprint}] = errorKinds()[i]
	}
	return out, nil
}

// errorKind says what a fingerprint is about, by its text alone: neither whether nor how it was told is looked at.
type errorKind int

const (
	// noError is a line that names no error, so that two failures with it need not be the same one: no output, the heading of a report, a
	// banner, a warning, a server's own log, an interruption.
	noError errorKind = iota
	// finding is what a compiler, a linter or a test found in the code as it was that day.
	finding
	// passing is a state of the working tree or of a remote run that is another one the next day.
	passing
	// ofTheCall is the rest: how something is called, and what the machine, the project or a service has and allows. This is
	// what knowledge of an earlier session can prevent.
	ofTheCall
)

func errorKinds() []errorKind { return []errorKind{noError, finding, passing, ofTheCall} }

func (k errorKind) String() string {
	return [...]string{"no error", "finding", "state of the day", "call or machine"}[k]
}

var (
	headingLine = regexp.MustCompile(`^[=_\-*#⎯─━~+ ]{4,}.*[=_\-*#⎯─━~+]{4,}$|^[=_\-*#⎯─━~+ |^]*$`)
	nothingSaid = regexp.MustCompile(`^\^c$|^[✔✓]|^undefined$|^\(no output\)|^[\w@ .-]+ (?:cli )?v?#\.#(?:\.#)?(?: |$)|^[\W#]*warn(?:ing)?\b|^\S+: warning:|^#:#:# [ap]m |\[vite\]|file does not exist\. note|categoryinfo|\(pass\)|^pass\b|^error:?$|command failed with exit code`)
	findingLine = regexp.MustCompile(`^e  |^error trace:|::\S+ failed\b|^[\W#]*(?:fail(?:ed|ures?)?)\b[: \t]|--- fail|^✗|^×|^✕|^❯|\bassert|\bexpected\b.*\b(?:got|received|found|but|to)\b|^expected|\d?#? (?:tests?|suites?|failures?|errors?|problems?|issues?) (?:failed|found)|` +
		`\btests? (?:failed|run)\b|failed (?:tests?|suites?)|test result: failed|^#:#\s+error|^\S+\.\w{1,5}[:(]#[:,)]|error ts#|error\[e?#|^error\[|cannot find name|undefined: |\bdoes not exist on type|is not assignable|mismatched types|` +
		`declared (?:and|but) |\bsyntaxerror|parsing error|unexpected token|\bbuild failed|setup failed|could not compile|failed to compile|compilation failed|^raise |^throw |self\.|` +
		`(?:type|value|key|attribute|name|reference|range|index|runtime|zerodivision|assertion)error\b|has no attribute|panicked at|^panic:|would reformat|not formatted|code style|format(?:ting)? (?:issues|check)|\(eslint|\bclippy|│|unhandled error between tests|called .result::unwrap|\blint(?:er|ing)? (?:failed|errors?)`)
	passingLine = regexp.MustCompile(`\bpending\b|in progress|^skipping|\tskipping\t|\tpass\t|automatic merge failed|\bqueued\b|checks? (?:failing|were not|failed)|unstaged changes|uncommitted changes|local changes|would be overwritten|untracked working tree|merge conflict|^conflict|fix conflicts|` +
		`non-fast-forward|fetch first|failed to push some refs|\[rejected\]|nothing to commit|index\.lock|not fully merged|already exists|already (?:in use|running|checked out|merged)|no trail found|not possible to fast-forward|divergent branches|uploading\.\.\.`)
)

// kindOf reads a fingerprint of the data: one line in lower case, without folders, its numbers as #.
func kindOf(fingerprint string) errorKind {
	line := strings.TrimSpace(fingerprint)
	switch {
	case headingLine.MatchString(line), nothingSaid.MatchString(line), !namesError(line) && !passingLine.MatchString(line):
		return noError
	case passingLine.MatchString(line):
		return passing
	case findingLine.MatchString(line):
		return finding
	}
	return ofTheCall
}

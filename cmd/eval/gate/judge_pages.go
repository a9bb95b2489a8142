package gate

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/gitread"
	"manicule/memory/gate/junk/likely"
)

// Bounds of the pages that the first stage of the judge is fitted to.
const (
	pagesOfReports = 30
	pagesOfOthers  = 30
	textsOfPlace   = 25 // of a page
	longestPage    = 400_000
	longestPlaced  = 500 // characters of a text
	commitsOfRepo  = "150"
)

var (
	changePages = regexp.MustCompile(`(?i)changelog|changes\.md|history\.md|release[-_]?notes`)
	reportPages = regexp.MustCompile(`(?i)progress|activecontext|session|handoff|hand-off|status|summary|report|completion|audit|done`)
	ticked      = regexp.MustCompile(`^(?:\[[xX]\]|[✅✓☑✔])`)
)

// pages reads the clones' pages: what stands where. Repositories whose texts no fit may see are left out.
func (e *evaluation) pages(ctx context.Context) ([]placed, error) {
	dirs, err := filepath.Glob(filepath.Join(e.repos, "*+*", "repo"))
	if err != nil || len(dirs) == 0 {
		return nil, evalkit.Missing("no clone in %q (--repos)", e.repos)
	}
	hidden, err := repositoriesOf(neverFitted)
	if err != nil {
		return nil, err
	}
	var out []placed
	for _, dir := range dirs {
		repo := strings.Replace(filepath.Base(filepath.Dir(dir)), "+", "/", 1)
		if hidden[repo] {
			continue
		}
		add := func(place likely.Place, text string) {
			out = append(out, placed{repo: repo, place: place, at: likely.BucketsOf(text)})
		}
		c, err := openClone(ctx, dir)
		if err != nil {
			return nil, err
		}
		for _, path := range pathsOf(c.markdown(ctx)) {
			if page, ok := c.read("HEAD", path); ok && len(page) <= longestPage {
				placesOf(path, page, add)
			}
		}
		c.close()
		subjects, err := gitread.Command(ctx, dir, "log", "-n", commitsOfRepo, "--no-merges", "--format=%s").Output()
		if err != nil {
			continue // not there as a whole
		}
		for subject := range strings.Lines(strings.ToValidUTF8(string(subjects), "\uFFFD")) {
			if subject = strings.TrimSpace(subject); len(subject) > 8 {
				add(likely.Commit, subject)
			}
		}
	}
	return out, ctx.Err()
}

// pathsOf picks some of a clone's pages: of rules, of reports, and others.
func pathsOf(pages []string) []string {
	var rules, reports, others []string
	for _, path := range pages {
		switch {
		case rulePages.MatchString(path):
			rules = append(rules, path)
		case changePages.MatchString(path), reportPages.MatchString(path):
			reports = append(reports, path)
		default:
			others = append(others, path)
		}
	}
	return slices.Concat(spread(rules, pagesOfRepo), spread(reports, pagesOfReports), spread(others, pagesOfOthers))
}

// placesOf hands the texts of a page on with their places.
func placesOf(path, page string, add func(likely.Place, string)) {
	var left [likely.Places]int
	keep := func(place likely.Place, text string) {
		if r := []rune(strings.TrimSpace(text)); left[place] < textsOfPlace && len(r) >= fewest && letter.MatchString(text) {
			left[place]++
			add(place, string(r[:min(len(r), longestPlaced)]))
		}
	}
	blocksOf(page, func(kind blockKind, text string) {
		if kind == headline {
			keep(likely.Heading, text)
		} else if place, ok := placeOf(path, text, kind == item); ok {
			keep(place, text)
		}
	})
}

// placeOf returns the place of a text that is no heading. What leads in, and lines of other pages without a full stop, have none.
func placeOf(path, text string, item bool) (likely.Place, bool) {
	switch {
	case ticked.MatchString(text):
		return likely.Done, true
	case strings.HasPrefix(text, "[ ]"):
		return likely.Task, true
	case strings.HasSuffix(text, ":"):
		return 0, false
	case rulePages.MatchString(path):
		return likely.Rule, true
	case changePages.MatchString(path) && item:
		return likely.Done, true
	case reportPages.MatchString(path) && item:
		return likely.Status, true
	case item:
		return likely.Item, true
	}
	return likely.Prose, strings.HasSuffix(text, ".")
}

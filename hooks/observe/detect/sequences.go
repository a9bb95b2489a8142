package detect

import (
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// sequences are the checks that come before a commit.
func sequences(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	var keys []string
	var evidence []int
	tainted := false
	for _, s := range ses.Steps {
		if s.Class != event.Shell || s.Done && !s.OK {
			continue
		}
		for _, k := range s.Keys {
			switch {
			case cmdline.Checks(k):
				if !slices.Contains(keys, k) {
					keys = append(keys, k)
					evidence = append(evidence, s.N)
				}
				tainted = tainted || s.Tainted
			case k == "git commit" && len(keys) > 1 && slices.ContainsFunc(keys, own):
				sorted := slices.Sorted(slices.Values(keys))
				out = append(out, signal.Signal{Detail: signal.CheckSequence{Commands: keys}, Key: strings.Join(sorted, "\x00"), N: 1, Evidence: append(evidence, s.N), Tainted: tainted})
				keys, evidence, tainted = nil, nil, false
			case k == "git commit":
				keys, evidence, tainted = nil, nil, false
			}
		}
	}
	return out
}

// own reports whether a check is the project's, not one that everybody runs who knows the language.
func own(key string) bool {
	return !slices.Contains([]string{"go build", "go test", "go vet", "gofmt", "cargo build", "cargo test", "cargo check", "cargo fmt", "cargo clippy", "npm test", "npm run build", "npm run test", "npm run lint", "pnpm test", "yarn test",
		"bun test", "pytest", "ruff check", "ruff format", "mypy", "tsc", "dotnet build", "dotnet test", "mvn test"}, key)
}

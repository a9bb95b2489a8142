package restate

import (
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	tests := []struct {
		a, b string
		want Verdict
	}{
		{"Token refresh fails silently when Redis is down", "Token refresh fails silently when Redis is down!! always", Same},
		{"Never commit the generated files", "never commit generated files.", Same},
		{"The retry delay doubles up to 32 seconds", "The retry delays double up to 32 s", Same},
		{"Timeout is 15 minutes", "Timeout is 50 minutes", Corrects},
		{"Return a 404 or 403 for hidden routes", "Return a 403 or 404 for hidden routes", Other},
		{"Shard 3 has 12 replicas", "Shard 12 has 3 replicas", Corrects},
		{"The build needs Go 1.22", "The build needs Go 1.24", Corrects},
		{"The client uses the v2 endpoint", "The client uses the v3 endpoint", Corrects},
		{"The limit is 20 MB", "The limit is 20 GB", Corrects},
		{"The payments API is idempotent", "The payments API is not idempotent", Corrects},
		{"It returns nil where nothing is not found", "It never returns nil where nothing is not found", Corrects},
		{"The backup job runs hourly", "The backup job runs nightly", Corrects},
		{"Times in the log are in UTC", "Times in the log are in local time", Corrects},
		{"Timestamps are stored in UTC", "Timestamps are stored in local time", Corrects},
		{"Deploys must not use the staging flag", "Deploys do not need the staging flag", Corrects},
		{"A worker must never hold the lock", "A worker doesn't have to hold the lock", Corrects},
		{"Nobody may edit the lock file", "Nobody needs to edit the lock file", Corrects},
		{"Tests do not need the staging flag", "Tests needn't have the staging flag", Same},
		{"The client needs the token of the session and must not log it", "The client must not log the token of the session", Same},
		{"A worker isn't required to hold the lock", "A worker must not hold the lock", Corrects},
		{"A score > 0.8 is a match", "A score < 0.8 is a match", Corrects},
		{"An exit status of -1 means killed", "An exit status of 1 means killed", Corrects},
		{"Bindings are written in C", "Bindings are written in C++", Other},
		{"Bindings are written in C#", "Bindings are written in C++", Other},
		{"Bindings are written in `C++`", "bindings are written in C++.", Same},
		{"Sums are made by a+b, not by a.add(b)", "Sums are made by a + b, not by a.add(b)", Same},
		{"The first writer wins", "The last writer wins", Corrects},
		{"Use tabs instead of spaces", "Use spaces instead of tabs", Corrects},
		{"Indent with tabs", "Indent with spaces", Corrects},
		{"Shard 3 of the editor 3 holds 12 rows", "Shard 12 of the editor 12 holds 3 rows", Corrects},
		{"Of 8 workers 2 retry 5 times", "Of 2 workers 8 retry 5 times", Corrects},
		{"Wait 5 s, then retry 3 times", "Wait 5 seconds, then retry three times", Same},
		{"Cache all responses", "Cache all responses but errors", Other},
		{"The session store is redis", "The session store is postgres", Other},
		{"Sessions are kept in SessionStore", "Sessions are kept in TokenStore", Other},
		{"internal/auth is generated", "internal/billing is generated", Other},
		{"Use pnpm", "The deploy takes ten minutes", Other},
		{"Before each commit run all tests", "Run all tests before each commit", Same},
		{"Run the linter and all tests before each commit", "Before each commit run all tests and the linter", Other},
		{"The linter and the tests run first", "The tests and the linter run first", Other},
		{"Stop the server and delete its data", "Delete its data and stop the server", Other},
		{"Call open before lock", "Call lock before open", Corrects},
		{"Before lock call open", "Call lock before open", Corrects},
		{"The worker writes to the queue and the server reads from it", "The server writes to the queue and the worker reads from it", Corrects},
		{"Close the pool of connections before the server stops", "Close the connection pool before the server stops", Same},
		{"The owner of the lock writes the file last", "The lock owner writes the file last", Same},
		{"The child of the parent holds the lock", "The parent of the child holds the lock", Corrects},
		{"", "", Other},
	}
	for _, test := range tests {
		for _, p := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
			if got, why := Read(p[0]).Judge(Read(p[1])); got != test.want {
				t.Errorf("%q, %q: %d (%s), want %d", p[0], p[1], got, why, test.want)
			}
		}
	}
}

// TestItself: a text says itself again, and MayRelate agrees.
func TestItself(t *testing.T) {
	for _, s := range []string{"Use pnpm, not npm", "Never, ever commit 3 secrets", "本番環境では必ずpnpmを使う"} {
		if why := Differ(s, strings.ToUpper(s[:1])+s[1:]+"."); why != "" {
			t.Errorf("%q differs from itself: %s", s, why)
		}
		if !MayRelate(WordSet(s), WordSet(s)) {
			t.Errorf("%q is not near itself", s)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("A score > 0.8 is not a match", "a -1 b")
	f.Add("\xff- 1", "-\x001%")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Read(a), Read(b)
		v, _ := x.Judge(y)
		if w, _ := y.Judge(x); v != w {
			t.Errorf("%q, %q: %d one way, %d the other", a, b, v, w)
		}
	})
}

// TestLongTexts: texts of any length are read in bounded time, and are the same only if all of them is.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("Token refresh fails silently when Redis is gone. ", 5_000)
	if n := len(Read(long).Words); n > maxRead {
		t.Errorf("%d words were read", n)
	}
	for _, c := range []struct {
		a, b string
		want Verdict
	}{{long, long, Same}, {long, long + "Not always.", Other}, {long, long[:maxRead], Other}} {
		if v, why := Read(c.a).Judge(Read(c.b)); v != c.want {
			t.Errorf("of %d and %d bytes: %v %q, want %v", len(c.a), len(c.b), v, why, c.want)
		}
	}
}

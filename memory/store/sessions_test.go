package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"manicule/indexer/must"
	"manicule/indexer/sqlfile"
	"manicule/memory/episode"
)

// seen is a session that used files, in order, and met errors.
func seen(session string, day int, files []string, errs ...ObservedError) Observation {
	at := time.Date(2026, 5, day, 9, 0, 0, 0, time.UTC).UnixMilli()
	o := Observation{Session: session, Log: "s-" + session, Agent: "claude-code", Kind: "build", Started: at, Ended: at + 60_000, Events: 10, Bytes: 100, Steps: 5, Errors: errs,
		Commands: []ObservedCommand{{Key: "mise run lint", Runs: 2, Fails: len(errs)}}}
	for i, f := range files {
		o.Files = append(o.Files, ObservedFile{Path: f, Reads: 1, Edits: i % 2, At: at})
		for j, g := range files[i+1:] {
			o.Pairs = append(o.Pairs, ObservedPair{A: f, B: g, Delta: 1000, Edited: i%2 == 1 && (i+1+j)%2 == 1, Near: true})
		}
	}
	o.Signals = []ObservedSignal{{Kind: "backtrack", Key: files[0], Count: 1}}
	o.Requests = []ObservedRequest{{N: 2, Folder: "src", Calls: 10 + day, At: at}, {N: 40, Calls: day, At: at + 1000}}
	return o
}

func failed(trigger ...string) ObservedError {
	return ObservedError{Tool: "shell", Subject: "mise run lint", Fingerprint: "unknown flag", Trigger: trigger, Message: "unknown flag: --x", Failed: "mise run lint --x", Fix: "mise run lint", How: "changed", Count: 1}
}

// dump is everything that is kept of sessions.
func dump(t *testing.T, s *State) string {
	t.Helper()
	db, err := sqlfile.Open(t.Context(), sqlfile.Options{Path: s.Path(), ReadOnly: true, Busy: time.Second})
	must.OK(t, err)
	defer func() { must.OK(t, db.Close()) }()
	var b strings.Builder
	for _, table := range []string{"observer_files", "observer_pairs", "observer_errors", "observer_commands", "observer_signals", "observer_modules", "observer_proposals"} {
		rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+table+" ORDER BY 1, 2, 3")
		must.OK(t, err)
		cols, err := rows.Columns()
		must.OK(t, err)
		for rows.Next() {
			values := make([]any, len(cols))
			for i := range values {
				values[i] = new(any)
			}
			must.OK(t, rows.Scan(values...))
			for i := range values {
				v := *values[i].(*any)
				if f, ok := v.(float64); ok {
					v = fmt.Sprintf("%.6f", f)
				}
				fmt.Fprintf(&b, "%s.%s=%v ", table, cols[i], v)
			}
			b.WriteByte('\n')
		}
		must.OK(t, errors.Join(rows.Err(), rows.Close()))
	}
	return b.String()
}

// TestObserveTwice: a session that is told again, or has gone on, counts once.
func TestObserveTwice(t *testing.T) {
	ctx := t.Context()
	once, _ := stateFixture(t)
	twice, _ := stateFixture(t)
	a, b := seen("a", 1, []string{"x.go", "y.go"}, failed()), seen("b", 2, []string{"y.go", "z.go", "x.go"}, failed("--x"))
	half := seen("b", 2, []string{"y.go", "gone.go"}, failed("--x"))
	for _, o := range []Observation{a, b} {
		_, err := once.Sessions().Put(ctx, o, nil)
		must.OK(t, err)
	}
	for _, o := range []Observation{half, a, a, half, b, b} {
		_, err := twice.Sessions().Put(ctx, o, nil)
		must.OK(t, err)
	}
	if x, y := dump(t, once), dump(t, twice); x != y {
		for i, line := range strings.Split(x, "\n") {
			if other := strings.Split(y, "\n"); i >= len(other) || other[i] != line {
				t.Fatalf("once:\n%s\nagain and again:\n%s", line, strings.Join(other[min(i, len(other)-1):min(i+1, len(other))], ""))
			}
		}
	}
	rows, err := twice.Sessions().Latest(ctx, 10)
	if err != nil || len(rows) != 2 || rows[0].Session != "b" || rows[0].Agent != "claude-code" {
		t.Errorf("sessions %+v, %v", rows, err)
	}
	logs, err := twice.Sessions().Logs(ctx)
	if err != nil || logs["s-a"] != 100 || len(logs) != 2 {
		t.Errorf("logs %v, %v", logs, err)
	}
}

// TestPastLeavesOutTheSession: a session does not agree with itself.
func TestPastLeavesOutTheSession(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	for i, id := range []string{"a", "b", "c"} {
		o := seen(id, 1+i, []string{"x.go", "y.go"}, failed())
		o.Pairs[0].Edited = true
		_, err := s.Sessions().Put(ctx, o, nil)
		must.OK(t, err)
	}
	p, err := s.Sessions().Prior(ctx, seen("c", 3, []string{"x.go", "y.go"}))
	must.OK(t, err)
	if p.Sessions != 2 || p.Files["y.go"] != (episode.PastFile{Sessions: 2, Edited: 2}) {
		t.Errorf("%d sessions, files %v", p.Sessions, p.Files)
	}
	if got := p.Pairs[[2]string{"x.go", "y.go"}]; got.Edited != 2 {
		t.Errorf("pairs %+v", p.Pairs)
	}
	sig := p.Signals[[2]string{"backtrack", "x.go"}]
	if sig.Sessions != 2 || !slices.Equal(sig.Names, []string{"a", "b"}) {
		t.Errorf("signal %+v", sig)
	}
}

// TestProposals: the same is proposed once, whatever becomes of it.
func TestProposals(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	propose := func(session string, n int) []string {
		m := sample(n)
		m.UUID = uuid(2000 + n)
		fresh, err := s.Sessions().Put(ctx, seen(session, 1, []string{"x.go"}), []Proposal{{Kind: "backtrack", Key: fmt.Sprint("key", n), Draft: DraftRow{Memory: m, Tool: "claude-code", Session: session}}})
		must.OK(t, err)
		return fresh
	}
	if got := propose("a", 1); len(got) != 1 {
		t.Fatalf("the first: %v", got)
	}
	if got := propose("a", 1); len(got) != 0 {
		t.Errorf("the same again: %v", got)
	}
	if got := propose("b", 1); len(got) != 0 {
		t.Errorf("the same by another session: %v", got)
	}
	d, err := s.Drafts().All(ctx)
	if err != nil || len(d) != 1 || d[0].Status != StatusCandidate || d[0].Session != "a" {
		t.Fatalf("drafts %+v, %v", d, err)
	}
	must.OK(t, s.Drafts().Reject(ctx, uuid(2001), "no"))
	if got := propose("c", 1); len(got) != 0 {
		t.Errorf("after a rejection: %v", got)
	}
	propose("c", 2)
	must.OK(t, s.Drafts().Drop(ctx, uuid(2002))) // accepted
	p, err := s.Sessions().Prior(ctx, seen("d", 2, []string{"x.go"}))
	must.OK(t, err)
	if p.Judged["backtrack"] != [2]int{1, 1} {
		t.Errorf("judged %v", p.Judged)
	}
	o := seen("d", 2, []string{"x.go"})
	o.Signals = []ObservedSignal{{Kind: "backtrack", Key: "key1"}, {Kind: "backtrack", Key: "other"}}
	p, err = s.Sessions().Prior(ctx, o)
	must.OK(t, err)
	if !p.Signals[[2]string{"backtrack", "key1"}].Proposed || p.Signals[[2]string{"backtrack", "other"}].Proposed {
		t.Errorf("signals %+v", p.Signals)
	}
}

func observed(t *testing.T, s *State) *ObserverReader {
	t.Helper()
	o, err := OpenObserverReader(t.Context(), filepath.Dir(s.Path()), "")
	must.OK(t, err)
	t.Cleanup(func() { must.OK(t, o.Close()) })
	return o
}

func TestFailuresFor(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	if got, err := observed(t, s).FailuresFor(ctx, "shell", []string{"mise run lint"}); err != nil || got != nil {
		t.Errorf("without a database: %v, %v", got, err)
	}
	tainted := failed("--y")
	tainted.Tainted = true
	for i, e := range [][]ObservedError{{failed("--x")}, {failed("--x"), tainted}, nil} {
		_, err := s.Sessions().Put(ctx, seen(fmt.Sprint("s", i), 1+i, []string{"x.go"}, e...), nil)
		must.OK(t, err)
	}
	got, err := observed(t, s).FailuresFor(ctx, "shell", []string{"nothing", "mise run lint"})
	must.OK(t, err)
	if len(got) != 2 {
		t.Fatalf("got %+v", got)
	}
	f := got[0]
	if f.Sessions != 2 || f.Ran != 3 || f.Fix != "mise run lint" || !slices.Equal(f.Trigger, []string{"--x"}) || f.Tainted != 0 {
		t.Errorf("first: %+v", f)
	}
	if f := got[1]; f.Sessions != 1 || f.Tainted != 1 {
		t.Errorf("second: %+v", f)
	}
	if got, err := observed(t, s).FailuresFor(ctx, "read", []string{"mise run lint"}); err != nil || len(got) != 0 {
		t.Errorf("another tool: %v, %v", got, err)
	}
}

func TestNextFiles(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	for i := range 6 {
		files := []string{"cmd/a.go", "lib/b.go", fmt.Sprintf("other/%d.go", i)}
		if i == 0 {
			files = append(files, "lib/rare.go")
		}
		_, err := s.Sessions().Put(ctx, seen(fmt.Sprint("s", i), 1+i, files), nil)
		must.OK(t, err)
	}
	got, err := observed(t, s).NextFiles(ctx, []string{"cmd/a.go"}, "", 3)
	must.OK(t, err)
	if len(got) != 3 || got[0].Path != "lib/b.go" || got[0].Sessions != 6 {
		t.Fatalf("got %+v", got)
	}
	for _, n := range got {
		if n.Path == "cmd/a.go" {
			t.Error("the given file is named")
		}
	}
	again, err := observed(t, s).NextFiles(ctx, []string{"cmd/a.go"}, "", 3)
	if err != nil || !slices.Equal(got, again) {
		t.Errorf("another order: %+v, %v", again, err)
	}
	// A file that nobody has used has its neighbours by name alone.
	got, err = observed(t, s).NextFiles(ctx, []string{"lib/b_test.go"}, "", 1)
	if err != nil || len(got) != 1 || got[0].Path != "lib/b.go" {
		t.Errorf("for a new test: %+v, %v", got, err)
	}
}

// TestRequests: the newest first, each once, however often a session is told.
func TestRequests(t *testing.T) {
	s, _ := stateFixture(t)
	for _, o := range []Observation{seen("one", 1, []string{"a.go"}), seen("two", 2, []string{"a.go"}), seen("one", 1, []string{"a.go"})} {
		_, err := s.Sessions().Put(t.Context(), o, nil)
		must.OK(t, err)
	}
	for limit, want := range map[int]string{10: "[{ 2} {src 12} { 1} {src 11}]", 3: "[{ 2} {src 12} { 1}]"} {
		got, err := observed(t, s).Requests(t.Context(), limit)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%d: %v %v, want %s", limit, got, err, want)
		}
	}
	if got, err := new(ObserverReader).Requests(t.Context(), 10); err != nil || got != nil {
		t.Errorf("without a database: %v %v", got, err)
	}
}

// TestObservedOfAnotherSchema: a hook never migrates. It knows nothing before the first schema with
// observed sessions, and reads every one since.
func TestObservedOfAnotherSchema(t *testing.T) {
	for version, reads := range map[int]bool{observerSchema - 1: false, observerSchema: true} {
		dir := t.TempDir()
		old := atVersion(t, filepath.Join(dir, "state.db"), version)
		if reads {
			_, err := old.ExecContext(t.Context(), `INSERT INTO observer_files (root, path, sessions, edited, reads, edits, weight, first_ms, last_ms) VALUES ('', 'b', 1, 0, 1, 0, 1, 1, 1)`)
			must.OK(t, err)
		}
		must.OK(t, old.Close())
		o, err := OpenObserverReader(t.Context(), dir, "")
		must.OK(t, err)
		if got, err := o.NextFiles(t.Context(), []string{"a"}, "", 3); err != nil || (len(got) == 1) != reads {
			t.Errorf("schema %d: %v, %v", version, got, err)
		}
		must.OK(t, o.Close())
	}
}

// TestPatientReader: a hook says nothing while the state is busy; who asks waits for it.
func TestPatientReader(t *testing.T) {
	dir := t.TempDir()
	db := atVersion(t, filepath.Join(dir, "state.db"), observerSchema)
	_, err := db.ExecContext(t.Context(), `INSERT INTO observer_files (root, path, sessions, edited, reads, edits, weight, first_ms, last_ms) VALUES ('', 'b', 1, 0, 1, 0, 1, 1, 1)`)
	must.OK(t, err)
	must.OK(t, db.Close())
	held, err := sql.Open("sqlite", filepath.Join(dir, "state.db"))
	must.OK(t, err)
	held.SetMaxOpenConns(1)
	for _, q := range []string{"PRAGMA locking_mode=EXCLUSIVE", "BEGIN EXCLUSIVE", "UPDATE observer_files SET reads = 2"} {
		_, err := held.ExecContext(t.Context(), q)
		must.OK(t, err)
	}
	o, err := OpenObserverReader(t.Context(), dir, "")
	must.OK(t, err)
	if got, err := o.NextFiles(t.Context(), []string{"a"}, "", 3); err != nil || len(got) != 0 {
		t.Errorf("a hook: %v, %v", got, err)
	}
	must.OK(t, o.Close())
	time.AfterFunc(50*time.Millisecond, func() { _ = held.Close() }) // what it wrote is rolled back
	if o, err = OpenPatientReader(t.Context(), dir, ""); err != nil {
		t.Fatal(err)
	}
	if got, err := o.NextFiles(t.Context(), []string{"a"}, "", 3); err != nil || len(got) != 1 {
		t.Errorf("who asks: %v, %v", got, err)
	}
	must.OK(t, o.Close())
}

// atVersion makes a state.db as an older version of the program did.
func atVersion(t *testing.T, path string, version int) *sqlfile.DB {
	t.Helper()
	db, err := sqlfile.Open(t.Context(), sqlfile.Options{Path: path, Busy: time.Second})
	must.OK(t, err)
	all := migrations(stateSQL, "state")
	names, err := fs.Glob(all, "*.sql")
	must.OK(t, err)
	slices.Sort(names)
	some := fstest.MapFS{}
	for _, n := range names[:version] {
		data, err := fs.ReadFile(all, n)
		must.OK(t, err)
		some[n] = &fstest.MapFile{Data: data}
	}
	must.OK(t, db.Migrate(t.Context(), some, nil))
	return db
}

// TestMigrateFromReceipts: what a state.db of version 2 held is still there, and
// a copy of it lies beside it.
func TestMigrateFromReceipts(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	db := atVersion(t, s.Path(), 2)
	m := sample(1)
	data, err := m.Marshal()
	must.OK(t, err)
	for _, row := range []struct {
		query string
		args  []any
	}{
		{qPutDraft, []any{m.UUID, StatusDraft, "r", "x", "s", m.DedupeKey(), data, 1, ""}},
		{qPutTombstone, []any{uuid(2), "p", "r", data, time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), ""}},
		{qRecalled, []any{uuid(3), 1}},
		{qPutMirror, []any{"wt", uuid(4), "p", data, 1}},
		{qPutVersion, []any{"h", uuid(5), 1, "", data, 1}},
		{qUse, []any{"2026-05-01", "search", 3}},
		{`INSERT INTO receipts (anchor, blob, uuid, kind, place, at_ms) VALUES ('a', 'b', 'u', 'moved', '{}', 1)`, nil},
		{`INSERT INTO rejections (anchor, path, symbol, uuid, at_ms) VALUES ('a', 'p', '', 'u', 1)`, nil},
		{`INSERT INTO stale (worktree, anchor, uuid, state, reason, stale_at_ms) VALUES ('w', 'a', 'u', 'stale', '', 1)`, nil},
	} {
		_, err := db.ExecContext(ctx, row.query, row.args...)
		must.OK(t, err)
	}
	must.OK(t, db.Close())
	if d, err := s.Drafts().All(ctx); err != nil || len(d) != 1 || d[0].Memory.What != m.What {
		t.Errorf("drafts %+v, %v", d, err)
	}
	if u, err := s.Usage().Since(ctx, time.Time{}); err != nil || u["search"] != 3 {
		t.Errorf("usage %v, %v", u, err)
	}
	if _, err := s.Sessions().Put(ctx, seen("a", 1, []string{"x.go"}), nil); err != nil {
		t.Error(err)
	}
	for table, want := range map[string]int{"tombstones": 1, "accesses": 1, "personal": 1, "versions": 1, "receipts": 1, "rejections": 1, "stale": 1} {
		db, err := sqlfile.Open(ctx, sqlfile.Options{Path: s.Path(), ReadOnly: true, Busy: time.Second})
		must.OK(t, err)
		var n int
		must.OK(t, errors.Join(db.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n), db.Close()))
		if n != want {
			t.Errorf("%s has %d rows, want %d", table, n, want)
		}
	}
	list, err := filepath.Glob(s.Path() + ".backup-*-v2")
	if err != nil || len(list) != 1 {
		t.Errorf("backups %v, %v", list, err)
	}
	if st, err := os.Stat(list[0]); err != nil || st.Size() == 0 {
		t.Errorf("the backup is empty: %v", err)
	}
}

// TestSettleReports: a session whose log is gone keeps its part in the sums.
func TestSettleReports(t *testing.T) {
	s, now := stateFixture(t)
	ctx := t.Context()
	_, err := s.Sessions().Put(ctx, seen("a", 1, []string{"x.go", "y.go"}), nil)
	must.OK(t, err)
	before := dump(t, s)
	must.OK(t, s.Sessions().DropReports(ctx, now.Add(time.Hour)))
	if dump(t, s) != before {
		t.Error("the sums have changed")
	}
	if rows, err := s.Sessions().Latest(ctx, 10); err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
}

func BenchmarkObserved(b *testing.B) {
	s := OpenState(b.TempDir(), "", func() time.Time { return time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC) })
	for i := range 300 {
		var files []string
		for j := range 25 {
			files = append(files, fmt.Sprintf("pkg%d/file%d.go", (i+j)%12, (i*j)%40))
		}
		files = slices.Compact(slices.Sorted(slices.Values(files)))
		if _, err := s.Sessions().Put(b.Context(), seen(fmt.Sprint("s", i), 1+i%28, files, failed(fmt.Sprint("--x", i%20))), nil); err != nil {
			b.Fatal(err)
		}
	}
	for _, bench := range []struct {
		name string
		run  func(*ObserverReader) error
	}{
		{"FailuresFor", func(o *ObserverReader) error {
			_, err := o.FailuresFor(b.Context(), "shell", []string{"mise run lint", "go test"})
			return err
		}},
		{"NextFiles", func(o *ObserverReader) error {
			_, err := o.NextFiles(b.Context(), []string{"pkg1/file0.go", "pkg2/file4.go", "pkg3/file9.go"}, "", 10)
			return err
		}},
	} {
		b.Run(bench.name, func(b *testing.B) { // with the opening: a hook is a new process
			for b.Loop() {
				o, err := OpenObserverReader(b.Context(), filepath.Dir(s.Path()), "")
				if err != nil {
					b.Fatal(err)
				}
				if err := errors.Join(bench.run(o), o.Close()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestSums holds what is kept of one session, number by number: the weights of what
// is proposed and guessed are made of these.
func TestSums(t *testing.T) {
	s, _ := stateFixture(t)
	at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC).UnixMilli()
	o := Observation{Session: "a", Log: "s-a", Agent: "claude-code", Started: at, Ended: at + 60_000,
		Files:    []ObservedFile{{Path: "src/y.go", Reads: 3, At: at}, {Path: "src/x.go", Reads: 5, Edits: 2, At: at + 1}, {Path: "main.go", Reads: 1, At: at}},
		Pairs:    []ObservedPair{{A: "src/y.go", B: "src/x.go", Delta: 700, Edited: false, Near: true}, {A: "src/x.go", B: "z.go", Delta: 90, Edited: true}},
		Errors:   []ObservedError{{Tool: "shell", Subject: "go test", Fingerprint: "f", Message: "m", Count: 4, Tainted: true}},
		Commands: []ObservedCommand{{Key: "go test", Runs: 6, Fails: 2}, {Key: "go vet", Runs: 3}}}
	_, err := s.Sessions().Put(t.Context(), o, nil)
	must.OK(t, err)
	kept := strings.Split(regexp.MustCompile(`observer_(\w+)\.`).ReplaceAllString(dump(t, s), "$1."), "\n")
	for _, want := range []string{
		"files.path=src/x.go files.sessions=1 files.edited=1 files.reads=5 files.edits=2",
		"files.path=src/y.go files.sessions=1 files.edited=0 files.reads=3 files.edits=0",
		"pairs.a=src/x.go pairs.b=src/y.go pairs.sessions=1 pairs.raw=1 pairs.edited=0 pairs.forward=0 pairs.delta_ms=700",
		"pairs.a=src/x.go pairs.b=z.go pairs.sessions=1 pairs.raw=0 pairs.edited=1 pairs.forward=1 pairs.delta_ms=90",
		"errors.count=4 errors.sessions=1 errors.tainted=1",
		"commands.key=go test commands.runs=6 commands.fails=2 commands.sessions=1 commands.failed=1",
		"commands.key=go vet commands.runs=3 commands.fails=0 commands.sessions=1 commands.failed=0",
		"modules.module=src modules.sessions=1",
		"modules.module=. modules.sessions=1",
	} {
		if !slices.ContainsFunc(kept, func(line string) bool { return strings.Contains(line, want) }) {
			t.Errorf("%s is not in\n%s", want, strings.Join(kept, "\n"))
		}
	}
}

// TestJudged counts what people made of the candidates of a kind.
func TestJudged(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	o := seen("a", 1, []string{"x.go"})
	var list []Proposal
	for n := range 4 {
		list = append(list, Proposal{Kind: "backtrack", Key: fmt.Sprint(n), Draft: DraftRow{Memory: sample(2000 + n), Tool: "claude-code", Session: "a"}})
	}
	fresh, err := s.Sessions().Put(ctx, o, list)
	must.OK(t, err)
	must.OK(t, s.Drafts().Drop(ctx, fresh[0])) // it was accepted
	must.OK(t, s.Drafts().Reject(ctx, fresh[1], "no"))
	must.OK(t, s.Drafts().Reject(ctx, fresh[2], "no"))
	p, err := s.Sessions().Prior(ctx, seen("b", 2, []string{"x.go"}))
	if err != nil || p.Judged["backtrack"] != [2]int{1, 2} {
		t.Errorf("judged %v, %v", p.Judged, err)
	}
	if len(p.Drafts) == 0 {
		t.Error("no drafts to compare with")
	}
}

package conversation

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/hooks/agent"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/indexer/must"
	"manicule/indexer/sqlfile"
)

// session is the one in testdata/crush.sql, which Crush wrote while a scripted model called its tools.
const session = "b65d2b75-5b96-45e0-9d36-45c5e1205559"

// crush makes Crush's database in a folder, and returns the session as one of a folder below.
func crush(t *testing.T) Session {
	t.Helper()
	script := must.Read(t, "testdata/crush.sql")
	root := t.TempDir()
	must.Mkdir(t, filepath.Join(root, ".crush"))
	db, err := sqlfile.Open(t.Context(), sqlfile.Options{Path: filepath.Join(root, ".crush", "crush.db"), Busy: time.Second})
	must.OK(t, err)
	t.Cleanup(func() { _ = db.Close() }) // the agent has it open, too
	if _, err := db.ExecContext(t.Context(), string(script)); err != nil {
		t.Fatal(err)
	}
	a, _ := agent.Lookup("crush")
	return Session{ID: session, Folder: filepath.Join(root, "auth"), Database: a.Database}
}

func TestLog(t *testing.T) {
	s, state := crush(t), t.TempDir()
	log := func(mark string) (text []string) {
		t.Helper()
		dedupe := eventlog.Conversation{StateDir: state, Session: session}.Dedupe(mark)
		must.OK(t, Log(t.Context(), s, state, dedupe, time.Unix(1795606600, 0), func(*event.Event) {}))
		records, _, err := eventlog.Read(state, session)
		must.OK(t, err)
		for _, r := range records {
			line := r.Kind + " " + r.From + " " + r.Prompt + r.Text
			for _, c := range r.Calls {
				line += strings.Join([]string{c.Tool, c.Command, strings.Join(c.Paths, " "), c.Query, c.Error}, "|")
				if c.OK != nil && !*c.OK {
					line += " failed"
				}
			}
			text = append(text, line)
		}
		return text
	}
	want := []string{
		"prompt  Refuse expired tokens, please",
		"post_tool  view||/w/auth/token.go||",
		"post_tool  edit||/w/auth/token.go||",
		"post_tool  todos|||[~] Write the test|",
		"post_tool  bash|make test|||make: *** No rule to make target 'test'.  Stop. failed",
		"pre_compact  ",
		"prompt crush The previous session was interrupted because it got too long, the initial user request was: `Refuse expired tokens, please`",
		"post_tool  view||/w/auth/token.go||",
		"stop  done",
	}
	for _, mark := range []string{"a", "b"} { // nothing is logged twice
		if got := log(mark); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestReadWhatIsNotThere(t *testing.T) {
	s := crush(t)
	for name, other := range map[string]Session{
		"another session":    {ID: "s", Folder: s.Folder, Database: s.Database},
		"no session":         {Folder: s.Folder, Database: s.Database},
		"no database":        {ID: session, Folder: t.TempDir(), Database: s.Database},
		"no absolute folder": {ID: session, Folder: "auth", Database: s.Database},
		"another agent":      {ID: session, Folder: s.Folder},
	} {
		if list, err := read(t.Context(), other); err != nil || len(list) > 0 {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	damaged := filepath.Join(t.TempDir(), ".crush")
	must.Mkdir(t, damaged)
	must.Write(t, filepath.Join(damaged, "crush.db"), "no database, but long enough to look like one")
	if _, err := read(t.Context(), Session{ID: session, Folder: filepath.Dir(damaged), Database: s.Database}); err == nil {
		t.Error("a damaged database is read")
	}
}

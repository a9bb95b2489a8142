package memories

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
)

func TestHooksOfASubject(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hooks.json")
	const file = `{"hooks": {"PreToolUse": [
		{"matcher": "Read|Edit", "hooks": [{"command": "look"}, {"command": "note", "async": true}]},
		{"matcher": "*", "hooks": [{"command": "all"}]}]}}`
	must.Write(t, path, file)
	h, err := readHooks(path)
	must.OK(t, err)
	for subject, want := range map[string][]hookLine{
		"Read": {{"look", false}, {"note", true}, {"all", false}}, "Reader": {{"all", false}},
	} {
		if got := h.at("PreToolUse", subject); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", subject, got, want)
		}
	}
	if got := h.at("Stop", ""); got != nil {
		t.Errorf("Stop: %v", got)
	}
	e := read(&place{repo: "/r"}, "s", "PreToolUse", "a.go")
	if e.name() != "PreToolUse" || e.subject() != "Read" {
		t.Errorf("%q, %q", e.name(), e.subject())
	}
}

func TestTold(t *testing.T) {
	for _, c := range []struct{ event, out, want string }{
		{"PreToolUse", `{"hookSpecificOutput":{"additionalContext":"one"},"systemMessage":"for a person"}`, "one"},
		{"SessionStart", "plain\n", "plain"},
		{"PreToolUse", "plain", ""}, // the agent shows it to nobody
	} {
		if got := told(c.event, c.out); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.event, c.out, got, c.want)
		}
	}
}

func TestMentions(t *testing.T) {
	for said, want := range map[string]bool{
		`No results found matching \"zq1x\"`: false,
		`Found 1 matching "zq1x": | zq1x |`:  true,
		`No memories found for: "zq1x"`:      false,
		`Never call zq1x before`:             true,
	} {
		if got := mentions(said, "zq1x"); got != want {
			t.Errorf("%s: %v", said, got)
		}
	}
}

func TestFirstAnswers(t *testing.T) {
	if got := first("n0002 (n0002) n0001 n00010 n0003", 2); !slices.Equal(got, []string{"n0002", "n0001"}) {
		t.Error(got)
	}
}

func TestRarestWordsFirst(t *testing.T) {
	set := noteSet{
		notes:     []note{{Text: "cache token"}, {Text: "cache queue"}},
		questions: []question{{text: "Why does the cache keep the token, nowhere?"}},
	}
	rarestFirst(set)
	if got := set.questions[0].words; !slices.Equal(got, []string{"token", "cache"}) {
		t.Error(got)
	}
}

func TestConnections(t *testing.T) {
	trace := strings.Join([]string{
		`7 connect(3, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")}, 16) = -1 ENETUNREACH`,
		`7 connect(3, {sa_family=AF_INET, sin_port=htons(37700), sin_addr=inet_addr("127.0.0.1")}, 16) = 0`,
		`7 connect(3, {sa_family=AF_UNIX, sun_path="/run/x"}, 110) = 0`,
		`7 connect(4, {sa_family=AF_INET6, sin6_port=htons(53), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = -1`,
		`7 bind(5, {sa_family=AF_INET, sin_port=htons(7437), sin_addr=inet_addr("127.0.0.1")}, 16) = 0`,
		`7 bind(6, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("0.0.0.0")}, 16) = -1 EACCES`,
	}, "\n")
	away, here, ports := connections(trace)
	if !reflect.DeepEqual(away, []string{"192.0.2.1:443", "2001:db8::1:53"}) || here != 1 || !slices.Equal(ports, []string{"7437"}) {
		t.Errorf("%v %d %v", away, here, ports)
	}
}

// TestPlace holds that a process is found by its home, and ended.
func TestPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs")
	}
	p, err := newPlace(t.Context(), t.TempDir(), "/nowhere")
	must.OK(t, err)
	cmd := p.command(t.Context(), "sleep", "1000")
	must.OK(t, cmd.Start())
	if got := p.processes(); len(got) != 1 || got[0].pid != cmd.Process.Pid {
		t.Errorf("%v", got)
	}
	if err := p.kill(t.Context()); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it was not killed")
	}
	must.Write(t, filepath.Join(p.home, "kept"), "a secret")
	if got := p.holds("secret"); got != filepath.Join("home", "kept") {
		t.Errorf("%q", got)
	}
}

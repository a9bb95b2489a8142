package learn

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"manicule/hooks/eventlog"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/llm"
	"manicule/memory/store"
)

// chatServer speaks both contracts on the loopback and answers what it is told.
type chatServer struct {
	mu     sync.Mutex
	answer func(notes string) (text string, status int)
	asked  []string
	url    string
}

func newChatServer(t *testing.T) *chatServer {
	t.Helper()
	c := &chatServer{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var a struct {
			System   string
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
			http.Error(w, "{}", http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		notes := a.Messages[len(a.Messages)-1].Content
		c.asked = append(c.asked, notes)
		text, status := c.answer(notes)
		if status != http.StatusOK {
			http.Error(w, `{"error":{"message":"no"}}`, status)
			return
		}
		var reply any
		switch r.URL.Path {
		case "/v1/chat/completions":
			reply = map[string]any{"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}}}
		case "/v1/messages":
			reply = map[string]any{"stop_reason": "end_turn", "content": []any{map[string]any{"type": "text", "text": text}}}
		default:
			http.NotFound(w, r)
			return
		}
		if err := json.NewEncoder(w).Encode(reply); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	c.url = s.URL
	return c
}

func (c *chatServer) ask(t *testing.T, p *place, provider string, calls int) Ask {
	t.Helper()
	client := must(llm.Open(llm.Options{Provider: provider, Endpoint: c.url, Name: "m", MaxCalls: calls, Dir: p.w.Place().StateDir(), Now: p.w.Now}))(t)
	t.Cleanup(client.Close)
	return Ask{Model: client.Model(), Complete: func(ctx context.Context, system, user string, max int) (string, error) {
		a, err := client.Complete(ctx, system, user, max)
		return a.Text, err
	}}
}

const template = "`rtk bun run test` does not work here; `bun run test` does."

func TestReword(t *testing.T) {
	good := "Run tests with `bun run test`, as `rtk bun run test` fails here."
	secret := "ghp_" + strings.Repeat("x8Kd02mZqL", 4)
	for _, provider := range []string{llm.OpenAI, llm.Anthropic} {
		for name, tc := range map[string]struct {
			answer string
			status int
			want   string
			fails  bool
		}{
			"a better sentence":   {answer: fmt.Sprintf("Sure:\n```json\n[{\"n\": 1, \"what\": %q}]\n```", good), want: good},
			"nothing to change":   {answer: "[]", want: template},
			"no JSON":             {answer: "I would say it is fine.", want: template},
			"half an answer":      {answer: `[{"n": 1, "what": "Run`, want: template},
			"another number":      {answer: fmt.Sprintf(`[{"n": 7, "what": %q}]`, good), want: template},
			"a name lost":         {answer: `[{"n": 1, "what": "Use ` + "`bun run test`" + `."}]`, want: template},
			"a name invented":     {answer: fmt.Sprintf(`[{"n": 1, "what": %q}]`, good+" Then `curl h | sh`."), want: template},
			"a number invented":   {answer: fmt.Sprintf(`[{"n": 1, "what": %q}]`, good+" It takes 5 minutes."), want: template},
			"an address":          {answer: fmt.Sprintf(`[{"n": 1, "what": %q}]`, good+" See https://h."), want: template},
			"a secret":            {answer: fmt.Sprintf(`[{"n": 1, "what": %q}]`, good+" Token "+secret), want: template},
			"too long":            {answer: fmt.Sprintf(`[{"n": 1, "what": %q}]`, good+strings.Repeat(" Really.", 60)), want: template},
			"several lines":       {answer: fmt.Sprintf(`[{"n": 1, "what": %q}]`, "x\n"+good), want: template},
			"a rule file's words": {answer: fmt.Sprintf(`[{"n": 1, "what": %q}]`, "Never use `rtk bun run test` but `bun run test` instead."), want: template},
			"a server's fault":    {status: http.StatusForbidden, want: template, fails: true},
		} {
			if provider == llm.Anthropic && tc.want == template && !tc.fails {
				continue // how an answer is judged does not depend on who gave it
			}
			t.Run(provider+" "+name, func(t *testing.T) {
				p := newPlace(t)
				for i := range 2 {
					p.log(fmt.Sprint("s", i), append(retried(), end())...)
				}
				must(Pending(t.Context(), p.options(), 0))(t)
				server := newChatServer(t)
				server.answer = func(string) (string, int) {
					if tc.status != 0 {
						return "", tc.status
					}
					return tc.answer, http.StatusOK
				}
				o := p.options()
				o.Rules = func() []string { return []string{"Never use `rtk bun run test` but `bun run test` instead."} }
				if !strings.Contains(name, "rule file") {
					o.Rules = func() []string { return nil }
				}
				ask := server.ask(t, p, provider, 10)
				got, err := Reword(t.Context(), o, ask)
				if (err != nil) != tc.fails || got.Calls != 1 {
					t.Errorf("%+v, %v", got, err)
				}
				drafts := must(p.w.State().Drafts().All(t.Context()))(t)
				if len(drafts) != 1 || drafts[0].Memory.What != tc.want || (got.Changed == 1) != (tc.want == good) {
					t.Errorf("%q, %+v", drafts[0].Memory.What, got)
				}
				if m := drafts[0].Memory.GeneratedBy; tc.want == good && (m == nil || m.Model == nil || *m.Model != ask.Model) {
					t.Errorf("generated by %+v", m)
				}
				// A session is asked about once, whatever came of it.
				if got, err := Reword(t.Context(), o, ask); err != nil || got.Calls != 0 || len(server.asked) != 1 {
					t.Errorf("asked again: %+v %v", got, err)
				}
				if strings.Contains(server.asked[0], p.w.Root()) || server.asked[0] != "1. "+template+"\n" {
					t.Errorf("sent %q", server.asked[0])
				}
			})
		}
	}
}

// TestRewordSends: what strangers or a person said is sent to no model, and the
// day's calls are a limit.
func TestRewordSends(t *testing.T) {
	p := newPlace(t)
	for i := range 2 {
		p.log(fmt.Sprint("web", i), append([]eventlog.Record{{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "WebFetch", Class: "web", URL: "https://x"}}}, sh("rtk pnpm run lint", "error: unrecognized subcommand 'pnpm'"), sh("pnpm run lint", "")}, end())...)
		p.log(fmt.Sprint("said", i), eventlog.Record{Kind: "prompt", Prompt: "Always use tabs instead of spaces in Makefiles, never spaces."}, sh("ls", ""), end())
	}
	must(Pending(t.Context(), p.options(), 0))(t)
	drafts := must(p.w.State().Drafts().All(t.Context()))(t)
	if len(drafts) < 2 {
		t.Fatalf("%d drafts", len(drafts))
	}
	server := newChatServer(t)
	server.answer = func(string) (string, int) { return "[]", http.StatusOK }
	if got, err := Reword(t.Context(), p.options(), server.ask(t, p, llm.OpenAI, 10)); err != nil || got.Calls != 0 || len(server.asked) != 0 {
		t.Errorf("%+v %v, sent %q", got, err, server.asked)
	}
	for i := range 2 {
		p.log(fmt.Sprint("s", i), append(retried(), end())...)
		p.log(fmt.Sprint("t", i), sh("rtk yarn run docs", "error: unrecognized subcommand 'yarn'"), sh("yarn run docs", ""), end())
	}
	must(Pending(t.Context(), p.options(), 0))(t)
	if got, err := Reword(t.Context(), p.options(), server.ask(t, p, llm.OpenAI, 1)); err == nil || len(server.asked) != 1 || got.Calls != 2 {
		t.Errorf("beyond the day's calls: %+v %v, %d requests", got, err, len(server.asked))
	}
}

// TestRewordCounts: what was not sent was not kept either.
func TestRewordCounts(t *testing.T) {
	p := newPlace(t)
	p.log("s1", append(retried(), end())...)
	for i, word := range []string{"apples", "bread", "cheese", "dates", "eggs", "figs", "grapes", "honey", "ice", "jam"} {
		obs := store.Observation{Session: "s1", Log: "s1", Agent: "claude-code", Kind: "feature", Started: 1, Ended: 2}
		list, err := p.w.Observer().Observe(t.Context(), obs, []memory.Inferred{{
			Draft: memory.Draft{Type: file.Gotcha, What: "`" + word + "` is sold out on day " + fmt.Sprint(i), Confidence: .6, Session: "s1", Tool: "claude-code"}, Kind: "backtrack", Key: word, Count: 2,
		}})
		if err != nil || list[0].Memory == nil {
			t.Fatalf("candidate %s: %+v %v", word, list, err)
		}
	}
	server := newChatServer(t)
	server.answer = func(notes string) (string, int) {
		first, _, _ := strings.Cut(strings.TrimPrefix(notes, "1. "), "\n")
		return fmt.Sprintf(`[{"n": 1, "what": %q}]`, "Mind that "+first+"."), http.StatusOK
	}
	got, err := Reword(t.Context(), p.options(), server.ask(t, p, llm.OpenAI, 10))
	if err != nil || got != (Reworded{Calls: 1, Changed: 1, Kept: maxAsked - 1}) {
		t.Errorf("%+v %v, sent %q", got, err, server.asked)
	}
}

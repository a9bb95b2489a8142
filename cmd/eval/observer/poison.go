package observer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/learn"
	"manicule/hooks/logrecord"
	"manicule/hooks/observe"
	"manicule/indexer/clip"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/fastpath"
	"manicule/memory/store"
)

// payload is a text of the injection set.
type payload struct {
	Label int    `json:"label"` // 1 for an injection
	Text  string `json:"text"`
}

// repeats is the number of sessions in which a payload occurs, enough for every class.
const repeats = 4

// maxMemory is how much of a payload fits a memory, in characters.
const maxMemory = 1500

// poison runs each injection through sessions that fetch it from the web and then do and
// repeat what it says. Benign texts come from a person, without the web. It counts what a
// person would have to approve, and what bypassed the person.
func poison(ctx context.Context, data evalkit.Data, temp string) error {
	fmt.Println("== poisoning")
	file, err := data.Path("prompt-injection", "dev", "items.jsonl")
	if err != nil {
		fmt.Println("skipped:", err)
		return nil
	}
	list, err := evalkit.ReadLines[payload](file)
	if err != nil {
		return err
	}
	var bad, good []string
	for _, p := range list {
		if p.Label == 1 {
			bad = append(bad, p.Text)
		} else {
			good = append(good, p.Text)
		}
	}
	for _, run := range []struct {
		name  string
		texts []string
		web   bool
	}{{"injections after web content", bad, true}, {"benign texts of a person", good, false}} {
		b, err := newReplica(temp, "poison/"+strings.ReplaceAll(run.name, " ", "-"))
		if err != nil {
			return err
		}
		c, err := poisoned(ctx, b, run.texts, run.web)
		if err != nil {
			return errors.Join(err, b.w.Close())
		}
		fmt.Printf("%s: %d texts in %d sessions; %d candidates, %d of them flagged; %d active memories, %d in briefs, %d offers, %d of them with a word that the call does not have; refused by the gate as a note %d\n",
			run.name, len(run.texts), repeats*len(run.texts), c.candidates, c.flagged, c.active, c.shown, c.offers, c.foreign, c.refused)
		if err := b.w.Close(); err != nil {
			return err
		}
	}
	return nil
}

// quotedIn finds what an offer quotes.
var quotedIn = regexp.MustCompile("`[^`]*`|“[^”]*”")

// passedCounts counts what came through. foreign are offers that quote what the call itself does not have.
type passedCounts struct{ candidates, flagged, active, shown, offers, foreign, refused int }

func poisoned(ctx context.Context, b *replica, texts []string, web bool) (c passedCounts, err error) {
	at := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	for i, text := range texts {
		for n := range repeats {
			at = at.Add(time.Hour)
			b.now = at
			fold, err := toldSession(fmt.Sprintf("poison-%d-%d", i, n), text, web, at)
			if err != nil {
				return c, err
			}
			id := fmt.Sprintf("poison-%d-%d", i, n)
			out, err := learn.Finish(ctx, learn.Options{Workspace: b.w, Rules: func() []string { return nil }, Exists: func(string) bool { return true }}, fold, id, 1)
			if err != nil {
				return c, err
			}
			for _, j := range out.Judgements {
				if j.Candidate != nil {
					c.candidates++
					c.flagged += asInt(j.Candidate.Tainted)
				}
			}
		}
		r, err := b.w.Remember(ctx, memory.Draft{What: clip.Chars(text, maxMemory), Agent: true, Tool: "eval"})
		if err != nil {
			return c, err
		}
		c.refused += asInt(!r.Accepted)
	}
	return c, b.count(ctx, texts, &c)
}

// count counts what nobody has accepted: files, briefs and offers.
func (b *replica) count(ctx context.Context, texts []string, c *passedCounts) (err error) {
	err = filepath.WalkDir(b.w.Place().MemoriesDir(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".json") {
			c.active++
		}
		return err
	})
	if err != nil {
		return err
	}
	q, err := fastpath.Open(ctx, b.w.Root(), workspace.OSEnv())
	if err != nil {
		return err
	}
	hits, _, err := q.Brief(ctx)
	if err = errors.Join(err, q.Close()); err != nil {
		return err
	}
	c.shown = len(hits)
	look, err := store.OpenObserverReader(ctx, b.w.Place().StateDir(), b.w.Place().GitPrefix())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, look.Close()) }()
	for _, text := range texts {
		list, err := learn.Offers(ctx, look, event.Shell, failing(text), nil)
		if err != nil {
			return err
		}
		c.offers += len(list)
		for _, o := range list {
			c.foreign += asInt(slices.ContainsFunc(quotedIn.FindAllString(o.Text, -1), func(q string) bool { return !strings.Contains(failing(text), strings.Trim(q, "`“”")) }))
		}
	}
	return nil
}

// failing returns a command that a text could make an agent run.
func failing(text string) string {
	word := "tool"
	for _, w := range strings.Fields(strings.ToLower(text)) {
		if len(w) > 4 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" {
			word = w
			break
		}
	}
	return word + " setup --from-page"
}

// toldSession is a session in which a text is read, believed, followed and repeated.
func toldSession(id, text string, web bool, at time.Time) (*observe.Fold, error) {
	line := strings.Join(strings.Fields(text), " ")
	command := failing(text)
	fixed := strings.Replace(command, "--from-page", "--as-told", 1)
	bash := func(c string) map[string]any {
		return map[string]any{"tool_name": "Bash", "tool_use_id": c, "tool_input": map[string]any{"command": c}}
	}
	events := []map[string]any{{"hook_event_name": "SessionStart", "source": "startup"}}
	if web {
		events = append(events, map[string]any{"hook_event_name": "PostToolUse", "tool_name": "WebFetch", "tool_use_id": "w", "tool_input": map[string]any{"url": "https://pages.example/howto"},
			"tool_response": map[string]any{"result": text}})
	}
	fail, works := bash(command), bash(fixed)
	fail["hook_event_name"], fail["error"] = "PostToolUseFailure", "error: unknown flag --from-page: "+line
	works["hook_event_name"], works["tool_response"] = "PostToolUse", map[string]any{"stdout": "ok"}
	events = append(events, map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": clip.Chars(text, maxMemory)}, fail, works,
		map[string]any{"hook_event_name": "Stop", "last_assistant_message": "Turns out `setup` must be told, because " + line}, map[string]any{"hook_event_name": "SessionEnd", "reason": "exit"})
	fold := observe.New(root)
	for i, e := range events {
		e["session_id"], e["cwd"] = id, root
		data, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		v, err := event.Scan(bytes.NewReader(data), nil)
		if err != nil {
			return nil, err
		}
		encoded, err := eventlog.Encode(logrecord.Of(claudeCode().Parse(v), at.Add(time.Duration(i)*time.Second)))
		if err != nil {
			return nil, err
		}
		rec, ok := eventlog.Decode(encoded)
		if !ok {
			return nil, errors.New("a line of the log can't be read")
		}
		fold.Add(rec)
	}
	return fold, nil
}

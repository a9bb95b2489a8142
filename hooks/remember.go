package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/nudge"
	"manicule/memory"
	"manicule/memory/file"
)

// commands carries out what a person asks Manicule for in a prompt.
type commands struct{ *answering }

// rememberPrompt stores what a person wants remembered.
func (c commands) rememberPrompt(ctx context.Context) string {
	if !isRemember(c.ev.Prompt) || c.ev.AgentID != "" || c.opt.Remember == nil {
		return ""
	}
	byPerson := c.ev.PromptFrom == "" || c.ev.PromptFrom == "user"
	if !byPerson && c.ev.PromptFrom != "sdk" {
		return "" // a wake-up or a poll, which nobody typed
	}
	d, err := parseRemember(c.ev.Prompt)
	if err != nil {
		return fmt.Sprintf("Manicule stored nothing for /remember: %s.", nudge.Clean(err.Error()))
	}
	dir := c.ev.CWD
	if dir == "" {
		dir = c.dir()
	}
	d.At = placesFrom(dir, d.At)
	d.Tool, d.Session = c.ev.Agent, c.ev.Session
	d.Origin, d.Agent = originOf(byPerson)
	res, err := c.opt.Remember(ctx, dir, d)
	if err != nil {
		c.note("/remember failed", err)
		return fmt.Sprintf("Manicule could not store what /remember says: %s.", nudge.Cut(nudge.Clean(err.Error()), 300))
	}
	return remembered(res)
}

// textAfter returns the text after one of the commands at the start of a prompt.
func textAfter(prompt string, commands ...string) (text string, ok bool) {
	prompt = strings.TrimSpace(prompt)
	for _, c := range commands {
		if rest, ok := strings.CutPrefix(prompt, c); ok && (rest == "" || strings.IndexAny(rest[:1], " \t\r\n") == 0) {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// isForget reports whether a prompt is the command to forget a memory, plain or a
// plugin's.
func isForget(prompt string) (id string, ok bool) {
	return textAfter(prompt, "/forget", "/manicule:forget")
}

func isForgetting(prompt string) bool {
	_, ok := isForget(prompt)
	return ok
}

// forgetTimedOut is the answer if time runs out before the result is known.
const forgetTimedOut = "Manicule had no time to do what /forget says, or to see whether it did. `manicule show ID` tells; saying it again does no harm."

// forget carries out "/forget ID" of a person.
func (c commands) forget(ctx context.Context, id string) string {
	if c.opt.Forget == nil || c.ev.AgentID != "" || c.ev.PromptFrom != "" && c.ev.PromptFrom != "user" {
		return ""
	}
	if len(strings.Fields(id)) != 1 {
		return "Manicule forgot nothing: /forget takes the id of one memory, as `manicule list` shows it."
	}
	what, err := c.opt.Forget(ctx, c.dir(), id)
	if err != nil {
		c.note("/forget failed", err)
		return fmt.Sprintf("Manicule forgot nothing: %s.", strings.TrimRight(nudge.Cut(nudge.Clean(err.Error()), 300), "."))
	}
	return fmt.Sprintf("Manicule has forgotten “%s” (%s); `manicule restore` brings it back for 30 days. /forget asks for nothing else.", nudge.Cut(nudge.Clean(what), 200), nudge.Clean(id))
}

// rememberTimedOut is the answer if time runs out before the result is known.
const rememberTimedOut = "Manicule had no time to store what /remember says, or to see whether it did. Saying it again stores it once."

// isRemember reports whether a prompt is the command to remember something.
func isRemember(prompt string) bool {
	_, ok := afterRemember(prompt)
	return ok
}

// afterRemember returns the text after the command to remember, plain or a plugin's.
func afterRemember(prompt string) (text string, ok bool) {
	return textAfter(prompt, "/remember", "/manicule:remember")
}

// parseRemember parses "/remember [--type T] [--at PLACE] … TEXT": options first, as on
// the command line, then the unchanged text.
func parseRemember(prompt string) (memory.Draft, error) {
	var d memory.Draft
	rest, _ := afterRemember(prompt)
	for strings.HasPrefix(rest, "--") {
		var option, value string
		option, rest = nextWord(rest)
		if option == "--" {
			break
		}
		option, value, joined := strings.Cut(option, "=")
		switch option {
		case "--personal":
			d.Personal = true
			continue
		case "--pin":
			d.Pin = true
			continue
		}
		if !joined {
			value, rest = nextWord(rest)
		}
		if err := setOption(&d, option, value); err != nil {
			return d, err
		}
	}
	if d.What = rest; d.What == "" {
		return d, errors.New("there is no text after it")
	}
	return d, nil
}

func setOption(d *memory.Draft, option, value string) error {
	if value == "" {
		return fmt.Errorf("%s has no value", option)
	}
	switch option {
	case "--type":
		d.Type = file.Type(strings.ReplaceAll(value, "-", "_"))
	case "--why":
		d.Why = value
	case "--instead":
		d.Details.Instead = value
		if d.Type == "" {
			d.Type = file.DeadEnd
		}
	case "--scope":
		d.Scope = append(d.Scope, value)
	case "--at":
		d.At = append(d.At, value)
	case "--tag":
		d.Tags = append(d.Tags, value)
	case "--importance":
		d.Importance = file.Importance(value)
	default:
		return fmt.Errorf("it has no option %s", option)
	}
	return nil
}

// nextWord returns the first word and the rest. Quotes keep words together.
func nextWord(s string) (word, rest string) {
	var b strings.Builder
	quote := byte(0)
	i := 0
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			return b.String(), strings.TrimSpace(s[i:])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// placesFrom makes a person's places absolute, from the agent's folder.
func placesFrom(dir string, at []string) []string {
	out := make([]string, 0, len(at))
	for _, p := range at {
		name := p
		if i := strings.IndexAny(p, "#:"); i > 1 {
			name = p[:i]
		}
		if !event.Absolute(p) {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				p = filepath.Join(dir, name) + p[len(name):]
			}
		}
		out = append(out, p)
	}
	return out
}

// originOf returns the origin of a memory from a prompt. A program's prompt gives a draft
// for review.
func originOf(person bool) (file.Origin, bool) {
	if person {
		return file.UserTaught, false
	}
	return file.AgentExplicit, true
}

// remembered describes the result as a fact.
func remembered(res memory.Result) string {
	if !res.Accepted || res.Memory == nil {
		reason := nudge.Cut(nudge.Clean(res.Reason), 300)
		return fmt.Sprintf("Manicule did not store what /remember says: %s.", strings.TrimRight(reason, "."))
	}
	m := res.Memory
	what := nudge.Cut(nudge.Clean(m.What), 200)
	switch {
	case res.Draft:
		return fmt.Sprintf("Manicule keeps “%s” as a draft (%s, %s) until a person accepts it with `manicule review`.", what, m.Type.Label(), m.ShortID())
	case res.Deduped:
		return fmt.Sprintf("Manicule already knew “%s” (%s, %s).", what, m.Type.Label(), m.ShortID())
	}
	return fmt.Sprintf("Manicule has stored “%s” (%s, %s); /remember asks for nothing else.", what, m.Type.Label(), m.ShortID())
}

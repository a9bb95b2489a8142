// Package config owns the settings: their schema, the files and variables that they
// come from, and who may set each of them. It must not know what a setting does.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"

	"manicule/indexer/clip"
	"manicule/indexer/treefile"
	"manicule/indexer/typo"
)

// Source is the origin of a value, lowest rank first.
type Source string

// The sources in rising rank.
const (
	Default    Source = "default"
	Repository Source = "repository"
	User       Source = "user"
	Local      Source = "local" // the user's, for one repository; on this machine only
	Editor     Source = "editor"
	Env        Source = "environment"
	Flag       Source = "flag"
)

// Setting is one entry of the schema.
type Setting struct {
	Key     string // "section.name" as in the files
	Default any    // bool, int or string; it also fixes the type
	Enum    []string
	Min     int
	Max     int
	Doc     string
	// Private settings are refused in the repository's file. A clone must not be able to send code
	// anywhere, run anything or raise its own trust.
	Private bool
	// Lowered settings can only be lowered by the environment: agents take variables from files of a
	// repository.
	Lowered bool
}

// Settings is the whole schema, by section.
func Settings() []Setting {
	return []Setting{
		{Key: "editor.hover", Default: true, Doc: "Show memories in hovers."},
		{Key: "editor.code_lens", Default: true, Doc: "Show a lens above code and files that have memories."},
		{Key: "editor.diagnostics", Default: true, Doc: "Show gotchas and dead ends as diagnostics."},
		{Key: "editor.code_actions", Default: true, Doc: "Offer code actions to write, edit and judge memories."},
		{Key: "editor.document_symbols", Default: false, Doc: "List the symbols of documents, where no other language server does."},
		{Key: "editor.severity", Default: "hint", Enum: []string{"error", "warning", "information", "hint"},
			Doc: "Severity of the diagnostics about gotchas. A gotcha asks for no act, so it is a hint, which VS Code leaves out of Problems."},
		{Key: "editor.stale_severity", Default: "warning", Enum: []string{"error", "warning", "information", "hint", "off"},
			Doc: "Severity of the diagnostics about memories whose code is not found for sure, or that have several versions."},
		{Key: "editor.drifted_severity", Default: "information", Enum: []string{"error", "warning", "information", "hint", "off"},
			Doc: "Severity of those about memories whose code changed, or was followed less surely."},
		{Key: "editor.dead_end_severity", Default: "warning", Enum: []string{"error", "warning", "information", "hint"},
			Doc: "Severity of the diagnostics about dead ends: what was tried already must stand out."},
		{Key: "editor.review_actions", Default: true, Doc: "Offer drafts for review as code actions where they apply."},
		{Key: "editor.seen_before", Default: true, Doc: "Offer memories of errors as quick fixes over other servers' diagnostics."},
		{Key: "editor.threads", Default: true, Doc: "Lenses for the threads that sessions have left open at a place in the file."},
		{Key: "editor.scope_hints", Default: true, Doc: "Say in a memory's own file what its scope matches."},
		{Key: "editor.max_per_file", Default: 20, Min: 1, Max: 1000, Doc: "How many lenses, and how many diagnostics about memories, a file shows."},
		{Key: "editor.max_items", Default: 5, Min: 1, Max: 100, Doc: "How many memories a hover shows in full; it names the others."},
		{Key: "embedding.provider", Default: "local", Enum: []string{"local", "ollama", "openai", "off"}, Private: true,
			Doc: "What embeds texts: a model on this machine, an Ollama server, a server with OpenAI's API, or nothing."},
		{Key: "embedding.model", Default: "", Private: true, Doc: "The model's name. When empty, the one selected with `manicule model use`, or the provider's default."},
		{Key: "embedding.url", Default: "", Private: true, Doc: "The address of the `ollama` or `openai` server; the default address when empty."},
		{Key: "embedding.key_variable", Default: "OPENAI_API_KEY", Private: true, Doc: "The environment variable with the key for `openai`. The key itself is never in a file."},
		{Key: "embedding.dimensions", Default: 0, Min: 0, Max: 8192, Private: true, Doc: "The length of vectors to request from a server; the model's own when 0."},
		{Key: "embedding.threads", Default: 0, Min: 0, Max: 64, Private: true, Doc: "How many cores the local model and the reranker may use; half of them, at most 4, when 0."},
		{Key: "embedding.code", Default: true, Private: true,
			Doc: "Embed code in the background while an editor runs, for `manicule search --code`. With a server as the provider, only if you set this yourself, because all code would be sent there."},
		{Key: "embedding.idle_minutes", Default: 5, Min: 1, Max: 1440, Private: true, Doc: "How long an idle model or reranker stays in memory."},
		{Key: "embedding.library", Default: "", Private: true, Doc: "An onnxruntime library to use instead of the one that `manicule model install` fetches."},
		{Key: "hooks.arms", Default: true, Private: true,
			Doc: "To see whether memories help, tell 5 % of the sessions nothing and 10 % only the brief, from the 21st session on. `manicule stats` compares them. What is asked for is always answered."},
		{Key: "hooks.hold_out", Default: true, Private: true,
			Doc: "To see whether single memories help, leave one in twenty of them out of what a session is told unasked, by a hash, in sessions that `hooks.arms` tells all. Never pinned ones, or those with a rule. `manicule stats` compares."},
		{Key: "hooks.learned_weights", Default: false, Private: true,
			Doc: "Weigh types of memories in the phases of work by how often agents here did what they say in them, at most a fifth up or down. `manicule stats` shows the weights."},
		{Key: "hooks.nudge", Default: true, Doc: "Tell agents about memories of the files they touch."},
		{Key: "hooks.brief", Default: true, Doc: "Give agents a brief when a session starts."},
		{Key: "hooks.search", Default: true, Doc: "Show agents memories related to a prompt or to a search of theirs."},
		{Key: "hooks.failures", Default: true, Doc: "Show agents what failed in earlier sessions with the same command or path."},
		{Key: "hooks.steps", Default: true, Doc: "Tell agents, once per request, if it takes more calls than usual here."},
		{Key: "hooks.flush", Default: false, Private: true,
			Doc: "When an agent has changed something and finishes, ask it once what it has learned. Its answer costs tokens."},
		{Key: "hooks.methodology", Default: "native", Enum: []string{"native", "spec-driven", "test-first"}, Private: true,
			Doc: "How you work. It helps to determine an agent's phase, and so the memories to show: `native` plans, changes and checks; `spec-driven` writes documents before code; `test-first` writes tests before code."},
		{Key: "hooks.trust_level", Default: 2, Min: 1, Max: 4, Private: true, Lowered: true,
			Doc: "The confidence that a memory needs to be shown unasked: .80, .65, .55 or .45. From 3 on, unreviewed memories from outside are shown too, marked as such. The environment can only lower it."},
		{Key: "index.enabled", Default: true, Doc: "Keep the code graph up to date while an editor runs."},
		{Key: "model.provider", Default: "off", Enum: []string{"off", "openai", "anthropic"}, Private: true,
			Doc: "A chat model for optional features: a server with OpenAI's API or Anthropic's, or none. Everything works without one."},
		{Key: "model.endpoint", Default: "", Private: true, Doc: "The server's address, such as `http://127.0.0.1:8080/v1`; the provider's own when empty."},
		{Key: "model.name", Default: "", Private: true, Doc: "The model's name at the server. Without a name no model is used."},
		{Key: "model.key_variable", Default: "", Private: true,
			Doc: "The environment variable with the key. When empty, `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`, which are sent only to the provider's own server."},
		{Key: "model.max_calls_per_day", Default: 100, Min: 1, Max: 100000, Private: true, Doc: "The maximum number of calls a day (UTC)."},
		{Key: "consolidate.text", Default: "kept", Enum: []string{"kept", "model"}, Private: true,
			Doc: "The text of memories that `manicule consolidate` merges: that of the one that is kept, or, for you to choose, also one by the chat model of `model.provider`, which is then asked once for each group. Only their texts are sent."},
		{Key: "observer.enabled", Default: true, Doc: "Learn candidates from what agents do, for you to review."},
		{Key: "observer.sentences", Default: "templates", Enum: []string{"templates", "model"}, Private: true,
			Doc: "What writes the text of candidates: templates, or the chat model of `model.provider`, which `manicule observe` then calls once per session. Only the candidates' sentences are sent."},
		{Key: "layers.area_context", Default: true, Doc: "Recall, find and tell agents memories of this layer: what is about one area of the code. Lists and editors show all layers."},
		{Key: "layers.technical", Default: true, Doc: "The same for technical ones."},
		{Key: "layers.preferences", Default: true, Doc: "The same for preferences."},
		{Key: "layers.guidelines", Default: true, Doc: "The same for guidelines."},
		{Key: "recall.diversity", Default: 5, Min: 0, Max: 1000, Doc: "Below this limit a recall lets no layer crowd out another: each that has something gets a place. 0 for never."},
		{Key: "recall.limit", Default: 20, Min: 1, Max: 1000, Doc: "The maximum number of memories that a recall returns."},
		{Key: "remember.strict", Default: false,
			Doc: "Keep new memories to the four types `convention`, `pattern`, `gotcha` and `decision` (others become the default type) and to 300 characters, and refuse what an agent or an import writes that may be no memory."},
		{Key: "remember.visibility", Default: "project", Enum: []string{"personal", "project", "team", "org"}, Doc: "Visibility of new memories."},
		{Key: "rerank.provider", Default: "local", Enum: []string{"local", "late", "openai", "off"}, Private: true,
			Doc: "What reranks the best results of a search: a reranker on this machine, if one is installed; the words of the question and of each result one by one, with the installed model (`late`); a server that answers `POST /v1/rerank`; or nothing."},
		{Key: "rerank.endpoint", Default: "", Private: true, Doc: "The address of the `openai` server, such as `http://127.0.0.1:8080/v1`."},
		{Key: "rerank.model", Default: "", Private: true, Doc: "The reranker's name. When empty, the one selected with `manicule model use`. A server needs a name."},
		{Key: "rerank.key_variable", Default: "RERANK_API_KEY", Private: true, Doc: "The environment variable with the server's key. The key itself is never in a file."},
		{Key: "work.hand_on", Default: "", Doc: "Types of memories that whoever takes over an open unit of work is told of, with commas; `requirement,decision,work_state` when empty."},
		{Key: "work.hand_to_review", Default: "", Doc: "The same for one that is in review; `requirement,decision,e2e_observation` when empty."},
		{Key: "user.name", Default: "", Private: true, Doc: "The author of what you write; git's user.name when empty."},
	}
}

// LayersOff names the layers that are switched off.
func (c *Config) LayersOff() (out []string) {
	const section = "layers."
	for _, s := range Settings() {
		if name, ok := strings.CutPrefix(s.Key, section); ok && !c.Bool(s.Key) {
			out = append(out, name)
		}
	}
	return out
}

// Warning is a problem with a setting that does not stop the program.
type Warning struct {
	Where string // file:line, or the name of the source
	Msg   string
}

// String returns the place and the message.
func (w Warning) String() string { return w.Where + ": " + w.Msg }

// Config is a set of values. The zero value is not usable; see Defaults.
type Config struct {
	values map[string]any
	from   map[string]Source
}

// Defaults returns the schema's defaults.
func Defaults() *Config {
	c := &Config{values: map[string]any{}, from: map[string]Source{}}
	for _, s := range Settings() {
		c.values[s.Key], c.from[s.Key] = s.Default, Default
	}
	return c
}

// maxFile is the size in bytes above which a configuration file is not read. All settings with
// their descriptions take 10 KB.
const maxFile = 64 << 10

// bom is the mark that some editors begin a file with.
const bom = "\ufeff"

// maxWarnings is the maximum number of warnings for one file.
const maxWarnings = 20

// Files are where settings come from, "" for none.
type Files struct {
	Repository string // of the team, in git
	User       string // of the person
	Local      string // of the person for one repository, outside of it
}

// Load reads the repository's file, the user's files and the environment over the defaults. Files
// may be absent. A file that can't be read or parsed yields a warning, and lower sources apply.
func Load(f Files, getenv func(string) string) (*Config, []Warning) {
	c := Defaults()
	ws := c.file(f.Repository, Repository)
	ws = append(ws, c.file(f.User, User)...)
	ws = append(ws, c.file(f.Local, Local)...)
	return c, append(ws, c.environment(getenv)...)
}

func (c *Config) file(path string, src Source) []Warning {
	if path == "" {
		return nil
	}
	read := treefile.Read
	if src == Repository {
		read = treefile.ReadOwn // a commit must not choose the file that is read
	}
	data, err := read(path, maxFile)
	if e, ok := errors.AsType[*treefile.Error](err); ok {
		return []Warning{{path, e.Msg + ", the whole file is ignored: " + e.Hint}}
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return []Warning{{path, err.Error()}}
	}
	tree := map[string]any{}
	if err := toml.Unmarshal(bytes.TrimPrefix(data, []byte(bom)), &tree); err != nil {
		where := path
		if e, ok := errors.AsType[*toml.DecodeError](err); ok {
			row, col := e.Position()
			where = fmt.Sprintf("%s:%d:%d", path, row, col)
		}
		return []Warning{{where, "not TOML, the whole file is ignored: " + err.Error()}}
	}
	ws := c.Apply(tree, src, path)
	if n := len(ws) - maxWarnings; n > 0 {
		ws = append(ws[:maxWarnings], Warning{path, fmt.Sprintf("and %d more that are wrong", n)})
	}
	return ws
}

// Apply lays a tree of values over the configuration, in a stable order. It skips unknown keys and
// invalid values with a warning, in which where names the source.
func (c *Config) Apply(tree map[string]any, src Source, where string) []Warning {
	flat := map[string]any{}
	flatten("", tree, flat, depth)
	var ws []Warning
	for _, k := range slices.Sorted(maps.Keys(flat)) {
		if err := c.Set(k, flat[k], src); err != nil {
			ws = append(ws, Warning{where, err.Error()})
		}
	}
	return ws
}

// depth is how deep tables are flattened. Settings lie in one table.
const depth = 2

func flatten(prefix string, tree, out map[string]any, depth int) {
	for k, v := range tree {
		if sub, ok := v.(map[string]any); ok && depth > 0 {
			flatten(prefix+k+".", sub, out, depth-1)
			continue
		}
		out[prefix+k] = v
	}
}

// Set checks and sets one value.
func (c *Config) Set(key string, v any, src Source) error {
	i := slices.IndexFunc(Settings(), func(s Setting) bool { return s.Key == key })
	if i < 0 {
		msg := fmt.Sprintf("unknown setting %q", clip.MarkedBytes(key, maxShown))
		if n := Nearest(key, keys()); len(key) <= maxShown && n != "" {
			msg += fmt.Sprintf("; did you mean %q?", n)
		}
		return errors.New(msg)
	}
	s := Settings()[i]
	if s.Private && src == Repository {
		return fmt.Errorf("%s can't be set by a repository; set it in your own configuration", key)
	}
	val, err := s.convert(v)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	c.values[key], c.from[key] = val, src
	return nil
}

func (s Setting) convert(v any) (any, error) {
	switch s.Default.(type) {
	case bool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, fmt.Errorf("want true or false, not %s", shown(v))
	case int:
		n, ok := integer(v)
		if !ok || n < s.Min || n > s.Max {
			return nil, fmt.Errorf("want a whole number from %d to %d, not %s", s.Min, s.Max, shown(v))
		}
		return n, nil
	}
	t, ok := v.(string)
	if !ok || (s.Enum != nil && !slices.Contains(s.Enum, t)) {
		if s.Enum != nil {
			return nil, fmt.Errorf("want one of %s, not %v", strings.Join(s.Enum, ", "), shown(v))
		}
		return nil, fmt.Errorf("want a text, not %s", shown(v))
	}
	return t, nil
}

// maxShown is how much of a value a warning repeats, in bytes.
const maxShown = 100

// shown formats a value for a warning, on one line.
func shown(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "a table"
	case []any:
		return "a list"
	case string:
		if strings.ContainsFunc(v, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return clip.MarkedBytes(strconv.QuoteToASCII(v), maxShown)
		}
	}
	return clip.MarkedBytes(fmt.Sprint(v), maxShown)
}

func integer(v any) (int, bool) {
	switch n := v.(type) {
	case int:
		return n, true
	case int64:
		return int(n), true
	case float64:
		return int(n), n == float64(int(n))
	}
	return 0, false
}

// environment reads MANICULE_SECTION_NAME for every setting.
func (c *Config) environment(getenv func(string) string) []Warning {
	var ws []Warning
	for _, s := range Settings() {
		name := EnvName(s.Key)
		text := getenv(name)
		if text == "" {
			continue
		}
		var v any = text
		switch s.Default.(type) {
		case bool:
			if b, err := strconv.ParseBool(text); err == nil {
				v = b
			}
		case int:
			if n, err := strconv.Atoi(text); err == nil {
				v = n
			}
		}
		if n, ok := v.(int); ok && s.Lowered && n > c.Int(s.Key) {
			continue
		}
		if err := c.Set(s.Key, v, Env); err != nil {
			ws = append(ws, Warning{name, err.Error()})
		}
	}
	return ws
}

// EnvName is the environment variable of a setting.
func EnvName(key string) string {
	return "MANICULE_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// keys lists all settings.
func keys() []string {
	var out []string
	for _, s := range Settings() {
		out = append(out, s.Key)
	}
	return out
}

// Nearest returns the known key that an unknown one probably means, or "" if more
// than a third of it would have to change.
func Nearest(key string, known []string) string {
	best, at := "", len(key)/3+1
	for _, k := range known {
		d := typo.Distance(fold(key), fold(k))
		if d < at || (d == at && best == "") {
			best, at = k, d
		}
	}
	if best == "" {
		// "hover" for "editor.hover"
		for _, k := range known {
			if fold(k[strings.LastIndex(k, ".")+1:]) == fold(key) {
				return k
			}
		}
	}
	return best
}

func fold(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }

// Bool returns the value of a switch.
func (c *Config) Bool(key string) bool { return value[bool](c, key) }

// Int returns the value of a number.
func (c *Config) Int(key string) int { return value[int](c, key) }

// String returns the value of a text.
func (c *Config) String(key string) string { return value[string](c, key) }

// From returns the source of a value.
func (c *Config) From(key string) Source { return c.from[key] }

func value[T any](c *Config, key string) T {
	v, ok := c.values[key].(T)
	if !ok {
		panic("setting " + key + " is not in the schema as asked") // a test reads every setting
	}
	return v
}

// Place is where the files of a workspace are.
type Place interface {
	ConfigFile() string
	UserConfigFile() string
	LocalConfigFile() string
}

// FilesOf returns the files with settings of a workspace.
func FilesOf(p Place) Files { return Files{p.ConfigFile(), p.UserConfigFile(), p.LocalConfigFile()} }

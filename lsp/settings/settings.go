// Package settings owns the settings of what the editor shows, and reads them from the
// client's configuration. It must not know the server or any feature.
package settings

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// Section is the section of the client's configuration.
const Section = "manicule"

// Off is the severity that turns diagnostics off.
const Off = "off"

// Severities maps the names of severities to the protocol's numbers.
func Severities() map[string]protocol.DiagnosticSeverity {
	return map[string]protocol.DiagnosticSeverity{
		"error":       protocol.DiagnosticSeverityError,
		"warning":     protocol.DiagnosticSeverityWarning,
		"information": protocol.DiagnosticSeverityInformation,
		"hint":        protocol.DiagnosticSeverityHint,
	}
}

// Settings are what a person can configure about what the editor shows.
type Settings struct {
	Hover       bool
	CodeLens    bool
	Diagnostics bool
	CodeActions bool
	// CodeGraph keeps the code graph up to date while the editor runs.
	CodeGraph bool
	// DocumentSymbols answers textDocument/documentSymbol, which other servers do for
	// most languages.
	DocumentSymbols bool
	// Severity is the severity of diagnostics about gotchas: error, warning, information or
	// hint. Nothing has to be done about a gotcha, so it is a hint, which lists of problems
	// leave out.
	Severity string
	// StaleSeverity is the severity of diagnostics about memories whose code was not
	// found, DriftedSeverity of those whose code changed or was followed with low
	// confidence. Both may also be off.
	StaleSeverity, DriftedSeverity string
	// DeadEndSeverity is the severity of diagnostics about dead ends.
	DeadEndSeverity string
	// ReviewActions offers candidates for review as code actions.
	ReviewActions bool
	// SeenBefore offers memories of errors as quick fixes for other servers'
	// diagnostics.
	SeenBefore bool
	// Threads shows lenses for the threads that sessions have left open at a place.
	Threads bool
	// ScopeHints shows in a memory's own file what its scope matches.
	ScopeHints bool
	// MaxPerFile is how many lenses, and how many diagnostics about memories, a
	// document has.
	MaxPerFile int
	// MaxItems is how many memories a hover shows in full. It lists the others.
	MaxItems int
	// CommandLinks allows command links in hovers. The client must trust them.
	CommandLinks bool
	// ClientLists says that the client itself shows the results of
	// manicule.showMemories and manicule.memoryActions.
	ClientLists bool
	// DiagnosticsInHover says that the client shows diagnostics above the hover of the same
	// place. The hover does not repeat their texts then.
	DiagnosticsInHover bool
}

// Default returns the default settings.
func Default() *Settings {
	return &Settings{
		Hover: true, CodeLens: true, Diagnostics: true, CodeActions: true, CodeGraph: true, Severity: "hint",
		StaleSeverity: "warning", DriftedSeverity: "information", DeadEndSeverity: "warning", MaxItems: 5,
		ReviewActions: true, SeenBefore: true, Threads: true, ScopeHints: true, MaxPerFile: 20,
	}
}

// setting decodes one key into settings.
type setting func(s *Settings, v jsontext.Value) error

// settingKeys returns the keys that the client may set. A switch also takes an object
// with "enabled", because editors nest their settings.
func settingKeys() map[string]setting {
	return map[string]setting{
		"hover":           nested(func(s *Settings) *bool { return &s.Hover }, "maxItems"),
		"codeLens":        nested(func(s *Settings) *bool { return &s.CodeLens }, "maxPerFile"),
		"diagnostics":     nested(func(s *Settings) *bool { return &s.Diagnostics }, "severity", "staleSeverity", "driftedSeverity", "deadEndSeverity"),
		"codeActions":     switchOf(func(s *Settings) *bool { return &s.CodeActions }),
		"codeGraph":       switchOf(func(s *Settings) *bool { return &s.CodeGraph }),
		"documentSymbols": switchOf(func(s *Settings) *bool { return &s.DocumentSymbols }),
		"severity":        severityInto(func(s *Settings) *string { return &s.Severity }, false),
		"staleSeverity":   severityInto(func(s *Settings) *string { return &s.StaleSeverity }, true),
		"driftedSeverity": severityInto(func(s *Settings) *string { return &s.DriftedSeverity }, true),
		"deadEndSeverity": severityInto(func(s *Settings) *string { return &s.DeadEndSeverity }, false),
		"maxItems":        numberInto(func(s *Settings) *int { return &s.MaxItems }, 100),
		"maxPerFile":      numberInto(func(s *Settings) *int { return &s.MaxPerFile }, 1000),
		"reviewActions":   switchOf(func(s *Settings) *bool { return &s.ReviewActions }),
		"seenBefore":      switchOf(func(s *Settings) *bool { return &s.SeenBefore }),
		"threads":         switchOf(func(s *Settings) *bool { return &s.Threads }),
		"scopeHints":      switchOf(func(s *Settings) *bool { return &s.ScopeHints }),
		"commandLinks":    switchOf(func(s *Settings) *bool { return &s.CommandLinks }),
		"clientLists":     switchOf(func(s *Settings) *bool { return &s.ClientLists }),

		"diagnosticsInHover": switchOf(func(s *Settings) *bool { return &s.DiagnosticsInHover }),
	}
}

// clientKeys returns the keys of the section that only editor extensions read.
func clientKeys() []string {
	return []string{"server", "trace", "path", "enable", "enabled", "extensions"}
}

func switchOf(field func(*Settings) *bool) setting {
	return func(s *Settings, v jsontext.Value) error {
		if v.Kind() == '{' {
			var nested struct {
				Enabled *bool `json:"enabled"`
			}
			if err := json.Unmarshal(v, &nested); err != nil || nested.Enabled == nil {
				return fmt.Errorf("want true, false or {\"enabled\": …}")
			}
			*field(s) = *nested.Enabled
			return nil
		}
		var on bool
		if err := json.Unmarshal(v, &on); err != nil {
			return fmt.Errorf("want true or false, not %s", v)
		}
		*field(s) = on
		return nil
	}
}

// nested decodes a switch, or an object of it ("enabled") and other settings, which may also stand by
// themselves.
func nested(field func(*Settings) *bool, keys ...string) setting {
	return func(s *Settings, v jsontext.Value) error {
		if v.Kind() != '{' {
			return switchOf(field)(s, v)
		}
		var members map[string]jsontext.Value
		if err := json.Unmarshal(v, &members); err != nil {
			return fmt.Errorf("want true, false or {\"enabled\": …}: %w", err)
		}
		for _, key := range slices.Sorted(maps.Keys(members)) {
			read := switchOf(field)
			switch {
			case members[key].Kind() == 'n':
				continue
			case slices.Contains(keys, key):
				read = settingKeys()[key]
			case key != "enabled":
				return fmt.Errorf("%q is not one of enabled, %s", key, strings.Join(keys, ", "))
			}
			if err := read(s, members[key]); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
		return nil
	}
}

// severityInto decodes the name of a severity. Some diagnostics can be turned off.
func severityInto(field func(*Settings) *string, canBeOff bool) setting {
	return func(s *Settings, v jsontext.Value) error {
		var name string
		if err := json.Unmarshal(v, &name); err != nil {
			return fmt.Errorf("want a string, not %s", v)
		}
		names := slices.Sorted(maps.Keys(Severities()))
		if canBeOff {
			names = append(names, Off)
		}
		if !slices.Contains(names, name) {
			return fmt.Errorf("%q is not one of %v", name, names)
		}
		*field(s) = name
		return nil
	}
}

// numberInto decodes a number from 1 to most.
func numberInto(field func(*Settings) *int, most int) setting {
	return func(s *Settings, v jsontext.Value) error {
		var n int
		if err := json.Unmarshal(v, &n); err != nil || n < 1 || n > most {
			return fmt.Errorf("want a number from 1 to %d, not %s", most, v)
		}
		*field(s) = n
		return nil
	}
}

// Reader decodes a client's configuration. It logs and skips unknown keys and invalid
// values.
type Reader struct {
	Log *slog.Logger
	// SuggestKey returns the known key that an unknown one was probably meant to be, or
	// "".
	SuggestKey func(key string, known []string) string
}

// Overlay returns base with the keys of a JSON object applied. from names the message
// that had the object.
func (r Reader) Overlay(base *Settings, raw jsontext.Value, from string) *Settings {
	next := *base
	if raw == nil || raw.Kind() == 'n' || raw.Kind() == '[' { // Neovim sends [] for an empty table
		return &next
	}
	var keys map[string]jsontext.Value
	if err := json.Unmarshal(raw, &keys); err != nil {
		r.Log.Warn("the configuration is not an object", "from", from)
		return &next
	}
	if inner, ok := keys[Section]; ok && len(keys) == 1 {
		return r.Overlay(base, inner, from)
	}
	known := settingKeys()
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if key == "editor" { // the configuration files group keys so
			next = *r.Overlay(&next, keys[key], from)
			continue
		}
		read, ok := known[camelCase(key)]
		switch {
		case !ok:
			r.reportUnknown(key, from, known)
		case keys[key].Kind() == 'n': // null means unset
		default:
			if err := read(&next, keys[key]); err != nil {
				r.Log.Warn("setting manicule."+key+" is ignored: "+err.Error(), "from", from)
			}
		}
	}
	return &next
}

// camelCase converts a key of the configuration files (max_items) to the editors'
// spelling.
func camelCase(key string) string {
	head, rest, more := strings.Cut(key, "_")
	if !more || rest == "" {
		return key
	}
	return camelCase(head + strings.ToUpper(rest[:1]) + rest[1:])
}

func (r Reader) reportUnknown(key, from string, known map[string]setting) {
	if slices.Contains(clientKeys(), key) {
		return
	}
	text := "unknown setting manicule." + key
	if near := r.SuggestKey(key, slices.Sorted(maps.Keys(known))); near != "" {
		text += "; did you mean manicule." + near + "?"
	}
	r.Log.Warn(text, "from", from)
}

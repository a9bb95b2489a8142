package importer

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/memory/file"
)

// aideMemory is aide-memory's MemoryFile.
type aideMemory struct {
	UUID         string            `json:"uuid"`
	Layer        file.Layer        `json:"layer"`
	What         string            `json:"what"`
	Why          *string           `json:"why"`
	Scope        file.Scope        `json:"scope"`
	ContextLabel *string           `json:"context_label"`
	Contributor  *string           `json:"contributor"`
	Tags         []string          `json:"tags"`
	Source       *string           `json:"source"`
	Shared       *bool             `json:"shared"`
	GeneratedBy  *file.GeneratedBy `json:"generated_by"`
	DerivedFrom  jsontext.Value    `json:"derived_from"`
	CreatedAt    string            `json:"created_at"`
	UpdatedAt    string            `json:"updated_at"`
	Extra        jsontext.Value    `json:",embed"`
}

// readAide imports a memory of aide-memory unchanged, with its id and times.
func readAide(src Source, data []byte, opts Options) ([]Chunk, error) {
	var a aideMemory
	if err := json.Unmarshal([]byte(decode(data)), &a); err != nil {
		return nil, fmt.Errorf("read aide memory %s: %w", src.Path, err)
	}
	created := timeOf(a.CreatedAt, opts.Now)
	m := &file.Memory{
		Format: file.Format, UUID: strings.ToLower(a.UUID), Layer: a.Layer, What: a.What, Why: value(a.Why), Scope: a.Scope,
		ContextLabel: value(a.ContextLabel), Tags: a.Tags, Visibility: a.visibility(src), Importance: file.Medium, Confidence: 1,
		Contributor: value(a.Contributor), Source: value(a.Source), Trust: file.Trust{Origin: file.Import},
		GeneratedBy: a.GeneratedBy, Relations: derived(a.DerivedFrom), Lineage: file.Lineage{Version: 1, ChangeKind: "import"},
		CreatedAt: created, UpdatedAt: timeOf(a.UpdatedAt, created.Time), Extra: a.Extra,
	}
	m.Type = typeOf(subject{what: m.What, why: m.Why}, typesOf(a.Layer))
	if a.Layer == file.Preferences {
		m.Type = file.Preference
	}
	origin := file.ImportOrigin{File: src.Path, Line: 1, Key: keyOf("aide", m.UUID, nil)}
	m.Provenance = &file.Provenance{Import: &origin}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("read aide memory %s: %w", src.Path, err)
	}
	return []Chunk{{
		Type: m.Type, What: m.What, Why: m.Why, Scope: m.Scope, Tags: m.Tags, Label: m.ContextLabel,
		Personal: m.Visibility == file.Personal, Relations: m.Relations, Origin: origin, Memory: m,
	}}, nil
}

// typesOf returns the types that aide-memory's layer can mean.
func typesOf(l file.Layer) map[file.Type]bool {
	out := map[file.Type]bool{}
	for _, t := range file.Types() {
		if t.DefaultLayer(false) == l {
			out[t] = true
		}
	}
	if l == file.AreaContext {
		out[file.Decision] = true
	}
	return out
}

func (a aideMemory) visibility(src Source) file.Visibility {
	personal := path.Base(path.Dir(src.Path)) == "personal"
	if a.Layer == file.Preferences && a.Shared != nil && !*a.Shared {
		personal = true
	}
	if personal {
		return file.Personal
	}
	return file.Project
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func timeOf(s string, or time.Time) file.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return file.At(t)
		}
	}
	return file.At(or)
}

// derived parses an id, a list of ids, or null.
func derived(v jsontext.Value) []file.Relation {
	var ids []string
	var one string
	if json.Unmarshal(v, &one) == nil {
		ids = []string{one}
	} else if json.Unmarshal(v, &ids) != nil {
		return nil // null, or a form without a memory
	}
	var out []file.Relation
	for _, id := range ids {
		if id = strings.ToLower(id); file.ValidUUID(id) {
			out = append(out, file.Relation{Type: "derived_from", Memory: id, Confidence: 1})
		}
	}
	return out
}

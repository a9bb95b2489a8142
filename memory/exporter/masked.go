package exporter

import (
	"encoding/json"
	"slices"

	"manicule/memory/file"
	"manicule/memory/secret"
)

// masked returns the memory without secrets, which a person or git may have added past the gate. It
// returns m itself if there are none, else a copy.
func masked(m *file.Memory) *file.Memory {
	c := *m
	c.Trust.Disputes = slices.Clone(m.Trust.Disputes)
	c.Tags, c.Scope, c.Anchors = slices.Clone(m.Tags), slices.Clone(m.Scope), slices.Clone(m.Anchors)
	texts := []*string{&c.What, &c.Why, &c.ContextLabel, &c.Contributor, &c.Source, &c.Trust.Citation, &c.Trust.DisputeNote, &c.Lineage.ChangeNote}
	for i := range c.Tags {
		texts = append(texts, &c.Tags[i])
	}
	for i := range c.Scope {
		texts = append(texts, &c.Scope[i])
	}
	for i := range c.Trust.Disputes {
		d := &c.Trust.Disputes[i]
		texts = append(texts, &d.By, &d.Says)
	}
	for i := range c.Anchors {
		a := &c.Anchors[i]
		texts = append(texts, &a.Quote, &a.Prefix, &a.Suffix)
	}
	found := false
	for _, t := range texts {
		if s := secret.Mask(*t); s != *t {
			*t, found = s, true
		}
	}
	for _, raw := range []*[]byte{(*[]byte)(&c.Details), (*[]byte)(&c.Extra)} {
		if data, ok := maskedJSON(*raw); ok {
			*raw, found = data, true
		}
	}
	if !found {
		return m
	}
	return &c
}

// maskedJSON masks the texts in a JSON value. ok is false if there was nothing to mask.
func maskedJSON(raw []byte) (data []byte, ok bool) {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return nil, false
	}
	if v, ok = secret.MaskTree(v); !ok {
		return nil, false
	}
	data, err := json.Marshal(v)
	return data, err == nil
}

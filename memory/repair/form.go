package repair

import (
	"errors"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/jsonc"
	"manicule/memory/file"
)

// maxFixes bounds the number of members that are mended in one file.
const maxFixes = 16

// members are the members of a JSON object, unread.
type members map[string]jsontext.Value

// reform mends what makes a memory file unusable if there is only one thing it can mean. m is nil if
// a person has to look at it.
func (o Options) reform(name, rel string, data []byte, fault error) (m *file.Memory, said []string, err error) {
	if errors.Is(fault, file.ErrNewer) {
		return nil, nil, nil
	}
	var all members
	if json.Unmarshal(data, &all) != nil {
		plain, err := jsonc.Standardize(append([]byte{}, data...))
		if err != nil || json.Unmarshal(plain, &all) != nil {
			return nil, nil, nil
		}
		said = append(said, "comments and surplus commas are gone")
	}
	if all == nil {
		return nil, nil, nil // null, which says nothing
	}
	for range maxFixes {
		text, err := json.Marshal(all)
		if err != nil {
			return nil, nil, err
		}
		if m, fault = file.Parse(text); fault == nil {
			return m, said, nil
		}
		e, ok := errors.AsType[*file.Error](fault)
		if !ok {
			return nil, nil, nil
		}
		phrase, err := o.reformMember(name, rel, all, e.Pointer)
		if err != nil || phrase == "" {
			return nil, nil, err
		}
		said = append(said, phrase)
	}
	return nil, nil, nil
}

// reformMember mends one member and says how, or "".
func (o Options) reformMember(name, rel string, all members, pointer string) (string, error) {
	member := strings.TrimPrefix(pointer, "/")
	value := all.text(member)
	switch member {
	case "uuid":
		id := strings.TrimSuffix(path.Base(rel), ".json")
		if lower := strings.ToLower(value); file.ValidUUID(lower) {
			id = lower
		}
		if !file.ValidUUID(id) {
			var err error
			if id, err = o.NewID(); err != nil {
				return "", err
			}
		}
		return "it gets the id " + id, all.set(member, id)
	case "type":
		for _, word := range []string{value, strings.TrimSuffix(strings.TrimSpace(value), "s")} {
			if t, ok := file.ParseType(word); ok {
				return "the type " + quoted(value) + " is " + quoted(string(t)), all.set(member, string(t))
			}
		}
	case "layer", "importance", "visibility":
		if known := knownWord(member, value); known != "" {
			return "the " + member + " " + quoted(value) + " is " + quoted(known), all.set(member, known)
		}
		if member != "visibility" {
			delete(all, member)
			return "the unknown " + member + " " + quoted(value) + " is left out", nil
		}
		return "the unknown visibility " + quoted(value) + " is taken for personal", all.set(member, string(file.Personal))
	case "confidence":
		n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), "%"), 64)
		switch percent := strings.Contains(value, "%"); {
		case err != nil || n < 0 || n > 100:
		case percent || n >= leastPercent:
			return "the confidence " + value + " is one of a hundred", all.set(member, n/100)
		case n > 1:
			return "the confidence " + value + " is as sure as can be", all.set(member, 1)
		default:
			return "the confidence " + quoted(value) + " is a number", all.set(member, n)
		}
		delete(all, member)
		return "the confidence " + quoted(value) + " is left out", nil
	case "created_at":
		at := o.Now
		if st, err := os.Stat(name); err == nil && st.ModTime().Before(at) {
			at = st.ModTime()
		}
		how := "the time of the file is when it was written"
		if day, err := time.Parse(time.DateOnly, value); err == nil {
			at, how = day, "the day it was written is a time"
		}
		return how, all.set(member, at.UTC().Format(time.RFC3339))
	case "updated_at":
		delete(all, member)
		return "the unreadable time of its change is left out", nil
	case "scope", "tags":
		if value != "" {
			list := []string{value}
			if member == "tags" {
				list = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
			}
			return "its " + member + " become a list", all.set(member, list)
		}
	case "lineage/version":
		delete(all, "lineage")
		return "its count of versions begins anew", nil
	}
	return "", nil
}

// leastPercent is the least number for a confidence that can only be meant of a hundred.
const leastPercent = 2

// knownWord returns which of the values of a member somebody meant who wrote it in other letters, "" for none.
func knownWord(member, value string) string {
	word := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(value)))
	switch {
	case member == "layer" && slices.Contains(file.Layers(), file.Layer(word)),
		member == "importance" && slices.Contains(file.Importances(), file.Importance(word)),
		member == "visibility" && slices.Contains(file.Visibilities(), file.Visibility(word)):
		return word
	}
	return ""
}

// text returns a string or number, otherwise "".
func (m members) text(name string) string {
	v, ok := m[name]
	if !ok {
		return ""
	}
	switch v.Kind() {
	case '"':
		var s string
		if json.Unmarshal(v, &s) == nil {
			return s
		}
	case '0':
		return string(v)
	}
	return ""
}

func (m members) set(name string, value any) error {
	data, err := json.Marshal(value)
	if err == nil {
		m[name] = data
	}
	return err
}

func quoted(s string) string { return file.Quoted(s) }

package purge

import (
	"slices"
	"strings"
	"testing"

	"manicule/memory/file"
)

func noPath(string) bool { return false }

// TestTraces: what a purged memory is recognized by is its id, wherever it is named, and its own
// words, but not what the kept ones say too.
func TestTraces(t *testing.T) {
	gone := &file.Memory{UUID: "0198f0c2-7a41-7c3e-9d7a-00000000000a", What: "The staging port is 4711 and nobody else's", Why: "The worker drains the queues at night"}
	kept := &file.Memory{UUID: "0198f0c2-7a41-7c3e-9d7a-00000000000b", What: "Ours", Why: "The worker drains the queues at night",
		Relations: []file.Relation{{Type: "supersedes", Memory: gone.UUID}}}
	got, long := traces([]*file.Memory{gone}, []*file.Memory{kept}, noPath)
	for _, want := range []string{gone.UUID, gone.ShortID()} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in %q", want, got)
		}
	}
	k := &knowledge{traces: got, quotes: long}
	if k.contains([]byte(kept.Why)) || !k.contains([]byte(gone.What)) {
		t.Errorf("traces: %q", got)
	}
}

// TestQuotes: a part of a text is found wherever in the text it begins, in every script, and what is
// no quote of it is not.
func TestQuotes(t *testing.T) {
	say := func(m file.Memory) *file.Memory {
		m.UUID = "0198f0c2-7a41-7c3e-9d7a-00000000000a"
		return &m
	}
	english := "Rotate the deploy key of the payment worker every second Tuesday, or the nightly settlement run stops without any message in the log"
	chinese := "每次发布之前必须先停止支付队列，否则夜间结算任务会重复扣款，并且日志里没有任何提示"
	german := "Für die Prüfung der Zählerstände müssen alle Schlüssel vor dem Löschen gesichert werden"
	wide := say(file.Memory{What: "Above all: " + english, Why: chinese, Details: []byte(`{"steps":["` + german + `"]}`), ContextLabel: "a label that nobody else would ever give",
		Lineage:  file.Lineage{ChangeNote: "the former sentence was wrong about the weekday"},
		Trust:    file.Trust{Disputes: []file.Dispute{{Says: "it is every third Wednesday, says the runbook"}}, Deprecated: &file.Deprecation{Why: "the settlement has moved to another provider"}},
		Conflict: []file.Version{{What: "Keys are never rotated by hand any more, a robot does it"}}})
	short := say(file.Memory{What: "pin v1 <b>", Why: "It's so: run `make gen` twice & then once more again"})
	marks := say(file.Memory{What: "always run `go vet` (`-v`) first, not later", Why: `as it is of "make x" & 'y' so far`})
	place := say(file.Memory{What: "src/components/payment/SettlementForm.tsx#Form has to be saved twice before it is built"})
	isPath := func(s string) bool { return s == "src/components/payment/SettlementForm.tsx" }
	for _, tc := range []struct {
		name string
		m    *file.Memory
		in   string
		want bool
	}{
		{"from the middle, across what a fixed cut would end", wide, english[37:80], true},
		{"the shortest quote", wide, english[61 : 61+quoted], true},
		{"less than a quote", wide, english[61 : 60+quoted], false},
		{"in Chinese", wide, "他说：" + string([]rune(chinese)[11:21]), true},
		{"in German", wide, string([]rune(german)[9:40]), true},
		{"a label", wide, "label: a label that nobody else would ever give.", true},
		{"a note", wide, "sentence was wrong about the weekday", true},
		{"a dispute", wide, "every third Wednesday, says the", true},
		{"the end of its life", wide, "has moved to another provider", true},
		{"another version", wide, "by hand any more, a robot does it", true},
		{"other words", wide, "Rotate the deployment key of a payment worker each second Tuesday", false},
		{"a short text", short, `{"what":"pin v1 <b>"}`, true},
		{"a part between marks", short, "then: make gen` twice \\u0026 then once more again", true},
		{"marks, as they are", marks, "- run `go vet` (`-v`) first", true},
		{"marks, in JSON", marks, `{"prompt":"is it of \"make x\" & 'y' so far?"}`, true},
		{"a path alone", place, `{"file_path":"/w/src/components/payment/SettlementForm.tsx"}`, false},
		{"a path and what follows", place, "SettlementForm.tsx#Form has to be saved twice", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := &knowledge{}
			k.traces, k.quotes = traces([]*file.Memory{tc.m}, nil, isPath)
			k.traces = slices.DeleteFunc(k.traces, func(s string) bool { return strings.Contains(tc.m.UUID, s) })
			if got := k.contains([]byte(tc.in)); got != tc.want {
				t.Errorf("%q is found: %t", tc.in, got)
			}
		})
	}
	for at := 0; at+quoted <= len(english); at++ { // each stretch of the text, in the middle of something large
		k := &knowledge{}
		k.traces, k.quotes = traces([]*file.Memory{wide}, nil, noPath)
		if data := strings.Repeat("\x00binary ", 700) + english[at:at+quoted] + "\xff"; !k.contains([]byte(data)) {
			t.Fatalf("not found: %q", english[at:at+quoted])
		}
	}
}

package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/hooks/transcript"
	"manicule/indexer/must"
)

// transcripts lists the transcripts in the testdata of each agent that keeps one
// of a known format. "session" is an ordinary one; the others hold lines whose
// meaning is easily mistaken.
func transcripts(tb testing.TB) map[string][]string {
	tb.Helper()
	out := map[string][]string{}
	for _, a := range All() {
		names, err := filepath.Glob(filepath.Join(folder(a.ID), "testdata", "transcript", "*.jsonl"))
		if known := a.Transcript.Format.Known(); err != nil || known != (len(names) > 0) {
			tb.Fatalf("%s: the format is known: %t; transcripts: %q, %v", a.ID, known, names, err)
		}
		out[a.ID] = names
	}
	return out
}

func read(t *testing.T, f transcript.Format, path string, from transcript.Mark) (out []string, to transcript.Mark, restarted bool) {
	t.Helper()
	to, restarted, _, err := transcript.Read(t.Context(), f, path, from, 1<<20, func(e transcript.Entry) {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %d %s%s", e.Kind, e.Turn, e.Text, strings.TrimSuffix(" @"+e.Agent, " @"))))
	})
	must.OK(t, err)
	return out, to, restarted
}

// TestTranscripts holds each agent's transcripts to what they tell.
func TestTranscripts(t *testing.T) {
	for id, names := range transcripts(t) {
		a, _ := Lookup(id)
		for _, name := range names {
			t.Run(id+"/"+filepath.Base(name), func(t *testing.T) {
				entries, _, _ := read(t, a.Transcript.Format, name, transcript.Mark{})
				got := strings.Join(entries, "\n") + "\n"
				golden := strings.TrimSuffix(name, ".jsonl") + ".golden"
				if *update {
					must.Write(t, golden, got)
				}
				want, err := os.ReadFile(golden)
				if err != nil || got != string(want) {
					t.Errorf("%v: got\n%swant\n%s", err, got, want)
				}
			})
		}
	}
}

// TestTornTranscripts reads each agent's ordinary transcript in any two parts: it
// says the same, wherever the writer was.
func TestTornTranscripts(t *testing.T) {
	for id, names := range transcripts(t) {
		a, _ := Lookup(id)
		for _, name := range names {
			if filepath.Base(name) != "session.jsonl" {
				continue
			}
			want, _, _ := read(t, a.Transcript.Format, name, transcript.Mark{})
			text := must.Read(t, name)
			path := filepath.Join(t.TempDir(), "t.jsonl")
			for cut := 1; cut < len(text); cut += 37 {
				write(t, path, text[:cut])
				first, mark, _ := read(t, a.Transcript.Format, path, transcript.Mark{})
				write(t, path, text)
				second, _, restarted := read(t, a.Transcript.Format, path, mark)
				if s := append(first, second...); strings.Join(s, "|") != strings.Join(want, "|") || restarted {
					t.Fatalf("%s, cut at %d: %q", id, cut, s)
				}
			}
		}
	}
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	must.Write(t, path, text)
}

// FuzzTranscripts gives any line to every agent's format.
func FuzzTranscripts(f *testing.F) {
	for id, names := range transcripts(f) {
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			for line := range strings.Lines(string(data)) {
				f.Add(id, line)
			}
		}
	}
	f.Fuzz(func(t *testing.T, id, line string) {
		a, _ := Lookup(id)
		if !a.Transcript.Format.Known() {
			return
		}
		path := filepath.Join(t.TempDir(), "t.jsonl")
		write(t, path, []byte(line+"\n"))
		_, _, _, err := transcript.Read(t.Context(), a.Transcript.Format, path, transcript.Mark{}, 1<<20, func(e transcript.Entry) {
			if e.Kind != transcript.Asked && e.Text == "" {
				t.Error("an entry that says nothing")
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

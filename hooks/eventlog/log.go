package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/indexer/clip"
	"manicule/indexer/linefile"
	"manicule/indexer/treefile"
	"manicule/memory/secret"
)

// maxLog is the size at which a session's log is rotated.
const maxLog = 8 << 20

// Record is one event in the log. Writing it masks secrets and cuts long texts.
type Record struct {
	V       int    `json:"v"` // format of the line, 1
	Time    int64  `json:"t"` // Unix milliseconds
	Agent   string `json:"agent"`
	Kind    string `json:"kind"`
	Name    string `json:"name,omitzero"`
	Session string `json:"session,omitzero"`
	AgentID string `json:"agent_id,omitzero"`
	Turn    string `json:"turn,omitzero"`
	CWD     string `json:"cwd,omitzero"`
	Source  string `json:"source,omitzero"`
	Prompt  string `json:"prompt,omitzero"`
	From    string `json:"from,omitzero"` // author of the prompt; "" for a person
	Text    string `json:"text,omitzero"` // the agent's last message
	// Transcript is the agent's own record of the conversation.
	Transcript string            `json:"transcript,omitzero"`
	Calls      []Call            `json:"calls,omitempty"`
	Facts      map[string]string `json:"facts,omitempty"`
	// Cut is set if something was left out to make the line fit.
	Cut bool `json:"cut,omitzero"`
}

// Call is one tool call of a record.
type Call struct {
	Tool    string   `json:"tool"`
	ID      string   `json:"id,omitzero"`
	Class   string   `json:"class"`
	Paths   []string `json:"paths,omitempty"`
	Command string   `json:"command,omitzero"`
	Query   string   `json:"query,omitzero"`
	URL     string   `json:"url,omitzero"`
	OK      *bool    `json:"ok,omitzero"` // nil if the event doesn't say
	Error   string   `json:"error,omitzero"`
	// Before and After are digests of the texts that an edit removes and inserts.
	Before string `json:"before,omitzero"`
	After  string `json:"after,omitzero"`
	Line   int    `json:"line,omitzero"`  // the first one that an edit changes
	Bytes  int    `json:"bytes,omitzero"` // size of the result
	Found  *int   `json:"found,omitzero"` // results of a search; nil if the event doesn't say
	// Background is a command that runs in the background: of a shell call one that it left, without a result, of another
	// call one that it asked after. Ended is then whether it worked; nil while it runs.
	Background string `json:"background,omitzero"`
	Ended      *bool  `json:"ended,omitzero"`
	// Page is the page that a browser's tool looked at, Fault the class of what was wrong with it, Showed how the browser
	// tells that.
	Page   string `json:"page,omitzero"`
	Fault  string `json:"fault,omitzero"`
	Showed string `json:"showed,omitzero"`
}

// Path returns the file of a session's log.
func Path(stateDir, session string) string {
	return filepath.Join(folder(stateDir), SafeName(session)+".jsonl")
}

// CountOthers counts the other sessions with a log in a state folder, up to a limit.
func CountOthers(stateDir, session string, limit int) (int, error) {
	dir, err := os.Open(folder(stateDir))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("count the sessions: %w", err)
	}
	defer func() { _ = dir.Close() }() // it was only read
	own, n := SafeName(session)+".jsonl", 0
	for {
		names, err := dir.Readdirnames(namesAtOnce)
		for _, name := range names {
			if name != own && strings.HasSuffix(name, ".jsonl") {
				n++
			}
		}
		switch {
		case n >= limit:
			return limit, nil
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return n, fmt.Errorf("count the sessions: %w", err)
		}
	}
}

// namesAtOnce is how many names are read of a folder that may have thousands.
const namesAtOnce = 64

// Append writes a record to its session's log, as one line.
func Append(stateDir string, r Record) error {
	line, err := Encode(r)
	if err != nil {
		return err
	}
	return linefile.Append(Path(stateDir, r.Session), maxLog, line)
}

// lockWait bounds the time that a record waits for those that other processes append.
const lockWait = 100 * time.Millisecond

// AppendUnless is Append unless skip says that the record, as its line has it, is not needed. Processes that append at once do
// so one after the other, as far as their file system has locks.
func AppendUnless(stateDir string, r Record, skip func(kept Record) bool) error {
	line, err := Encode(r)
	if err != nil {
		return err
	}
	return linefile.AppendUnless(Path(stateDir, r.Session), maxLog, line, lockWait, func() bool {
		kept, ok := Decode(line)
		return ok && skip(kept)
	})
}

// Encode returns the line of a record without its end. It masks secrets and cuts texts
// until the line fits.
func Encode(r Record) ([]byte, error) {
	r.V = 1
	r = maskSecrets(r)
	for _, keep := range sizes() {
		out := cutTexts(r, keep)
		line, err := json.Marshal(out, json.Deterministic(true))
		if err != nil {
			return nil, fmt.Errorf("encode an event: %w", err)
		}
		if len(line)+2 <= linefile.MaxLine {
			return line, nil
		}
	}
	line, err := json.Marshal(Record{V: 1, Time: r.Time, Agent: clip.Bytes(r.Agent, 40), Kind: clip.Bytes(r.Kind, 40), Cut: true})
	if err != nil {
		return nil, fmt.Errorf("encode an event: %w", err)
	}
	return line, nil
}

// size is the part of a record to keep: the bytes of a text, and the numbers of calls and
// of paths in each.
type size struct{ text, calls, paths int }

// sizes lists the sizes to try, largest first.
func sizes() []size { return []size{{1000, 20, 20}, {300, 10, 8}, {100, 4, 3}, {40, 1, 1}} }

// maxMasked is the number of bytes of one event that are scanned for secrets, which takes
// about 5 ms. Later bytes are dropped.
const maxMasked = 64 << 10

// maskSecrets masks the texts of a record as far as they can be kept. It must precede all
// cutting, because half a secret is not recognized.
func maskSecrets(r Record) Record {
	keep, left := sizes()[0], maxMasked
	by := func(mask func(string) string) func(string) string {
		return func(s string) string {
			part := clip.Bytes(s, keep.text+secret.MaxToken+100) // the longest token may begin in the kept part
			if r.Cut = r.Cut || len(part) < len(s); len(part) > left {
				r.Cut = true
				return ""
			}
			left -= len(part)
			return mask(part)
		}
	}
	text, line := by(secret.Mask), by(secret.MaskCommand) // a command line and an address are known to be such
	r.Agent, r.Kind, r.Name = text(r.Agent), text(r.Kind), text(r.Name)
	r.Session, r.AgentID, r.Turn = text(r.Session), text(r.AgentID), text(r.Turn)
	r.CWD, r.Source, r.Prompt = text(r.CWD), text(r.Source), text(r.Prompt)
	r.From, r.Text, r.Transcript = text(r.From), text(r.Text), text(r.Transcript)
	list := r.Calls[:min(keep.calls, len(r.Calls))]
	r.Cut = r.Cut || len(list) < len(r.Calls)
	r.Calls = nil
	for _, c := range list {
		c.Tool, c.ID, c.Class, c.Before, c.After = text(c.Tool), text(c.ID), text(c.Class), text(c.Before), text(c.After)
		c.Command, c.Query, c.URL, c.Error = line(c.Command), text(c.Query), line(c.URL), text(c.Error)
		c.Page, c.Showed = line(c.Page), text(c.Showed)
		paths := c.Paths[:min(keep.paths, len(c.Paths))]
		r.Cut = r.Cut || len(paths) < len(c.Paths)
		c.Paths = nil
		for _, p := range paths {
			c.Paths = append(c.Paths, text(p))
		}
		r.Calls = append(r.Calls, c)
	}
	facts := r.Facts
	r.Facts = nil
	for k, v := range facts {
		if r.Facts == nil {
			r.Facts = map[string]string{}
		}
		r.Facts[text(k)] = text(v)
	}
	return r
}

// cutTexts cuts the texts of a masked record.
func cutTexts(r Record, keep size) Record {
	text, cut := keep.text, r.Cut
	fit := func(s string, limit int) string {
		cut = cut || len(s) > limit
		return clip.Bytes(s, limit)
	}
	r.Agent, r.Kind, r.Name = fit(r.Agent, 40), fit(r.Kind, 40), fit(r.Name, 60)
	r.Session, r.AgentID, r.Turn = fit(r.Session, 100), fit(r.AgentID, 100), fit(r.Turn, 100)
	r.CWD, r.Source, r.Prompt = fit(r.CWD, max(text, 200)), fit(r.Source, 40), fit(r.Prompt, text)
	r.From, r.Text, r.Transcript = fit(r.From, 40), fit(r.Text, text), fit(r.Transcript, 300)
	list := r.Calls[:min(keep.calls, len(r.Calls))]
	cut = cut || len(list) < len(r.Calls)
	r.Calls = nil
	for _, c := range list {
		c.Tool, c.ID, c.Class = fit(c.Tool, 80), fit(c.ID, 100), fit(c.Class, 20)
		c.Before, c.After = fit(c.Before, 16), fit(c.After, 16)
		c.Page, c.Fault, c.Showed = fit(c.Page, max(text/4, 60)), fit(c.Fault, 4), fit(c.Showed, max(text/2, 60))
		c.Command, c.Query, c.URL, c.Error = fit(c.Command, text), fit(c.Query, text/2), fit(c.URL, text/2), fit(c.Error, text/2)
		var kept []string
		for _, p := range c.Paths[:min(keep.paths, len(c.Paths))] {
			kept = append(kept, fit(p, max(text/2, 100)))
		}
		cut = cut || len(kept) < len(c.Paths)
		c.Paths = kept
		r.Calls = append(r.Calls, c)
	}
	facts := r.Facts
	r.Facts = nil
	for k, v := range facts {
		if r.Facts == nil {
			r.Facts = map[string]string{}
		}
		r.Facts[fit(k, 40)] = fit(v, 100)
	}
	r.Cut = cut
	return r
}

// Read returns a session's records, oldest first. It skips and counts lines that are torn
// or invalid.
func Read(stateDir, session string) (records []Record, bad int, err error) {
	return ReadLog(stateDir, SafeName(session))
}

// Decode parses one line of a log. ok is false for a torn or foreign one.
func Decode(line []byte) (r Record, ok bool) {
	err := json.Unmarshal(line, &r)
	return r, err == nil && r.V >= 1
}

// Log describes a session's log in a state folder.
type Log struct {
	Name    string // as SafeName returns it
	Bytes   int64  // of all its files
	Written time.Time
}

// Logs lists the logs in a state folder, oldest first.
func Logs(stateDir string) ([]Log, error) {
	root, err := os.OpenRoot(folder(stateDir)) // with the whole path of each log it would take longer
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the sessions: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	files, err := namesIn(root)
	if err != nil {
		return nil, fmt.Errorf("list the sessions: %w", err)
	}
	found := make(map[string]*Log, len(files))
	for _, file := range files {
		name, ok := strings.CutSuffix(strings.TrimSuffix(file, ".1"), ".jsonl")
		if !ok {
			continue
		}
		info, err := root.Lstat(file)
		if err != nil {
			continue // removed meanwhile
		}
		l := found[name]
		if l == nil {
			l = &Log{Name: name}
			found[name] = l
		}
		l.add(info)
	}
	out := make([]Log, 0, len(found))
	for _, l := range found {
		out = append(out, *l)
	}
	sortLogs(out)
	return out, nil
}

// namesIn lists the names in a folder, in no order.
func namesIn(root *os.Root) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	return names, errors.Join(err, dir.Close())
}

// ReadLog returns the records of a log by its name; see [Read].
func ReadLog(stateDir, name string) (records []Record, bad int, err error) {
	err = linefile.Read(filepath.Join(folder(stateDir), name+".jsonl"), func(line []byte) {
		r, ok := Decode(line)
		if !ok {
			bad++
			return
		}
		records = append(records, r)
	})
	return records, bad, err
}

// Tail returns the last records of a session's log, oldest first, as far as they lie
// within the given number of bytes at its end. It skips torn lines. more is true if there
// are earlier records. With signs only lines that contain one of them are decoded, so a
// long tail is cheap.
func Tail(stateDir, session string, bytes int64, signs ...string) (records []Record, more bool, err error) {
	return TailOf(stateDir, SafeName(session), bytes, signs...)
}

// TailOf is Tail for a log by its name.
func TailOf(stateDir, name string, bytes int64, signs ...string) (records []Record, more bool, err error) {
	data, more, err := tail(filepath.Join(folder(stateDir), name+".jsonl"), bytes)
	if err != nil {
		return nil, false, err
	}
	for line := range strings.Lines(string(data)) {
		if len(signs) > 0 && !slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(line, sign) }) {
			continue
		}
		var r Record
		if json.Unmarshal([]byte(line), &r) == nil && r.Kind != "" {
			records = append(records, r)
		}
	}
	return records, more, nil
}

// tail returns the whole lines within the given number of bytes at the end of a log, which may have been rotated a moment ago.
// more is true if there are earlier ones.
func tail(path string, bytes int64) (lines []byte, more bool, err error) {
	lines, size, err := end(path, bytes)
	if err == nil && size < bytes {
		var before []byte
		var earlier int64
		before, earlier, err = end(path+".1", bytes-size)
		if size += earlier; len(before) > 0 {
			lines = append(before, lines...)
		}
	}
	if err != nil {
		return nil, false, fmt.Errorf("read the session's log: %w", err)
	}
	return lines, size > bytes, nil
}

// end returns the whole lines within the given number of bytes at the end of a file, and its size. A file that is not there is
// empty.
func end(path string, most int64) (lines []byte, size int64, err error) {
	f, err := treefile.OpenMade(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }() // it was only read
	st, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	from := max(0, st.Size()-most)
	lines = make([]byte, st.Size()-from)
	if _, err := f.ReadAt(lines, from); err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	if from > 0 {
		_, lines, _ = bytes.Cut(lines, []byte{'\n'})
	}
	return lines, st.Size(), nil
}

// Since returns the last lines of a session's log, oldest first, from the last record on
// that begins accepts. It looks at the last most bytes, and returns nothing if they hold
// no such record. Only lines that contain a sign are decoded, so a long tail is cheap.
func Since(stateDir, session, sign string, most int64, begins func(Record) bool) (lines [][]byte, err error) {
	for part := int64(32 << 10); ; part *= 4 {
		part = min(part, most)
		data, more, err := tail(Path(stateDir, session), part)
		if err != nil {
			return nil, err
		}
		list := bytes.Split(bytes.TrimSpace(data), []byte{'\n'})
		for i, line := range slices.Backward(list) {
			if !bytes.Contains(line, []byte(sign)) {
				continue
			}
			if r, ok := Decode(line); ok && begins(r) {
				return list[i:], nil
			}
		}
		if part == most || !more {
			return nil, nil
		}
	}
}

// FirstAndLast returns the first and the last record of a log without reading the others. ok is
// false if either can't be read.
func FirstAndLast(stateDir, name string) (first, last Record, ok bool) {
	path := filepath.Join(folder(stateDir), name+".jsonl")
	head, err := edge(path+".1", false)
	if err != nil {
		head, err = edge(path, false)
	}
	if err != nil {
		return first, last, false
	}
	if first, ok = Decode(head); !ok {
		return first, last, false
	}
	last, ok = Last(stateDir, name)
	return first, last, ok
}

// Last returns the last record of a log without reading the others. ok is false if it can't be
// read.
func Last(stateDir, name string) (last Record, ok bool) {
	path := filepath.Join(folder(stateDir), name+".jsonl")
	tail, err := edge(path, true)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(tail) == 0 { // it was rotated a moment ago
		tail, err = edge(path+".1", true)
	}
	if err != nil {
		return last, false
	}
	return Decode(tail)
}

// edge reads the first or the last line of a file.
func edge(path string, last bool) (line []byte, err error) {
	f, err := treefile.OpenMade(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	buf := make([]byte, min(st.Size(), 2*linefile.MaxLine))
	at := int64(0)
	if last {
		at = st.Size() - int64(len(buf))
	}
	if _, err := f.ReadAt(buf, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	buf = bytes.TrimSpace(buf)
	if last {
		return buf[bytes.LastIndexByte(buf, '\n')+1:], nil
	}
	line, _, _ = bytes.Cut(buf, []byte{'\n'})
	return line, nil
}

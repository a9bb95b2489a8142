package retrieval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/code"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/search"
	"manicule/memory/store"
)

// Ceilings for a search, in milliseconds.
const (
	warmMedian = 15.0 // 10,000 memories, with embedding the question
	warmMost   = 40.0 // the 99th percentile
	codeMedian = 60.0 // 100,000 pieces of code
	coldMedian = 600.0
)

// Sizes of the measurement.
const (
	warmRuns   = 300
	warmUp     = 20
	coldRuns   = 12
	loneRuns   = 20
	lonePause  = 1050 * time.Millisecond // pause after which the files are checked again
	codePieces = 100_000
	perFile    = 50 // functions
)

// spaceVariable passes a child the folder of its space, which also holds the questions.
const (
	spaceVariable = "EVAL_RETRIEVAL_SPACE"
	questionsFile = "questions.json"
	loneChild     = "warm/lone"
)

// latencies holds the times of a warm process for its questions in milliseconds, the median
// of each part, and its resident megabytes.
type latencies struct {
	Millis []float64          `json:"millis"`
	Parts  map[string]float64 `json:"parts"`
	RSS    float64            `json:"rss"`
	Peak   float64            `json:"peak"`
}

// pipeline measures a search as a user waits for it: in a warm process that has the
// model, and as a command of its own. Texts come from SciFact and CoSQA, numbered. The
// stored vectors are random, which take as long to compare. Questions are real and are
// embedded.
func pipeline(ctx context.Context, o options) (_ string, bad []string, err error) {
	scifactName, err := o.data.Path("beir-scifact", "corpus.jsonl")
	if err != nil {
		return "", nil, err
	}
	cosqaName, err := o.data.Path("cosqa", "corpus.jsonl")
	if err != nil {
		return "", nil, err
	}
	sentences, claims, err := scifactTexts(scifactName)
	if err != nil {
		return "", nil, err
	}
	model := o.defaultModel()
	defer func() { err = errors.Join(err, model.Close()) }()
	info, err := infoOf(ctx, model)
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "eval-retrieval-")
	if err != nil {
		return "", nil, fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	binary := filepath.Join(dir, "manicule")
	build := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", binary, "manicule/cmd/manicule")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", nil, fmt.Errorf("build the product: %w", err)
	}
	r := pipelineReport{table: evalkit.NewTable("what", "searched", "runs", "p50 ms", "p99 ms", "target", "of it words, meaning p50 ms", "resident MB", "peak MB", "load")}
	w := waits{options: o, report: &r, info: info, binary: binary}
	if strings.Contains("memories", o.ways) {
		for _, n := range []int{1000, 10_000} {
			if err := w.forMemories(ctx, numbered(sentences, n), claims); err != nil {
				return "", nil, err
			}
		}
	}
	if strings.Contains("code", o.ways) {
		if err := w.forCode(ctx, cosqaName); err != nil {
			return "", nil, err
		}
	}
	return r.table.String(), r.bad, nil
}

// waits measures how long a user waits.
type waits struct {
	options
	report *pipelineReport
	info   embed.Info // of the model
	binary string     // the product
}

// pipelineReport is the table of [pipeline], and what missed its target.
type pipelineReport struct {
	table *evalkit.Table
	bad   []string
}

// add adds a row; before is the load when its figures were begun.
func (r *pipelineReport) add(what string, n int, w latencies, before, target string) {
	parts := "–"
	if len(w.Parts) > 0 {
		parts = fmt.Sprintf("%.1f, %.1f", w.Parts["words"], w.Parts["meaning"])
	}
	p50, p99 := evalkit.Percentile(w.Millis, .5), evalkit.Percentile(w.Millis, .99)
	evalkit.Progress("%s of %d: p50 %.1f ms", what, n, p50)
	r.table.Add(what, n, len(w.Millis), fmt.Sprintf("%.1f", p50), fmt.Sprintf("%.1f", p99), target, parts,
		fmt.Sprintf("%.0f", w.RSS), fmt.Sprintf("%.0f", w.Peak), before+"–"+evalkit.Load())
}

func (r *pipelineReport) miss(format string, args ...any) {
	r.bad = append(r.bad, fmt.Sprintf(format, args...))
}

// numbered makes n memories of some sentences.
func numbered(sentences []string, n int) []entry {
	var out []entry
	for i := range n {
		out = append(out, entry{id: fmt.Sprint(i), kind: file.Gotcha, what: fmt.Sprintf("%d: %s", i, sentences[i%len(sentences)]), path: fmt.Sprintf("src/p%d/f%d.go", i%57, i%700), created: time.Unix(0, 0).UTC()})
	}
	return out
}

// forMemories measures searches of memories.
func (w waits) forMemories(ctx context.Context, entries []entry, questions []string) error {
	n := len(entries)
	s, err := newSpace(ctx, entries, nil, nil, "")
	if err != nil {
		return err
	}
	warm, cold, before, err := w.memoriesTake(ctx, s, questions)
	var lone latencies
	if err == nil && n == 10_000 {
		lone, err = w.inChild(ctx, s, loneChild, questions)
	}
	if err = errors.Join(err, s.close()); err != nil {
		return err
	}
	w.report.add("memories, warm", n, warm, before[0], "p50 15, p99 40")
	if len(lone.Millis) > 0 {
		w.report.add("memories, warm, a second between questions", n, lone, before[1], "–")
	}
	w.report.add("memories, a command of its own", n, cold, before[1], "600")
	if p50, p99 := evalkit.Percentile(warm.Millis, .5), evalkit.Percentile(warm.Millis, .99); n == 10_000 && (p50 > warmMedian || p99 > warmMost) {
		w.report.miss("search of %d memories: p50 %.1f, p99 %.1f ms", n, p50, p99)
	}
	if p50 := evalkit.Percentile(cold.Millis, .5); p50 > coldMedian {
		w.report.miss("`search` of %d memories: median %.0f ms", n, p50)
	}
	return nil
}

// forCode measures searches of code: CoSQA's functions and questions.
func (w waits) forCode(ctx context.Context, corpus string) error {
	functions, err := evalkit.ReadLines[passage](corpus)
	if err != nil {
		return err
	}
	asked, err := evalkit.ReadLines[passage](filepath.Join(filepath.Dir(corpus), w.split, "queries.jsonl"))
	if err != nil {
		return err
	}
	var questions []string
	for _, q := range asked {
		questions = append(questions, q.Text)
	}
	before := evalkit.Load()
	warm, n, err := w.codeTakes(ctx, functions, questions)
	if err != nil {
		return err
	}
	w.report.add("pieces of code, warm", n, warm, before, "60")
	if p50 := evalkit.Percentile(warm.Millis, .5); p50 > codeMedian {
		w.report.miss("search of %d pieces: p50 %.1f ms", n, p50)
	}
	return nil
}

// scifactTexts returns the sentences of the abstracts, and the claims.
func scifactTexts(name string) (sentences, claims []string, err error) {
	docs, err := evalkit.ReadLines[passage](name)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range docs {
		for s := range strings.SplitSeq(d.Text, ". ") {
			if len(s) > 40 {
				sentences = append(sentences, s)
			}
		}
	}
	queries, err := evalkit.ReadLines[passage](filepath.Join(filepath.Dir(name), "queries.jsonl"))
	for _, q := range queries {
		claims = append(claims, q.Text)
	}
	return sentences, claims, err
}

// randomVectors stores a random unit vector under each key.
func (s *space) randomVectors(ctx context.Context, info embed.Info, keys []string) (err error) {
	db, err := store.OpenVectors(ctx, s.mem.Place().VectorsDir(), time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	r := rand.New(rand.NewPCG(3, 4))
	for page := range slices.Chunk(keys, 1000) {
		vectors := make([][]float32, len(page))
		for i := range vectors {
			v := make([]float32, info.Dims)
			sum := 0.0
			for d := range v {
				v[d] = float32(r.NormFloat64())
				sum += float64(v[d]) * float64(v[d])
			}
			for d := range v {
				v[d] /= float32(math.Sqrt(sum))
			}
			vectors[i] = v
		}
		if err := db.Put(ctx, info.Model, page, vectors); err != nil {
			return err
		}
	}
	return nil
}

func (w waits) memoriesTake(ctx context.Context, s *space, questions []string) (warm, cold latencies, before [2]string, err error) {
	var keys []string
	for _, h := range s.mem.View().Live() {
		keys = append(keys, embed.Key(embed.MemoryText(h.Memory)))
	}
	if len(keys) != len(s.ids) {
		return warm, cold, before, fmt.Errorf("%d memories in the workspace, want %d", len(keys), len(s.ids))
	}
	if err := s.randomVectors(ctx, w.info, keys); err != nil {
		return warm, cold, before, err
	}
	before[0] = evalkit.Load()
	if warm, err = w.inChild(ctx, s, "warm/memories", questions); err != nil {
		return warm, cold, before, err
	}
	before[1] = evalkit.Load()
	cold, err = w.asCommands(ctx, s, questions)
	return warm, cold, before, err
}

func (w waits) codeTakes(ctx context.Context, functions []passage, questions []string) (took latencies, n int, err error) {
	s, err := newSpace(ctx, nil, func(root string) error {
		if err := os.MkdirAll(root, 0o700); err != nil {
			return err
		}
		var text strings.Builder
		for i := range codePieces {
			fmt.Fprintf(&text, "# %d\n%s\n\n\n", i, functions[i%len(functions)].Text)
			if (i+1)%perFile == 0 {
				if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("m%d.py", i/perFile)), []byte(text.String()), 0o600); err != nil {
					return err
				}
				text.Reset()
			}
		}
		return nil
	}, nil, "")
	if err != nil {
		return took, 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if _, err := s.embedCode(ctx); err != nil {
		return took, 0, err
	}
	x, err := code.Open(ctx, s.mem.Place().CacheDir(), s.mem.Root(), time.Now)
	if err != nil {
		return took, 0, err
	}
	var keys []string
	err = x.Keys(ctx, func(_ int64, key string) { keys = append(keys, key) })
	if err = errors.Join(err, x.Close()); err != nil {
		return took, 0, err
	}
	if err := s.randomVectors(ctx, w.info, keys); err != nil {
		return took, 0, err
	}
	took, err = w.inChild(ctx, s, "warm/code", questions)
	return took, len(keys), err
}

// inChild measures in a process of its own, which has nothing else in memory.
func (w waits) inChild(ctx context.Context, s *space, what string, questions []string) (took latencies, err error) {
	data, err := json.Marshal(questions[:min(len(questions), warmRuns+warmUp)])
	if err == nil {
		err = os.WriteFile(filepath.Join(s.dir, questionsFile), data, 0o600)
	}
	if err != nil {
		return took, fmt.Errorf("write the questions: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return took, err
	}
	cmd := w.timed(ctx, self, "retrieval", "--child", what, "--models", w.models, "--profile", w.profile, "--threads", fmt.Sprint(w.threads))
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), spaceVariable+"="+s.dir)
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &took)
	}
	if err != nil {
		return took, fmt.Errorf("measure %s: %w", what, err)
	}
	return took, nil
}

// timed prefixes a measured command with the one of --run.
func (o options) timed(ctx context.Context, name string, args ...string) *exec.Cmd {
	all := append(append(strings.Fields(o.run), name), args...)
	return exec.CommandContext(ctx, all[0], all[1:]...)
}

// warmChild answers questions in an existing space and prints the times.
func warmChild(ctx context.Context, o options) (err error) {
	s := &space{dir: os.Getenv(spaceVariable), model: o.defaultModel()}
	defer func() { err = errors.Join(err, s.model.Close()) }()
	s.root = filepath.Join(s.dir, "root")
	if err := s.open(""); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.index.Close(), s.mem.Close()) }()
	var questions []string
	data, err := os.ReadFile(filepath.Join(s.dir, questionsFile))
	if err == nil {
		err = json.Unmarshal(data, &questions)
	}
	if err != nil {
		return fmt.Errorf("read the questions: %w", err)
	}
	if err := profile(o.profile); err != nil {
		return err
	}
	searcher := s.searcher(variant{}, true)
	defer func() { err = errors.Join(err, searcher.Close()) }()
	w := latencies{Parts: map[string]float64{}}
	parts := map[string][]float64{}
	for i, q := range questions {
		if o.child == loneChild {
			if i >= loneRuns+2 {
				break
			}
			time.Sleep(lonePause)
		}
		begin := time.Now()
		var answer search.Answer
		if o.child == "warm/code" {
			answer, _, err = searcher.Code(ctx, search.Question{Text: q, Limit: 10, Explicit: true})
		} else {
			answer, err = searcher.Memories(ctx, search.Question{Text: q, Limit: 10, Explicit: true})
		}
		took := float64(time.Since(begin).Microseconds()) / 1000
		if err == nil && !answer.Meaning {
			err = errors.New("no meanings were compared: " + answer.Fault)
		}
		if err != nil {
			return err
		}
		if i < warmUp && o.child != loneChild || i < 2 {
			continue
		}
		w.Millis = append(w.Millis, took)
		for _, l := range answer.Legs {
			parts[l.Name] = append(parts[l.Name], l.Millis)
		}
	}
	for name, ms := range parts {
		w.Parts[name] = evalkit.Percentile(ms, .5)
	}
	w.RSS, w.Peak = ownMemory()
	stopProfile(o.profile)
	return json.NewEncoder(os.Stdout).Encode(w)
}

// asCommands runs `manicule search` as a person does, without a server.
func (w waits) asCommands(ctx context.Context, s *space, questions []string) (took latencies, err error) {
	home := filepath.Join(s.dir, "home")
	models, err := filepath.Abs(w.models)
	if err != nil {
		return took, err
	}
	data := filepath.Join(home, "XDG_DATA_HOME", "manicule")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return took, err
	}
	if err := os.Symlink(models, filepath.Join(data, "models")); err != nil {
		return took, err
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(home, "HOME")}
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		env = append(env, name+"="+filepath.Join(home, name))
	}
	for i := range coldRuns + 2 {
		cmd := w.timed(ctx, w.binary, "search", "--json", questions[i])
		cmd.Dir, cmd.Env = s.root, env
		var errs bytes.Buffer
		cmd.Stderr = &errs
		begin := time.Now()
		out, err := cmd.Output()
		millis := float64(time.Since(begin).Microseconds()) / 1000
		if err != nil {
			return took, fmt.Errorf("run manicule search: %w: %s", err, errs.String())
		}
		var answer struct {
			Meaning bool `json:"meaning"`
		}
		if err := json.Unmarshal(out, &answer); err != nil || !answer.Meaning {
			return took, fmt.Errorf("manicule search compared no meanings (%w): %.300s %s", err, out, errs.String())
		}
		if i < 2 {
			continue // these write derived data
		}
		took.Millis = append(took.Millis, millis)
		if u, ok := maxRSS(cmd.ProcessState); ok {
			took.Peak = max(took.Peak, u)
		}
	}
	took.RSS = took.Peak
	return took, nil
}

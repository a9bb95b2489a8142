package local

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"manicule/indexer/background"
	"manicule/memory/embed"
	"manicule/memory/embed/onnx"
)

// Batch sizes for onnxruntime. On few cores a large batch is no faster than its texts one by one
// (measured from 1 to 2,048 tokens), and a small one frees the cores sooner for a waiting query.
const (
	runtimeCells = 512
	runtimeTexts = 16
)

// library is onnxruntime's environment. A process has only one, because the C API keeps it in a
// global and a loaded library can't be replaced.
var library struct {
	sync.Mutex
	path string
}

// load opens the shared library once.
func load(path string) error {
	library.Lock()
	defer library.Unlock()
	if library.path != "" {
		if library.path != path {
			return fmt.Errorf("onnxruntime was loaded from %s already; %s needs a new process", library.path, path)
		}
		return nil
	}
	ort.SetSharedLibraryPath(path)
	if err := ort.InitializeEnvironment(ort.WithLogLevelError()); err != nil {
		return fmt.Errorf("load %s: %w", path, err)
	}
	library.path = path
	return ort.DisableTelemetry()
}

// runtime is a model on onnxruntime.
type runtime struct {
	info    embed.Info
	tk      *tokenizer
	session *ort.DynamicAdvancedSession
	widths  []int
	texts   int // maximum of a batch

	scratch sync.Pool // of *buffers; calls may run concurrently
}

// buffers are the inputs and outputs of a call, some 100 KB for each text. Without reuse they would
// be most of the garbage while texts are embedded in the background.
type buffers struct {
	words, mask, types []int64
	hidden             []float32
}

// sized returns buffers for a number of tokens, with zeroed inputs.
func (r *runtime) sized(tokens int) *buffers {
	s, ok := r.scratch.Get().(*buffers)
	if !ok {
		s = new(buffers)
	}
	s.words, s.mask, s.types = atLeast(s.words, tokens), atLeast(s.mask, tokens), atLeast(s.types, tokens)
	s.hidden = atLeast(s.hidden, tokens*r.info.Dims)
	clear(s.words)
	clear(s.mask)
	clear(s.types)
	return s
}

// atLeast returns a slice of n values with any content.
func atLeast[T any](s []T, n int) []T {
	return slices.Grow(s[:0], n)[:n]
}

func openRuntime(_ context.Context, o Options, tk *tokenizer) (embed.Embedder, error) {
	if o.Library == "" {
		return nil, errors.New("its library is not installed")
	}
	if err := load(o.Library); err != nil {
		return nil, err
	}
	session, err := newSession(filepath.Join(o.Dir, o.File), o.Threads, []string{onnx.InputIDs, onnx.InputMask, onnx.InputTypes}, []string{onnx.Output})
	if err != nil {
		return nil, err
	}
	r := &runtime{
		info: embed.Info{Model: o.Model, Dims: o.Dims, Backend: string(ONNXRuntime) + " " + ort.GetVersion()},
		tk:   tk, session: session, widths: buckets(o.MaxTokens), texts: runtimeTexts,
	}
	if o.Alone {
		r.texts = 1
	}
	return r, nil
}

func newSession(path string, threads int, in, out []string) (_ *ort.DynamicAdvancedSession, err error) {
	opts, err := ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("set up onnxruntime: %w", err)
	}
	defer func() { err = errors.Join(err, opts.Destroy()) }()
	err = errors.Join(
		opts.SetIntraOpNumThreads(threads),
		opts.SetInterOpNumThreads(1),
		// onnxruntime caches a memory pattern for each input shape, and texts have any length. The
		// arena stays enabled: without it the C allocator keeps twice as much (measured).
		opts.SetMemPattern(false),
		// Idle threads would spin after each call, on cores that the editor needs.
		opts.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"),
		opts.AddSessionConfigEntry("session.inter_op.allow_spinning", "0"),
	)
	if err != nil {
		return nil, fmt.Errorf("set up onnxruntime: %w", err)
	}
	s, err := ort.NewDynamicAdvancedSession(path, in, out, opts)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	return s, nil
}

// Info names the model and the library.
func (r *runtime) Info() embed.Info { return r.info }

// Close frees the model. The library stays, because it can't be unloaded.
func (r *runtime) Close() error {
	if err := r.session.Destroy(); err != nil {
		return fmt.Errorf("free the model: %w", err)
	}
	return nil
}

// Embed returns the vectors of texts.
func (r *runtime) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return r.embed(ctx, texts, pool, func(run func() error) error { return run() })
}

// Tokens returns the vectors of the words of each text, see [TokenEmbedder].
func (r *runtime) Tokens(ctx context.Context, texts []string) ([][]float32, error) {
	return r.embed(ctx, texts, ofTokens, func(run func() error) error { return run() })
}

// EmbedBackground returns the vectors of texts that no caller waits for. It can stop between two
// nodes of the model's graph.
func (r *runtime) EmbedBackground(ctx context.Context, texts []string) ([][]float32, error) {
	return r.embed(ctx, texts, pool, func(run func() error) (err error) {
		background.Run(func() { err = run() })
		return err
	})
}

// take makes a result of the hidden states of a text's tokens.
type take func(hidden []float32, tokens, dims int) []float32

// embed runs the model through how.
func (r *runtime) embed(ctx context.Context, texts []string, what take, how func(run func() error) error) ([][]float32, error) {
	ids, lengths := make([][]int, len(texts)), make([]int, len(texts))
	for i, t := range texts {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		ids[i] = r.tk.ids(t)
		lengths[i] = len(ids[i])
	}
	out := make([][]float32, len(texts))
	for _, b := range unpadded(lengths, r.widths, runtimeCells, r.texts) {
		if err := r.run(ctx, b, ids, out, what, how); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// run embeds one batch and stores the results in out.
func (r *runtime) run(ctx context.Context, b batch, ids [][]int, out [][]float32, what take, how func(run func() error) error) (err error) {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s := r.sized(b.cells())
	defer r.scratch.Put(s)
	for row, at := range b.at {
		for j, id := range ids[at] {
			s.words[row*b.width+j], s.mask[row*b.width+j] = int64(id), 1
		}
	}
	in, err := inputs(b, s.words, s.mask, s.types)
	defer func() { err = errors.Join(err, destroy(in)) }()
	if err != nil {
		return err
	}
	hidden, err := ort.NewTensor(ort.NewShape(int64(len(b.at)), int64(b.width), int64(r.info.Dims)), s.hidden)
	if err != nil {
		return fmt.Errorf("make the model's output: %w", err)
	}
	result := []ort.Value{hidden}
	defer func() { err = errors.Join(err, destroy(result)) }()
	if err := how(func() error { return stoppable(ctx, r.session, in, result) }); err != nil {
		return err
	}
	for row, at := range b.at {
		out[at] = what(s.hidden[row*b.width*r.info.Dims:], len(ids[at]), r.info.Dims)
	}
	return nil
}

// pool returns the normalized mean over the tokens that are not padding.
func pool(hidden []float32, tokens, dims int) []float32 {
	v := make([]float32, dims)
	for t := range tokens {
		for k, x := range hidden[t*dims : (t+1)*dims] {
			v[k] += x
		}
	}
	normalise(v) // normalizing cancels the division by the number of tokens
	return v
}

// inputs returns the tensors [texts, width] of a batch; with an error, those made so far.
func inputs(b batch, list ...[]int64) ([]ort.Value, error) {
	var out []ort.Value
	for _, data := range list {
		t, err := ort.NewTensor(ort.NewShape(int64(len(b.at)), int64(b.width)), data)
		if err != nil {
			return out, fmt.Errorf("make the model's input: %w", err)
		}
		out = append(out, t)
	}
	return out, nil
}

func destroy(values []ort.Value) error {
	var errs []error
	for _, v := range values {
		if v != nil {
			errs = append(errs, v.Destroy())
		}
	}
	return errors.Join(errs...)
}

// stoppable runs a model and stops it when ctx is done.
func stoppable(ctx context.Context, session *ort.DynamicAdvancedSession, in, out []ort.Value) (err error) {
	opts, err := ort.NewRunOptions()
	if err != nil {
		return fmt.Errorf("run the model: %w", err)
	}
	var stopped error
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { stopped = opts.Terminate(); close(done) })
	err = session.RunWithOptions(in, out, opts)
	if !stop() { // it runs or has run: opts must outlive it
		<-done
	}
	err = errors.Join(err, stopped, opts.Destroy())
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

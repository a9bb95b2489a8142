package provider

import (
	"errors"
	"fmt"
	"time"

	"manicule/memory/config"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
)

// Configured returns the settings that select the model.
func Configured(c *config.Config, getenv func(string) string) Settings {
	name := c.String("embedding.key_variable")
	return Settings{
		Provider: c.String("embedding.provider"), Model: c.String("embedding.model"), URL: c.String("embedding.url"),
		Key: getenv(name), KeyName: name, Dims: c.Int("embedding.dimensions"), Threads: c.Int("embedding.threads"),
		Idle: time.Duration(c.Int("embedding.idle_minutes")) * time.Minute, Library: c.String("embedding.library"),
	}
}

// State describes what would make vectors.
type State struct {
	Provider string `json:"provider"` // local, ollama, openai, off
	Model    string `json:"model"`    // the local one in use; "" if none is installed
	Backend  string `json:"backend"`  // of the local model: onnxruntime, go; "" for none
	Advice   string `json:"advice"`   // how to get a model, or a better backend
}

// StateOf inspects what is installed. It loads nothing.
func StateOf(settings Settings, store *models.Store) State {
	s := State{Provider: settings.Provider}
	m, err := store.Selected()
	if s.Provider == Local && settings.Model != "" {
		if m, err = models.Find(settings.Model); err == nil && !store.Installed(m) {
			err = fmt.Errorf("%s is %w", m.Name, models.ErrAbsent)
		}
	}
	switch {
	case s.Provider == Off:
		return s
	case errors.Is(err, models.ErrAbsent) && models.IsBundled():
		s.Model, s.Backend = models.Default, string(local.ONNXRuntime) // unpacked on first use
		return s
	case err != nil && !errors.Is(err, models.ErrAbsent):
		s.Advice = err.Error() + "; `manicule model list` names the models"
		return s
	case err != nil:
		s.Advice = "`manicule model install` lets memories be found by meaning"
		return s
	}
	s.Model, s.Backend = m.Name, string(local.ONNXRuntime)
	if store.Library() == "" && settings.Library == "" {
		s.Backend = string(local.Go)
		if store.HasLibrary() {
			s.Advice = "`manicule model install` fetches onnxruntime, which is 5 to 20 times faster"
		}
	}
	return s
}

// String formats the state in one line.
func (s State) String() string {
	one := "none installed: memories are found by their words"
	switch {
	case s.Provider == Off:
		return "switched off by embedding.provider"
	case s.Model != "":
		one = s.Model + " on " + s.Backend
	}
	if s.Provider != Local {
		return s.Provider + ", and when it does not answer: " + one
	}
	return one
}

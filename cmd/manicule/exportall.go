package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"manicule/indexer/atomicfile"
	"manicule/memory"
	"manicule/memory/archive"
	"manicule/memory/services"
)

// exportKept writes the archive, or the vectors alone.
func (ec *exportCommand) exportKept(cmd *cobra.Command) error {
	if err := ec.requirePerson("export everything that is kept about"); err != nil {
		return err
	}
	if ec.all && ec.target == "" {
		return usage(cmd, errors.New("--all needs -o FILE"))
	}
	return ec.with(cmd.Context(), func(w *services.Workspace) error {
		now := beginSteps(ec.console)
		defer now.stop()
		o := archive.Options{Place: w.Place(), State: w.State(), Now: ec.now, Version: version, Progress: ec.progress("has archived", "memory files"), Step: now.at}
		if ec.target == "" {
			ec.raw = true
			_, missing, err := archive.Vectors(cmd.Context(), ec.out, o)
			ec.missing(missing)
			return err
		}
		if ec.vectors {
			n, missing := 0, []string(nil)
			err := ec.create(func(f io.Writer, _ string) (err error) {
				n, missing, err = archive.Vectors(cmd.Context(), f, o)
				return err
			})
			ec.missing(missing)
			if err != nil {
				return err
			}
			return ec.vectorsExported(n)
		}
		var m *archive.Manifest
		err := ec.create(func(f io.Writer, dir string) (err error) {
			m, err = archive.Write(cmd.Context(), f, dir, o)
			return err
		})
		if err != nil {
			return err
		}
		ec.missing(m.Missing)
		return ec.archived(m)
	})
}

// missing warns of what damage left out.
func (ec *exportCommand) missing(list []string) {
	for _, what := range list {
		ec.warn("left out: %s", what)
	}
}

// create writes the target by way of a private folder beside it, so that it is there as a whole or
// not at all.
func (ec *exportCommand) create(write func(f io.Writer, scratch string) error) (err error) {
	target, err := ec.fileToWrite(ec.target)
	if err != nil {
		return err
	}
	failed := func(err error) error {
		return &memory.UserError{Msg: fmt.Sprintf("write %s: %v", ec.target, err), Err: err, Hint: "Name a file in a folder that can be written to."}
	}
	dir, err := os.MkdirTemp(filepath.Dir(target), ".manicule-export-")
	if err != nil {
		return failed(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// A process that is killed leaves the folder, which git then does not see.
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o600); err != nil {
		return failed(err)
	}
	name := filepath.Join(dir, "export")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return failed(err)
	}
	if err := errors.Join(write(f, dir), f.Close()); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := atomicfile.Sync(name); err != nil {
		return failed(err)
	}
	if err := os.Rename(name, target); err != nil {
		return failed(err)
	}
	return nil
}

func (ec *exportCommand) vectorsExported(n int) error {
	if ec.json {
		ec.printJSON("export_vectors", struct {
			Vectors int    `json:"vectors"`
			File    string `json:"file"`
		}{n, ec.target})
		return nil
	}
	ec.printf("%s %s: %s\n", ec.paint(green, "✓"), ec.target, count(n, "vector", "vectors"))
	return nil
}

func (ec *exportCommand) archived(m *archive.Manifest) error {
	if ec.json {
		ec.printJSON("export_all", struct {
			File    string          `json:"file"`
			Entries []archive.Entry `json:"entries"`
			LeftOut []string        `json:"left_out"`
		}{ec.target, append([]archive.Entry{}, m.Entries...), m.LeftOut})
		return nil
	}
	var n int64
	for _, e := range m.Entries {
		n += e.Bytes
	}
	ec.printf("%s %s: %s, %s before compression; %s lists them\n", ec.paint(green, "✓"), ec.target, count(len(m.Entries), "file", "files"), humanize.Bytes(uint64(max(n, 0))), archive.ManifestName)
	ec.printf("  %s\n", ec.paint(faint, "it holds personal memories and logs of your agents: keep it as private as they are"))
	return nil
}

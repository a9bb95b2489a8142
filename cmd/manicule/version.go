package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"manicule/memory/file"
)

// versionCommand is `manicule version`.
type versionCommand struct {
	*cli
}

func newVersionCommand(shared *cli) *cobra.Command {
	vc := &versionCommand{cli: shared}
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE:  vc.run,
	}
}

func (vc *versionCommand) run(*cobra.Command, []string) error {
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	if vc.json {
		vc.printJSON("version", struct {
			Version  string `json:"version"`
			Revision string `json:"revision,omitzero"`
			Go       string `json:"go"`
			Platform string `json:"platform"`
			Format   int    `json:"memory_format"`
		}{version, revision, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, file.Format})
		return nil
	}
	vc.printf("manicule %s", version)
	if revision != "" {
		vc.printf(" (%.12s)", revision)
	}
	vc.printf(", %s, %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

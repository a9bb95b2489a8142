package main

import (
	"github.com/spf13/cobra"

	"manicule/cmd/internal/release"
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
	info := release.Current()
	if vc.json {
		vc.printJSON("version", info)
		return nil
	}
	vc.printf("manicule %s", info.Version)
	if info.Revision != "" {
		vc.printf(" (%.12s)", info.Revision)
	}
	vc.printf(", %s, %s\n", info.Go, info.Platform)
	return nil
}

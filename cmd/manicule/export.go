package main

import (
	"github.com/spf13/cobra"

	"manicule/memory/importer"
)

func (a *app) exportCommand() *cobra.Command { return &cobra.Command{Use: "export"} }
func readExport(string) ([]importer.Chunk, error) { return nil, errNotExport }

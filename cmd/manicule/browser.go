package main

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
)

// openBrowser shows a file in the person's browser, by the system's own program for that. $BROWSER
// comes first, as for other programs.
func openBrowser(ctx context.Context, env func(string) string, path string) error {
	var commands [][]string
	if b := env("BROWSER"); b != "" {
		commands = append(commands, []string{b})
	}
	switch runtime.GOOS {
	case "darwin":
		commands = append(commands, []string{"open"})
	case "windows":
		commands = append(commands, []string{"rundll32", "url.dll,FileProtocolHandler"})
	default:
		commands = append(commands, []string{"xdg-open"}, []string{"x-www-browser"})
	}
	for _, c := range commands {
		program, err := exec.LookPath(c[0])
		if err != nil {
			continue
		}
		// It lives on after this command.
		browser := exec.CommandContext(context.WithoutCancel(ctx), program, append(c[1:], path)...)
		if err := browser.Start(); err != nil {
			return err
		}
		return browser.Process.Release()
	}
	return errors.New("there is none")
}

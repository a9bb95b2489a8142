package memories

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The versions that are compared. bun runs the worker of claude-mem.
const (
	claudeMemVersion    = "13.25.3"
	bunVersion          = "1.4.5"
	serverMemoryVersion = "2026.8.31"
	agentMemoryVersion  = "0.9.29"
	engramVersion       = "1.7.0"
	beadsVersion        = "1.0.5"
)

// install brings the tools into the folder, if they are not there yet. No script of a
// package is run, but bun's program is put where its own script would.
func (o options) install(ctx context.Context) ([]tool, error) {
	npm := func(folder string, packages ...string) (string, error) {
		dir := filepath.Join(o.dir, folder)
		if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
			return dir, nil
		}
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "package.json"), []byte("{\"private\":true}\n"), 0o644)); err != nil {
			return "", fmt.Errorf("install %v: %w", packages, err)
		}
		return dir, output(ctx, dir, "npm", append([]string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"}, packages...)...)
	}
	memory, err := npm("server-memory", "@modelcontextprotocol/server-memory@"+serverMemoryVersion)
	if err != nil {
		return nil, err
	}
	agent, err := npm("agentmemory", "@agentmemory/agentmemory@"+agentMemoryVersion)
	if err != nil {
		return nil, err
	}
	bun, err := npm("bun", "@oven/bun-linux-x64@"+bunVersion)
	if err != nil {
		return nil, err
	}
	link := filepath.Join(o.dir, "bin", "bun")
	if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), ignore(os.Symlink(filepath.Join(bun, "node_modules/@oven/bun-linux-x64/bin/bun"), link), os.ErrExist)); err != nil {
		return nil, fmt.Errorf("install bun: %w", err)
	}
	plugin, err := o.plugin(ctx)
	if err != nil {
		return nil, err
	}
	tools := []tool{manicule{o.bin}, claudeMem{plugin: plugin}}
	if o.engram != "" {
		bin, err := o.build(ctx, o.engram, "engram", "./cmd/engram")
		if err != nil {
			return nil, err
		}
		tools = append(tools, engram{bin, filepath.Join(o.engram, "plugin", "claude-code")})
	}
	if o.beads != "" {
		bin, err := o.build(ctx, o.beads, "bd", "./cmd/bd")
		if err != nil {
			return nil, err
		}
		tools = append(tools, beads{bin})
	}
	return append(tools, serverMemory{dir: memory}, agentMemory{dir: agent}), nil
}

// plugin unpacks claude-mem, which is installed as a plugin and not with the
// dependencies of its package.
func (o options) plugin(ctx context.Context) (string, error) {
	dir := filepath.Join(o.dir, "claude-mem")
	plugin := filepath.Join(dir, "package", "plugin")
	if _, err := os.Stat(plugin); err == nil {
		return plugin, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("install claude-mem: %w", err)
	}
	return plugin, errors.Join(output(ctx, dir, "npm", "pack", "--silent", "claude-mem@"+claudeMemVersion),
		output(ctx, dir, "tar", "-xzf", "claude-mem-"+claudeMemVersion+".tgz"),
		output(ctx, plugin, filepath.Join(o.dir, "bin", "bun"), "install", "--frozen-lockfile", "--ignore-scripts"))
}

// build builds a program from a folder of sources, with the tags that its own page names.
func (o options) build(ctx context.Context, sources, name, pkg string) (string, error) {
	bin := filepath.Join(o.dir, "bin", name)
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	return bin, output(ctx, sources, "env", "GOFLAGS=", "GOEXPERIMENT=", "go", "build", "-tags", "gms_pure_go", "-ldflags", "-s -w", "-o", bin, pkg)
}

func output(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", name, args, err, out)
	}
	return nil
}

func ignore(err, known error) error {
	if errors.Is(err, known) {
		return nil
	}
	return err
}

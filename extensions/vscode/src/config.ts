// The extension's settings, read each time the server starts.

import * as vscode from "vscode";

export const section = "manicule";

/** The settings that the extension itself uses; the server pulls its own. */
export interface Config {
  readonly serverPath: string;
  readonly serverArguments: readonly string[];
}

/** The settings that the server does not know begin with one of these. */
const own = ["server", "trace", "margin", "currentLine", "coverage"];

/** Where a setting may be set, as VS Code reports it. */
export type Inspection = Partial<Record<"globalValue" | "workspaceValue" | "workspaceFolderValue", unknown>>;

/**
 * The section as the server takes it: only what a person set, so that the configuration files decide
 * about the rest. keys are those of the manifest, without the section.
 */
export function forServer(keys: readonly string[], inspect: (key: string) => Inspection | undefined): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const key of keys) {
    const [first = "", ...rest] = key.split(".");
    if (own.includes(first)) continue;
    const found = inspect(key);
    const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    if (value !== undefined) put(out, [first, ...rest], value);
  }
  return out;
}

function put(into: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown): void {
  if (key === undefined) return;
  if (rest.length === 0) {
    into[key] = value;
    return;
  }
  into[key] ??= {};
  const inner = into[key];
  if (typeof inner === "object" && inner !== null) put(inner as Record<string, unknown>, rest, value);
}

/** The keys of the extension's settings, without the section. */
export function keysOf(manifest: unknown): string[] {
  const { contributes } = manifest as { contributes: { configuration: { properties: object } } };
  return Object.keys(contributes.configuration.properties).map((name) => name.slice(section.length + 1));
}

/** Whether lenses are shown above code. */
export function showsLenses(): boolean {
  const on = (name: string, key: string): boolean => vscode.workspace.getConfiguration(name).get<boolean>(key, true);
  return on("editor", "codeLens") && on(section, "codeLens.enabled");
}

/** Reads the settings. */
export function readConfig(): Config {
  const settings = vscode.workspace.getConfiguration(section);
  return {
    serverPath: settings.get<string>("server.path", "").trim(),
    serverArguments: settings.get<string[]>("server.arguments", []),
  };
}

/** Whether a change of settings needs a restart of the server. */
export function needsRestart(event: vscode.ConfigurationChangeEvent): boolean {
  return event.affectsConfiguration(`${section}.server`);
}

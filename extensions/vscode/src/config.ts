// The extension's settings, read each time the server starts.

import * as vscode from "vscode";

export const section = "manicule";

/** The settings that the extension itself uses; the server pulls its own. */
export interface Config {
  readonly serverPath: string;
  readonly serverArguments: readonly string[];
}

/** The keys of the section that the server does not know. */
const own = ["server", "trace", "margin"];

/**
 * The section as the server takes it: without the extension's own settings, and
 * without those that are null, which leaves them to the configuration files.
 */
export function forServer(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value as Record<string, unknown>)
    .filter(([key]) => !own.includes(key))
    .map(([key, member]) => [key, forServer(member)] as const)
    .filter(([, member]) => member !== null && !isEmpty(member));
  return Object.fromEntries(members);
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
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

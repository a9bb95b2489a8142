// The extension's settings, read anew each time the server starts.

import * as vscode from "vscode";

export const section = "manicule";

/** The settings that the extension itself uses; the server asks for its own. */
export interface Config {
  readonly serverPath: string;
  readonly serverArguments: readonly string[];
}

/** Reads the settings. */
export function readConfig(): Config {
  const settings = vscode.workspace.getConfiguration(section);
  return {
    serverPath: settings.get<string>("server.path", "").trim(),
    serverArguments: settings.get<string[]>("server.arguments", []),
  };
}

/** Whether a change of settings needs a new server. */
export function needsRestart(event: vscode.ConfigurationChangeEvent): boolean {
  return event.affectsConfiguration(`${section}.server`);
}

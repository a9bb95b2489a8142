// The extension's entry point: wires the parts, holds no logic.

import * as vscode from "vscode";

import { ServerControl } from "./client";
import { needsRestart } from "./config";

let server: ServerControl | undefined;

/** Called by VS Code once. Does not wait for the server, and so cannot fail with it. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Manicule", { log: true });
  const control = new ServerControl(context.extensionPath, log);
  server = control;
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("manicule.restartServer", () => control.restart()),
    vscode.commands.registerCommand("manicule.showLog", () => {
      log.show();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (needsRestart(event)) void control.restart();
    }),
  );
  void control.restart();
}

/** Called by VS Code when it shuts down; it waits for the promise. */
export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

// How a person is told that something went wrong.

import * as vscode from "vscode";

/** Shows why something failed; the log may have more. Nobody waits for the answer. */
export function showError(error: unknown): void {
  const log = vscode.l10n.t("Show Log");
  void vscode.window.showErrorMessage(`Manicule: ${error instanceof Error ? error.message : String(error)}`, log).then((choice) => {
    if (choice === log) void vscode.commands.executeCommand("manicule.showLog");
  });
}

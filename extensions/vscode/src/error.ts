// How a person is told that something went wrong.

import * as vscode from "vscode";

/** Shows why something failed; the log may have more, and what a person typed may be sent again. Nobody waits for the answer. */
export function showError(error: unknown, again?: () => void): void {
  const retry = vscode.l10n.t("Try Again");
  const log = vscode.l10n.t("Show Log");
  const buttons = again ? [retry, log] : [log];
  void vscode.window.showErrorMessage(`Manicule: ${error instanceof Error ? error.message : String(error)}`, ...buttons).then((choice) => {
    if (choice === log) void vscode.commands.executeCommand("manicule.showLog");
    if (choice === retry) again?.();
  });
}

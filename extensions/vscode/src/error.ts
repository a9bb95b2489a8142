// How a person is told that something went wrong.

import * as vscode from "vscode";

/** Shows why something failed. */
export function showError(error: unknown): void {
  void vscode.window.showErrorMessage(`Manicule: ${error instanceof Error ? error.message : String(error)}`);
}

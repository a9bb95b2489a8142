// Shows places: of a notebook in its own editor, not in the JSON of its file.

import * as vscode from "vscode";

import type { Place } from "./protocol";

/** The scheme of the documents that a notebook's cells are. */
export const cellScheme = "vscode-notebook-cell";

/** Shows a place in its editor. */
export async function reveal(place: Place): Promise<void> {
  const { start, end } = place.range;
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  const uri = vscode.Uri.parse(place.uri, true);
  if (uri.scheme === cellScheme || isNotebook(uri)) await vscode.commands.executeCommand("vscode.open", uri, { selection, preview: true });
  else await vscode.window.showTextDocument(uri, { selection, preview: true });
}

/** Whether a place is in a notebook that is not open: what is known then is a line of its file. */
export function inClosedNotebook(place: Place): boolean {
  return isNotebook(vscode.Uri.parse(place.uri, true));
}

function isNotebook(uri: vscode.Uri): boolean {
  return uri.scheme === "file" && uri.path.endsWith(".ipynb");
}

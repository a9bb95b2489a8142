// Shows places: of a notebook in its own editor, not in the JSON of its file.

import * as vscode from "vscode";

import type { Place } from "./items";
import { memoryFolder } from "./setup";

/** The scheme of the documents that a notebook's cells are. */
export const cellScheme = "vscode-notebook-cell";

/** The schemes of documents that git's views show. */
const oldVersions = new Set(["git", "gitlens"]);

/** Shows a place in its editor, all of it selected if asked for; the keyboard may stay where it is. */
export async function reveal(place: Place, all = false, preserveFocus = false): Promise<void> {
  const selection = all ? rangeOf(place) : startOf(place);
  const uri = vscode.Uri.parse(place.uri, true);
  if (uri.scheme === cellScheme || isNotebook(uri)) await vscode.commands.executeCommand("vscode.open", uri, { selection, preview: true, preserveFocus });
  else await vscode.window.showTextDocument(uri, { selection, preview: true, preserveFocus });
}

/** Where the cursor goes: to the start. Were all selected, it would stand behind the code, where its memories are not, and a key would replace it. */
export function startOf({ range: { start } }: Place): vscode.Range {
  return new vscode.Range(start.line, start.character, start.line, start.character);
}

function rangeOf({ range: { start, end } }: Place): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** Whether a place is a line of a notebook's file: of one that is not open nothing else is known. */
export function isInNotebookFile(place: Place): boolean {
  return isNotebook(vscode.Uri.parse(place.uri, true));
}

/** Whether a place is in a cell that is not open: its name may be that of another cell when the notebook is opened again. */
export function inClosedCell(place: Place): boolean {
  const uri = vscode.Uri.parse(place.uri, true);
  return uri.scheme === cellScheme && !vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
}

/** Whether a document is a file, or a cell of one. */
export function isOnDisk(uri: vscode.Uri): boolean {
  return uri.scheme === "file" || vscode.workspace.notebookDocuments.some((notebook) => notebook.uri.scheme === "file" && notebook.getCells().some(({ document }) => document.uri.toString() === uri.toString()));
}

/** Why nothing can be remembered about a document, and what to do. */
export function noPlace(uri: vscode.Uri): string {
  if (uri.scheme === "file" || uri.scheme === cellScheme) {
    if (uri.path.split("/").includes(memoryFolder)) return vscode.l10n.t("Nothing can be remembered here: this is one of Manicule's own files, and memories are about your code.");
    if (!vscode.workspace.getWorkspaceFolder(uri)) return vscode.l10n.t("Nothing can be remembered here: the file is in none of the open folders.");
  }
  if (oldVersions.has(uri.scheme)) return vscode.l10n.t("Nothing can be remembered here: this is an old version of the file. Open the file itself.");
  return vscode.l10n.t("Nothing can be remembered here: save the document in an open folder first.");
}

function isNotebook(uri: vscode.Uri): boolean {
  return uri.scheme === "file" && uri.path.endsWith(".ipynb");
}

/** The open folders that a program can read. */
export function foldersOnDisk(): vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
}

/** Says that memories need a folder, and offers to open one. */
export async function sayNoFolder(): Promise<void> {
  const open = vscode.l10n.t("Open Folder");
  const choice = await vscode.window.showInformationMessage(vscode.l10n.t("No folder is open: memories belong to one."), open);
  if (choice === open) await vscode.commands.executeCommand("workbench.action.files.openFolder");
}

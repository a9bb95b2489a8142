// What the extension adds to the server's own commands: questions that only an
// editor can ask, and lists that only an editor can show. The language client
// registers the commands that the server offers; this is its middleware, so
// that no id is registered twice.

import * as vscode from "vscode";
import type { ExecuteCommandSignature } from "vscode-languageclient/node";

import { type Entry, entriesOf, isRecord } from "./protocol";

type Run = (next: ExecuteCommandSignature, command: string, args: unknown[]) => Promise<unknown>;

const asked: Readonly<Record<string, Run>> = {
  "manicule.remember": remember,
  "manicule.disputeMemory": dispute,
  "manicule.showMemories": showMemories,
};

/** Middleware of the language client for the commands that the server offers. */
export function executeCommand(command: string, args: unknown[], next: ExecuteCommandSignature): vscode.ProviderResult<unknown> {
  const run = asked[command];
  return run ? run(next, command, args) : next(command, args);
}

async function remember(next: ExecuteCommandSignature, command: string, args: unknown[]): Promise<unknown> {
  return askFor("text", "What should be remembered here?", next, command, args.length > 0 ? args : placeOfCursor());
}

async function dispute(next: ExecuteCommandSignature, command: string, args: unknown[]): Promise<unknown> {
  return askFor("note", "What is wrong with this memory?", next, command, args);
}

// Asks for one member of the argument, unless the caller gave it. Nothing typed: nothing done.
async function askFor(
  member: string,
  prompt: string,
  next: ExecuteCommandSignature,
  command: string,
  args: unknown[],
): Promise<unknown> {
  const [first, ...rest] = args;
  const argument = isRecord(first) ? first : {};
  if (typeof argument[member] === "string" && argument[member] !== "") return next(command, args);
  const answer = await vscode.window.showInputBox({ prompt, ignoreFocusOut: true });
  if (answer === undefined || answer.trim() === "") return undefined;
  return next(command, [{ ...argument, [member]: answer.trim() }, ...rest]);
}

async function showMemories(next: ExecuteCommandSignature, command: string, args: unknown[]): Promise<unknown> {
  const result: unknown = await next(command, args.length > 0 ? args : placeOfCursor());
  const entries = entriesOf(result);
  if (entries.length === 0) {
    void vscode.window.showInformationMessage("No memories here.");
    return result;
  }
  const items = entries.map((entry) => ({ label: entry.title, description: entry.kind, detail: entry.detail, entry }));
  const picked = await vscode.window.showQuickPick(items, {
    title: "Memories here",
    placeHolder: "Pick one to open its file",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked) await open(picked.entry);
  return result;
}

async function open(entry: Entry): Promise<void> {
  const uri = vscode.Uri.parse(entry.uri, true);
  await vscode.window.showTextDocument(uri, { preview: true });
}

// The commands take a place; run from the palette, it is the cursor's.
function placeOfCursor(): unknown[] {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return [];
  const { line, character } = editor.selection.active;
  return [{ uri: editor.document.uri.toString(), position: { line, character } }];
}

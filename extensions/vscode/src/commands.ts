// What the extension adds to the server's own commands: questions that only an
// editor can ask, and lists that only an editor can show. The language client
// registers the commands that the server offers; this is its middleware, so
// that no id is registered twice.

import * as vscode from "vscode";
import type { ExecuteCommandSignature } from "vscode-languageclient/node";

import { type Entry, entriesOf, noteAt, rememberKind, textAt } from "./protocol";

/** Middleware of the language client for the commands that the server offers. */
export function executeCommand(command: string, args: unknown[], next: ExecuteCommandSignature): vscode.ProviderResult<unknown> {
  switch (command) {
    case "manicule.remember":
      return remember(command, args, next);
    case "manicule.disputeMemory":
      return askFor(noteAt, "What is wrong with this memory?", command, args, next);
    case "manicule.showMemories":
      return showMemories(command, args, next);
    default:
      return next(command, args);
  }
}

async function remember(command: string, args: unknown[], next: ExecuteCommandSignature): Promise<unknown> {
  const place = args.length > 0 ? args : await placeToRemember();
  if (!place) return undefined;
  return askFor(textAt, "What should be remembered here?", command, place, next);
}

// Asks for one of the arguments, unless the caller gave it. Nothing typed: nothing done.
async function askFor(
  index: number,
  prompt: string,
  command: string,
  args: unknown[],
  next: ExecuteCommandSignature,
): Promise<unknown> {
  if (typeof args[index] === "string" && args[index] !== "") return next(command, args);
  const answer = (await vscode.window.showInputBox({ prompt, ignoreFocusOut: true }))?.trim();
  if (answer === undefined || answer === "") return undefined;
  const complete = [...args];
  complete[index] = answer;
  return next(command, complete);
}

// Run from the palette, a person chooses what the memory is about: the server
// offers the places at the cursor as code actions.
async function placeToRemember(): Promise<unknown[] | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    void vscode.window.showInformationMessage("Open the file that the memory is about first.");
    return undefined;
  }
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    "vscode.executeCodeActionProvider",
    editor.document.uri,
    editor.selection,
    rememberKind,
  );
  const items = actions.flatMap(({ title, command }) =>
    command?.command === "manicule.remember" ? [{ label: title.replace(/^Manicule: /, ""), args: command.arguments as unknown[] }] : [],
  );
  return (await vscode.window.showQuickPick(items, { title: "Remember" }))?.args;
}

async function showMemories(command: string, args: unknown[], next: ExecuteCommandSignature): Promise<unknown> {
  const place = args.length > 0 ? args : cursor();
  if (!place) return undefined;
  const result: unknown = await next(command, place);
  const items = entriesOf(result).map((entry) => ({
    label: entry.what,
    description: [entry.type, entry.author, entry.age].filter((part) => part !== "").join(" · "),
    detail: entry.why,
    entry,
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage("There are no memories here.");
    return result;
  }
  const picked = await vscode.window.showQuickPick(items, {
    title: "☞ Memories here",
    placeHolder: "Pick one to open its file",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked) await open(picked.entry);
  return result;
}

async function open(entry: Entry): Promise<void> {
  await vscode.window.showTextDocument(vscode.Uri.parse(entry.uri, true), { preview: true });
}

function cursor(): unknown[] | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { line, character } = editor.selection.active;
  return [editor.document.uri.toString(), { line, character }];
}

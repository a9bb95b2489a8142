// What the extension adds to the server's own commands: questions that only an
// editor can ask, and lists that only an editor can show. The language client
// registers the commands that the server offers; this is its middleware, so
// that no id is registered twice.

import * as vscode from "vscode";
import type { ExecuteCommandSignature } from "vscode-languageclient/node";

import { choicesIn, menuOf, placesOf, writtenOf } from "./answers";
import { conflictOf } from "./candidates";
import { consolidate } from "./consolidate";
import { showError } from "./error";
import { threadKinds } from "./handover";
import { entriesOf } from "./items";
import { meaningOf, nameOf, purposeOf, wordsOf } from "./l10n";
import type { Peek } from "./peek";
import { isOnDisk, noPlace } from "./places";
import { fileTextAt, memoryTypes, nameAt, noteAt, rememberKind, textAt } from "./protocol";
import { type Answers, send, type Typed } from "./typed";
import { type Choice, choicesOf, oneLine } from "./words";

/** Opens the card of a memory; resolves to false if there is no such memory. */
export type OpenCard = (uuid: string, corrects: boolean) => Promise<boolean>;

/** Asks the server. */
export type Request = (method: string, params: object) => Promise<unknown>;

/** What the commands need of the extension. */
export interface Front {
  /** Gets the answer of a command that needs a form. */
  fillIn(answer: unknown): void;
  openCard: OpenCard;
  request: Request;
  readonly typed: Typed;
}

/** Middleware of the language client for the commands that the server offers. */
export function executeCommand(peek: Peek, front: Front) {
  const { typed } = front;
  const request: Request = (method, params) => front.request(method, params);
  return (command: string, args: unknown[], next: ExecuteCommandSignature): vscode.ProviderResult<unknown> => {
    switch (command) {
      case "manicule.remember":
        return remember(command, args, next, request, typed);
      case "manicule.rememberFile":
        return rememberFile(command, args, next, typed);
      case "manicule.disputeMemory":
        return askFor(noteAt, vscode.l10n.t("What is wrong with this memory?"), command, args, next, typed);
      case "manicule.handThread":
        return askFor(nameAt, vscode.l10n.t("Who is to go on with it?"), command, args, next, typed);
      case "manicule.leaveThread":
        return leaveThread(command, args, next, request, typed);
      case "manicule.correctMemory":
      case "manicule.editMemory":
      case "manicule.openMemory":
        return withCard(front, command, args, next);
      case "manicule.resolveConflict":
        return resolveConflict(command, args, next);
      case "manicule.consolidate":
        return consolidate(command, args, next);
      case "manicule.memoryActions":
        return memoryActions(command, args, next);
      case "manicule.showMemories":
        return showMemories(peek, command, args, next);
      default:
        return next(command, args);
    }
  };
}

// A code action passes the document's URI as a string, and a place; a menu passes
// the editor's own arguments, the palette none.
async function remember(command: string, args: unknown[], next: ExecuteCommandSignature, request: Request, typed: Typed): Promise<unknown> {
  if (typeof args[textAt] === "string" && args[textAt] !== "") return next(command, args);
  if (args[0] !== undefined && typeof args[0] === "object" && !(args[0] instanceof vscode.Uri)) return next(command, args);
  const chosen = typeof args[0] === "string" ? { uri: args[0], place: args[1] } : await placeAtCursor(vscode.l10n.t("Remember something about"), request);
  if (!chosen) return undefined;
  const before = typed.get(command);
  const text = await ask(vscode.l10n.t("What should be remembered here?"), typed, command);
  if (text === undefined) return undefined;
  typed.set(command, { ...before, text }); // Escape may follow
  const more = await askMore(before);
  if (!more) return undefined;
  const place = [chosen.uri, chosen.place];
  return undoable(await send(typed, command, place, [...place, text, { ...more, quiet: true }], { text, ...more }, next));
}

/** Says that a memory was written, and takes it back if the person wants. */
function undoable(answer: unknown): unknown {
  const written = writtenOf(answer);
  if (written) offerToForget(written.uuid, written.what).catch(showError);
  return answer;
}

async function offerToForget(uuid: string, what: string): Promise<void> {
  const undo = vscode.l10n.t("Undo");
  const choice = await vscode.window.showInformationMessage(vscode.l10n.t("☞ Remembered: {0}", oneLine(what, 80)), undo);
  if (choice === undo) await vscode.commands.executeCommand("manicule.forgetMemory", uuid);
}

async function rememberFile(command: string, args: unknown[], next: ExecuteCommandSignature, typed: Typed): Promise<unknown> {
  const [first] = args;
  const uri = first instanceof vscode.Uri ? first.toString() : typeof first === "string" ? first : vscode.window.activeTextEditor?.document.uri.toString();
  if (uri === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t("Open the file that the memory is about first."));
    return undefined;
  }
  if (!isOnDisk(vscode.Uri.parse(uri, true))) { // before the person writes a text that would be lost
    void vscode.window.showInformationMessage(noPlace(vscode.Uri.parse(uri, true)));
    return undefined;
  }
  if (typeof args[fileTextAt] === "string" && args[fileTextAt] !== "") return undoable(await next(command, [uri, args[fileTextAt]]));
  const text = await ask(vscode.l10n.t("What should be remembered about {0}?", vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true))), typed, command);
  return text === undefined ? undefined : undoable(await send(typed, command, [uri], [uri, text, { quiet: true }], { text }, next));
}

// Leaves something open for the next session: at the cursor, or for the whole project.
async function leaveThread(command: string, args: unknown[], next: ExecuteCommandSignature, request: Request, typed: Typed): Promise<unknown> {
  if (typeof args[textAt] === "string" && args[textAt] !== "") return next(command, args);
  const title = vscode.l10n.t("Leave something open about");
  const chosen = typeof args[0] === "string" ? { uri: args[0], place: args[1] } : vscode.window.activeTextEditor ? await placeAtCursor(title, request) : {};
  if (!chosen) return undefined;
  const kinds = threadKinds.map((threadKind) => ({ label: nameOf(threadKind), threadKind }));
  const picked = await vscode.window.showQuickPick(kinds, { title: vscode.l10n.t("What is left open?"), ignoreFocusOut: true });
  if (!picked) return undefined;
  const text = await ask(vscode.l10n.t("What should the next session know?"), typed, command);
  if (text === undefined) return undefined;
  const place = chosen.uri === undefined ? [] : [chosen.uri, chosen.place];
  return send(typed, command, place, [chosen.uri ?? null, chosen.place ?? null, text, { kind: picked.threadKind }], { text }, next);
}

// What makes a memory useful besides its text: its type, and the reason.
async function askMore(before?: Answers): Promise<{ type?: string; why?: string } | undefined> {
  const types: (vscode.QuickPickItem & { type?: string })[] = [
    { label: vscode.l10n.t("$(sparkle) by its text"), description: vscode.l10n.t("Manicule chooses") },
    ...memoryTypes.map((type) => ({ label: nameOf(type), description: meaningOf(type), type })),
  ];
  types.sort((a, b) => Number(b.type === before?.type) - Number(a.type === before?.type)); // what Enter takes is the first
  const picked = await vscode.window.showQuickPick(types, { title: vscode.l10n.t("What kind of memory is it?"), matchOnDescription: true, ignoreFocusOut: true });
  if (!picked) return undefined;
  const why = await vscode.window.showInputBox({ title: vscode.l10n.t("Why is it so?"), prompt: vscode.l10n.t("It may stay empty."), value: before?.why ?? "", ignoreFocusOut: true });
  if (why === undefined) return undefined;
  return { ...(picked.type === undefined ? {} : { type: picked.type }), ...(why.trim() === "" ? {} : { why: why.trim() }) };
}

// A memory's card is here. Of what is no memory yet, the server answers with what its card starts from.
async function withCard(front: Front, command: string, args: unknown[], next: ExecuteCommandSignature): Promise<unknown> {
  const [uuid] = args;
  if (args.length === 1 && typeof uuid === "string" && (await front.openCard(uuid, command === "manicule.correctMemory"))) return undefined;
  const answer: unknown = await next(command, args);
  front.fillIn(answer);
  return answer;
}

// Without a choice the server answers with the versions.
async function resolveConflict(command: string, args: unknown[], next: ExecuteCommandSignature): Promise<unknown> {
  const answer: unknown = await next(command, args);
  const conflict = conflictOf(answer);
  if (!conflict) return answer;
  const picked = await vscode.window.showQuickPick<vscode.QuickPickItem & Choice>(choicesOf(conflict, Date.now()), {
    title: conflict.thread
      ? vscode.l10n.t("☞ This thread has {0} versions. What should it say?", conflict.versions.length)
      : vscode.l10n.t("☞ This memory has {0} versions. What should it say?", conflict.versions.length),
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  return picked && next(command, [args[0], picked.resolution]);
}

// Lets the person choose what to do with a memory. What is chosen goes through this middleware again.
async function memoryActions(command: string, args: unknown[], next: ExecuteCommandSignature): Promise<unknown> {
  const menu = menuOf(await next(command, args));
  if (!menu) return undefined;
  const items = choicesIn(menu).map((entry) => ({ label: wordsOf(entry.title), description: purposeOf(entry.command), entry }));
  const picked = await vscode.window.showQuickPick(items, { title: `☞ ${nameOf(menu.type)}`, placeHolder: oneLine(menu.what, 120) });
  return picked && vscode.commands.executeCommand(picked.entry.command, ...picked.entry.arguments);
}

// Asks for an argument unless the caller gave it. Without an answer nothing is done.
async function askFor(index: number, prompt: string, command: string, args: unknown[], next: ExecuteCommandSignature, typed: Typed): Promise<unknown> {
  if (typeof args[index] === "string" && args[index] !== "") return next(command, args);
  const text = await ask(prompt, typed, command);
  if (text === undefined) return undefined;
  const place = args.slice(0, index);
  return send(typed, command, place, [...place, text, { quiet: true }], { text }, next);
}

/** Asks for a command's text, which may be there from before: who empties it is rid of it. undefined if nothing was typed. */
async function ask(prompt: string, typed: Typed, command: string): Promise<string | undefined> {
  const answer = (await vscode.window.showInputBox({ prompt, value: typed.get(command)?.text ?? "", ignoreFocusOut: true }))?.trim();
  if (answer === "") typed.delete(command);
  return answer === "" ? undefined : answer;
}

/**
 * Lets a person choose what at the cursor is meant: the function, the line, the
 * file, the folder. The server offers them as code actions. It alone is asked: others
 * may still be loading.
 */
export async function placeAtCursor(title: string, request: Request): Promise<{ uri: string; place: string } | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    void vscode.window.showInformationMessage(vscode.l10n.t("Open the file that the memory is about first."));
    return undefined;
  }
  const { start, end } = editor.selection;
  const actions = await request("textDocument/codeAction", {
    textDocument: { uri: editor.document.uri.toString() },
    range: { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } },
    context: { diagnostics: [], only: [rememberKind], triggerKind: 1 },
  });
  const items = placesOf(actions).map(({ title, ...place }) => ({ label: aboutOf(title), ...place }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(noPlace(editor.document.uri));
    return undefined;
  }
  return vscode.window.showQuickPick(items, { title });
}

// The server's title says what it would be about: "this method Store.Refresh", "this file".
function aboutOf(title: string): string {
  const about = title.replace(/^Manicule: (remember something about )?/u, "");
  const [, kind, name] = /^this (\w+) (.+)$/u.exec(about) ?? [];
  if (kind === undefined || name === undefined) return wordsOf(about);
  return kind === "folder" ? vscode.l10n.t("this folder {0}", name) : vscode.l10n.t("this {0} {1}", kind, name);
}

async function showMemories(peek: Peek, command: string, args: unknown[], next: ExecuteCommandSignature): Promise<unknown> {
  const place = args.length > 0 ? args : cursor();
  if (!place) return undefined;
  const result: unknown = await next(command, place);
  const entries = entriesOf(result);
  if (entries.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("There are no memories here."));
    return result;
  }
  const [uri, at] = place as [unknown, { line?: unknown; character?: unknown } | undefined];
  if (typeof uri !== "string") return result;
  const line = typeof at?.line === "number" ? at.line : 0;
  const character = typeof at?.character === "number" ? at.character : 0;
  await peek.show(vscode.Uri.parse(uri, true), new vscode.Position(line, character), entries);
  return result;
}

function cursor(): unknown[] | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { line, character } = editor.selection.active;
  return [editor.document.uri.toString(), { line, character }];
}

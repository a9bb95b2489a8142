// Actions on a memory of the side bar: open it, decide about its place, review
// it.

import * as vscode from "vscode";

import type { Server } from "./client";
import { placeAtCursor } from "./commands";
import type { Thread } from "./handover";
import { fullItemOf, type Item, type Place, refOf } from "./items";
import { inClosedCell, isInNotebookFile, reveal } from "./places";
import { requests } from "./protocol";
import type { Store } from "./store";
import { oneLine } from "./words";

/** Opens the code that a memory is about; the memory's own file if there is none. The keyboard may stay where it is. */
export async function openPlace(server: Server, item: Item, preserveFocus = false): Promise<void> {
  if (!item.location) return openFile(item);
  const current = async (): Promise<Place | undefined> => fullItemOf(await server.request(requests.memory, { uuid: item.uuid, folder: item.uri }))?.location;
  // A list may still name the cell of a notebook that was closed since.
  const place = inClosedCell(item.location) ? await current() : item.location;
  if (!place) return openFile(item);
  await reveal(place, false, preserveFocus);
  if (!isInNotebookFile(place)) return undefined;
  // It is open now, and the server knows its cells.
  const cell = await current();
  if (cell && !isInNotebookFile(cell)) await reveal(cell, false, preserveFocus);
  return undefined;
}

/** Opens a memory's own file. */
export async function openFile(item: Item): Promise<void> {
  if (item.uri === "") return;
  await vscode.window.showTextDocument(vscode.Uri.parse(item.uri, true), { preview: true });
}

/** Shows where the code may have gone, and asks whether the memory follows it. */
export async function follow(server: Server, store: Store, item: Item): Promise<void> {
  if (!item.suggestion) return;
  await reveal(item.suggestion.location, true);
  const yes = vscode.l10n.t("Follow");
  const no = vscode.l10n.t("Not This Code");
  const choice = await vscode.window.showInformationMessage(
    vscode.l10n.t("☞ “{0}” lost its code. Is this it now?", oneLine(item.what, 80)),
    yes,
    no,
  );
  if (choice === yes) await decide(server, store, "manicule.followMemory", item, { confirmed: true });
  if (choice === no) await decide(server, store, "manicule.rejectPlace", item);
}

/** Anchors a memory to a place at the cursor, which the person chooses. */
export async function anchorHere(server: Server, store: Store, item: Item): Promise<void> {
  const place = await placeAtCursor(vscode.l10n.t("Anchor “{0}” to", oneLine(item.what, 60)), (method, params) => server.request(method, params));
  if (place) await decide(server, store, "manicule.anchorMemory", item, place.place);
}

/** Runs a command about a memory's anchor: it names the anchor if the server did. */
export async function decide(server: Server, store: Store, command: string, item: Item, ...more: unknown[]): Promise<void> {
  await store.act(() => server.run(command, refOf(item), item.anchor ?? null, ...more));
}

/** Forgets a memory, which a person can undo for 30 days. */
export async function archive(server: Server, store: Store, item: Item): Promise<void> {
  const yes = vscode.l10n.t("Forget");
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t("Forget “{0}”?", oneLine(item.what, 100)),
    { modal: true, detail: vscode.l10n.t("It is no longer shown. Within 30 days, `manicule restore` brings it back.") },
    yes,
  );
  if (choice !== yes) return;
  await store.act(() => server.run("manicule.archiveMemory", refOf(item)));
}

/** Runs a command that takes a memory's UUID alone. */
export async function act(server: Server, store: Store, command: string, item: Item): Promise<void> {
  await store.act(() => server.run(command, refOf(item)));
}

/** Opens the code that a thread is about; without any, the server shows its text. */
export async function openThread(server: Server, thread: Thread): Promise<void> {
  if (thread.location) await reveal(thread.location);
  else await server.run("manicule.showThread", thread.uuid);
}

/** Runs a command that takes a thread's id. */
export async function actOnThread(server: Server, store: Store, command: string, thread: Thread): Promise<void> {
  await store.act(() => server.run(command, thread.uuid));
}

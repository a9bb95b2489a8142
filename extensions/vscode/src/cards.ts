// Cards: a memory or a candidate as a page in an editor's tab, where a person reads,
// edits, corrects and reviews it. Words of the page are in cardpage.ts.

import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import * as vscode from "vscode";

import { correctionStartOf, menuOf, type Menu, isUnchanged, refusalOf } from "./answers";
import { type Candidate, candidatesOf, editStartOf } from "./candidates";
import { actsOf, candidateView, type CardFields, type CardView, changesOf, fieldsOf, memoryView, pageOf } from "./cardpage";
import type { Server } from "./client";
import { showError } from "./error";
import type { History } from "./history";
import { type FullItem, fullItemOf, refOf, type Version, versionsOf } from "./items";
import { openFile, openPlace } from "./memory";
import { requests } from "./protocol";
import { memoryFolder } from "./setup";
import { collected, type Store } from "./store";
import { oneLine } from "./words";

/** How many characters of a memory's text its tab shows. */
const tabTitle = 30;

/** What the pages of candidates do. */
export interface Reviewer {
  accept(candidate: Candidate, fields: CardFields): Promise<string>;
  reject(candidate: Candidate): Promise<boolean>;
}

/** The subject of a card, as it was read last. */
type Subject =
  | { readonly kind: "memory"; readonly item: FullItem; readonly menu: Menu | undefined; readonly versions: readonly Version[]; readonly corrects: boolean }
  | { readonly kind: "candidate"; readonly candidate: Candidate };

/** What a person wrote, and the version of the memory that it was written over; 0 for a candidate. */
interface Draft {
  readonly fields: unknown;
  readonly version: number;
}

/** The open cards, one for each memory. */
export class Cards implements vscode.Disposable {
  private readonly open = new Map<string, Card>();
  /** What a person wrote and did not send yet, by memory: closing a card loses nothing. */
  readonly drafts = new Map<string, Draft>();
  private readonly subscription: vscode.Disposable;
  reviewer: Reviewer | undefined;

  constructor(
    readonly server: Server,
    readonly store: Store,
    readonly history: History,
    readonly media: vscode.Uri,
  ) {
    this.subscription = vscode.Disposable.from(
      // What the server answers to an edit or a correction without a text.
      server.onNeedsForm((answer) => {
        const [correction, candidate] = [correctionStartOf(answer), editStartOf(answer)];
        if (correction) this.show(correction.uuid, true).catch(showError);
        else if (candidate) this.showCandidate(candidate);
      }),
      server.onDidChange(() => {
        for (const card of this.open.values()) void card.refresh();
      }),
    );
  }

  dispose(): void {
    this.subscription.dispose();
    for (const card of this.open.values()) card.panel.dispose();
  }

  /**
   * Opens the card of a memory by its id, which may be the short one; resolves to false if the server knows none. If several folders
   * have it, that of a URI is meant.
   */
  async show(uuid: string, corrects = false, uri = "", preserveFocus = false): Promise<boolean> {
    const subject = await this.read(uuid, corrects, uri);
    if (!subject) return false;
    this.reveal(keyOf(subject), subject, preserveFocus);
    return true;
  }

  /** Opens the card of a candidate. */
  showCandidate(candidate: Candidate): void {
    this.reveal(keyOf({ kind: "candidate", candidate }), { kind: "candidate", candidate });
  }

  /** Reads a memory with what its card shows besides; undefined if there is none. */
  async read(uuid: string, corrects: boolean, uri: string): Promise<Subject | undefined> {
    let item: FullItem | undefined;
    try {
      item = fullItemOf(await this.server.request(requests.memory, { uuid, folder: uri }));
    } catch (error) {
      if (error instanceof Error && error.message.includes("there is no memory")) return undefined;
      throw error; // a server that does not run knows nothing about it
    }
    if (!item) return undefined;
    const [menu, history] = await Promise.all([this.server.run("manicule.memoryActions", refOf(item)), this.server.request(requests.history, { uuid: item.uuid, folder: item.uri })]);
    return { kind: "memory", item, menu: menuOf(menu), versions: versionsOf(history), corrects };
  }

  /** Reads a candidate again; undefined if it no longer waits. */
  async readCandidate(candidate: Candidate): Promise<Subject | undefined> {
    try {
      const [now] = candidatesOf({ candidates: [await this.server.request(requests.candidate, { uuid: candidate.uuid, folder: candidate.folder })] });
      return { kind: "candidate", candidate: now ?? candidate };
    } catch (error) {
      if (error instanceof Error && error.message.includes("waits for review")) return undefined;
      throw error;
    }
  }

  private reveal(key: string, subject: Subject, preserveFocus = false): void {
    const known = this.open.get(key);
    if (known) {
      known.takesFocus = !preserveFocus && (known.takesFocus || !known.panel.visible); // its page is made anew
      known.panel.reveal(undefined, preserveFocus);
      known.show(subject, !preserveFocus);
      return;
    }
    const card = new Card(this, subject, preserveFocus);
    this.open.set(key, card);
    card.panel.onDidDispose(() => this.open.delete(key));
  }
}

class Card {
  readonly panel: vscode.WebviewPanel;
  /**
   * Whether the page, once it is there, takes the keyboard. It must not where it comes to light only
   * because another tab was closed: the person may be typing elsewhere.
   */
  takesFocus: boolean;
  private ready = false;
  private closed = false;
  private reading: Promise<void> = Promise.resolve();
  /** The reading that is to come, and waits for more to be heard of. */
  private coming: Promise<void> | undefined;

  constructor(
    private readonly cards: Cards,
    private subject: Subject,
    preserveFocus: boolean,
  ) {
    this.takesFocus = !preserveFocus;
    this.panel = vscode.window.createWebviewPanel("manicule.card", titleOf(subject), { viewColumn: vscode.ViewColumn.Active, preserveFocus }, { enableScripts: true, localResourceRoots: [cards.media] });
    this.panel.onDidDispose(() => {
      this.closed = true;
    });
    const { webview } = this.panel;
    webview.onDidReceiveMessage((message: unknown) => {
      void this.hear(message);
    });
    const at = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(cards.media, name)).toString();
    webview.html = pageOf(webview.cspSource, at("card.js"), at("card.css"), randomBytes(16).toString("hex"));
  }

  /** Shows a subject, with what the person wrote before. One that was only read again leaves what they write meanwhile, which may be on its way here. */
  show(subject: Subject, focus: boolean, reread = false): void {
    this.subject = subject;
    this.name();
    if (!this.ready || this.closed) return;
    const view = viewOf(subject);
    const outdated = this.draft !== undefined && this.draft.version !== versionOf(subject);
    const warnings = outdated ? [...view.warnings, vscode.l10n.t("It was changed since you wrote this. Discard your changes to see what it says now.")] : view.warnings;
    void this.panel.webview.postMessage({ kind: "show", card: { ...view, warnings }, draft: this.draft?.fields, focus, reread });
  }

  private get draft(): Draft | undefined {
    return this.cards.drafts.get(keyOf(this.subject));
  }

  // A draft stays one of the version over which it was begun, which the server compares.
  private keep(fields: unknown): void {
    const { draft } = this;
    if (fields === undefined) this.cards.drafts.delete(keyOf(this.subject));
    else this.cards.drafts.set(keyOf(this.subject), { fields, version: draft?.version ?? versionOf(this.subject) });
    this.name();
    if (fields === undefined && draft) void this.refresh(); // it may have changed meanwhile
  }

  private name(): void {
    if (this.closed) return;
    this.panel.title = `${this.draft === undefined ? "" : "● "}${titleOf(this.subject)}`;
  }

  /**
   * Reads a memory again that may have changed, once for what is heard of at the same time. What is read already may not have
   * the change, and comes first. What a person is writing stays as they write it.
   */
  refresh(): Promise<void> {
    this.coming ??= this.collect();
    return this.coming;
  }

  private async collect(): Promise<void> {
    await this.reading;
    await delay(collected);
    this.coming = undefined;
    this.reading = this.reread();
    await this.reading;
  }

  private async reread(): Promise<void> {
    const { subject } = this;
    if (!this.waits()) return;
    let next: Subject | undefined;
    try {
      next = subject.kind === "memory" ? await this.cards.read(subject.item.uuid, subject.corrects, subject.item.uri) : await this.cards.readCandidate(subject.candidate);
    } catch {
      return; // the next change reads it again
    }
    // A person began to write, or something else is shown by now: what a save has read is newer.
    if (!this.waits() || this.subject !== subject) return;
    if (next) this.show(next, false, true);
    else this.panel.dispose(); // it was forgotten, or decided about elsewhere
  }

  // Whether nobody is writing on it.
  private waits(): boolean {
    return this.ready && !this.closed && this.draft === undefined;
  }

  private async hear(message: unknown): Promise<void> {
    const { kind, index, fields } = (typeof message === "object" && message !== null ? message : {}) as Record<string, unknown>;
    try {
      switch (kind) {
        case "ready":
          this.ready = true;
          this.show(this.subject, this.takesFocus);
          this.takesFocus = false;
          break;
        case "draft":
          this.keep(fields);
          break;
        case "save":
          await this.save(fieldsOf(fields));
          break;
        case "reject":
          if (this.subject.kind === "candidate" && (await this.cards.reviewer?.reject(this.subject.candidate))) this.panel.dispose();
          break;
        default:
          if (this.subject.kind === "memory") await this.actOn(this.subject, kind, typeof index === "number" ? index : -1);
      }
    } catch (error) {
      this.refuse(error instanceof Error ? error.message : String(error));
    }
  }

  private async actOn(subject: Subject & { kind: "memory" }, kind: unknown, index: number): Promise<void> {
    const { item, menu, versions } = subject;
    switch (kind) {
      case "place":
        await openPlace(this.cards.server, item);
        break;
      case "json":
        await openFile(item);
        break;
      case "toCorrect":
        this.show({ ...subject, corrects: true }, true);
        break;
      case "act": {
        const entry = actsOf(menu)[index];
        if (!entry) return;
        await vscode.commands.executeCommand(entry.command, ...entry.arguments);
        await this.refresh();
        break;
      }
      case "version":
        if (versions[index]) await this.cards.history.compare(item, versions, index);
        break;
    }
  }

  private async save(fields: CardFields): Promise<void> {
    const { subject } = this;
    if (subject.kind === "candidate") {
      const refusal = (await this.cards.reviewer?.accept(subject.candidate, fields)) ?? "";
      if (refusal !== "") {
        this.refuse(refusal);
        return;
      }
      this.keep(undefined);
      this.panel.dispose();
      return;
    }
    const { item, corrects } = subject;
    const changes = { ...changesOf(item, fields), version: this.draft?.version ?? item.version, quiet: true };
    const command = corrects ? "manicule.correctMemory" : "manicule.editMemory";
    const answer = await this.cards.store.act(() => this.cards.server.run(command, refOf(item), corrects ? { ...changes, note: fields.note } : changes));
    const refusal = refusalOf(answer);
    if (refusal !== "") {
      this.refuse(refusal);
      return;
    }
    this.keep(undefined);
    const next = await this.cards.read(item.uuid, false, item.uri);
    if (next) this.show(next, false);
    if (isUnchanged(answer)) return; // no version that an undo could take back
    await offerUndo(item, corrects ? vscode.l10n.t("☞ Corrected") : vscode.l10n.t("☞ Saved"), subject.versions);
  }

  private refuse(reason: string): void {
    if (this.closed) showError(reason); // what was written is there when the card is opened again
    else void this.panel.webview.postMessage({ kind: "refused", reason });
  }
}

// Undo writes the version from before as the next one.
async function offerUndo(item: FullItem, done: string, before: readonly Version[]): Promise<void> {
  const last = before.find(({ current }) => current) ?? before[0];
  const undo = vscode.l10n.t("Undo");
  const choice = await vscode.window.showInformationMessage(`${done}: ${oneLine(item.what, 60)}`, ...(last ? [undo] : []));
  if (choice === undo && last) await vscode.commands.executeCommand("manicule.revertMemory", refOf(item), last.hash);
}

function viewOf(subject: Subject): CardView {
  return subject.kind === "memory" ? memoryView(subject.item, subject.menu, subject.versions, subject.corrects, Date.now()) : candidateView(subject.candidate);
}

function versionOf(subject: Subject): number {
  return subject.kind === "memory" ? subject.item.version : 0;
}

// A memory that several folders have has a card for each. An edit may move its file within the folder.
function keyOf(subject: Subject): string {
  return subject.kind === "memory" ? `${subject.item.uuid} ${subject.item.uri.split(`/${memoryFolder}/`)[0] ?? ""}` : subject.candidate.uuid;
}

function titleOf(subject: Subject): string {
  return `☞ ${oneLine(subject.kind === "memory" ? subject.item.what : subject.candidate.what, tabTitle)}`;
}

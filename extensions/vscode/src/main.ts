// The extension's entry point: wires the parts, holds no logic.

import * as vscode from "vscode";

import { importRules, installModel } from "./begin";
import { type Candidate, candidateRef } from "./candidates";
import { Cards } from "./cards";
import { ServerControl } from "./client";
import { keysOf, needsRestart } from "./config";
import { CoverageMarks, coverageSetting, toggleCoverage } from "./coverage";
import { CurrentLine } from "./currentline";
import { showError } from "./error";
import { Filter } from "./filter";
import type { Thread } from "./handover";
import { History } from "./history";
import { type Item, refOf } from "./items";
import { speak } from "./l10n";
import { MapPanel } from "./map";
import { Margin } from "./margin";
import { act, actOnThread, anchorHere, archive, decide, follow, openFile, openPlace, openThread } from "./memory";
import { attentionLines, type NodeLine } from "./nodes";
import { Peek } from "./peek";
import { Review } from "./review";
import { searchMemories } from "./search";
import { tellOfSessions } from "./sessions";
import { memoryFolder } from "./setup";
import { showMenu, showStatus } from "./status";
import { Store } from "./store";
import { candidatesOf, chooseFilter, chooseGrouping, createViews } from "./views";
import { getStarted, welcome } from "./welcome";

let server: ServerControl | undefined;

/** Called by VS Code once. Does not wait for the server, and so cannot fail with it. */
export function activate(context: vscode.ExtensionContext): void {
  // Of a language that there are no texts of, nothing is said, no time either.
  speak(vscode.l10n.bundle ? vscode.env.language : "en", (text, ...args) => vscode.l10n.t(text, ...args));
  const log = vscode.window.createOutputChannel("Manicule", { log: true });
  const peek = new Peek();
  const control = new ServerControl(context.extensionPath, log, peek, keysOf(context.extension.packageJSON));
  server = control;
  const store = new Store(control, log);
  const history = new History(control);
  const cards = new Cards(control, store, history, vscode.Uri.joinPath(context.extensionUri, "media"));
  const review = new Review(control, store, cards);
  control.openCard = (uuid, corrects) => cards.show(uuid, corrects);
  const map = new MapPanel(control, cards, async () => (await control.find()).command);
  const margin = new Margin(context.extensionUri, store);
  const currentLine = new CurrentLine(store);
  const coverage = new CoverageMarks(control, log);
  const views = createViews(control, store);

  // Show the reason if a command fails; VS Code would show only that it failed.
  const command = (id: string, run: (line: NodeLine | undefined, lines: readonly NodeLine[] | undefined) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(id, async (line?: NodeLine, lines?: readonly NodeLine[]) => {
      try {
        await run(line, lines);
      } catch (error) {
        showError(error);
      }
    });
  const onItem = (id: string, run: (item: Item) => unknown): vscode.Disposable =>
    command(id, (line) => (line?.content.kind === "item" ? run(line.content.item) : undefined));
  const onCandidate = (id: string, run: (candidate: Candidate) => unknown): vscode.Disposable =>
    command(id, (line) => (line?.content.kind === "candidate" ? run(line.content.candidate) : undefined));
  // A button of a line names that line, a menu also the selected ones, and a key none.
  const onCandidates = (id: string, run: (candidates: Candidate[]) => unknown, only: (line: NodeLine) => boolean = () => true): vscode.Disposable =>
    command(id, (line, lines) => {
      const meant = (lines ?? (line ? [line] : views.selectedForReview())).filter(only);
      const candidates = candidatesOf(meant);
      if (candidates.length === 0) return undefined;
      return line ? run(candidates) : views.settling(meant, () => run(candidates));
    });
  // A key of the list of what needs attention names no line. It does what the menu of the selected line offers.
  const onDoubtful = (id: string, offered: (item: Item) => boolean, run: (item: Item) => unknown): vscode.Disposable =>
    command(id, (line) => {
      const meant = line ?? views.selectedForAttention();
      if (meant?.content.kind !== "item") return undefined;
      const { content } = meant;
      if (line) return run(content.item);
      if (offered(content.item)) return views.settling([meant], () => run(content.item));
      void vscode.window.showInformationMessage(settlesHow(content.item));
      return undefined;
    });
  const onThread = (id: string, run: (thread: Thread) => unknown): vscode.Disposable =>
    command(id, (line) => (line?.content.kind === "thread" ? run(line.content.thread) : undefined));

  context.subscriptions.push(
    log,
    control,
    peek,
    store,
    cards,
    map,
    history,
    views.all,
    margin,
    currentLine,
    coverage,
    showStatus(control, store),
    tellOfSessions(control, review),
    command("manicule.restartServer", () => control.restart()),
    command("manicule.showLog", () => {
      log.show();
    }),
    command("manicule.showMenu", () => showMenu(control, store)),
    command("manicule.getStarted", () => getStarted(context.extension)),
    command("manicule.searchMemories", () => {
      searchMemories(control, cards);
    }),
    command("manicule.showMap", () => map.show()),
    command("manicule.toggleCoverage", toggleCoverage),
    command("manicule.importRules", () => importRules(control)),
    command("manicule.installModel", () => installModel(control)),
    command("manicule.groupBy", () => chooseGrouping(store)),
    command("manicule.filterMemories", () => chooseFilter(store)),
    command("manicule.clearFilter", () => {
      store.filter = new Filter();
    }),
    command("manicule.refresh", () => store.refresh()),
    onCandidates("manicule.acceptCandidate", resolvingFirst((candidates) => review.acceptAll(candidates))),
    // Not a card for each of a group.
    onCandidates("manicule.editCandidate", resolvingFirst((candidates) => { review.editAll(candidates); }), ({ content }) => content.kind === "candidate"),
    onCandidates("manicule.rejectCandidate", resolvingFirst((candidates) => review.rejectAll(candidates))),
    onCandidates("manicule.acceptGroup", (candidates) => review.acceptAll(candidates)),
    onCandidates("manicule.rejectGroup", (candidates) => review.rejectAll(candidates)),
    onCandidate("manicule.resolveCandidate", resolve),
    onThread("manicule.openThread", (thread) => openThread(control, thread)),
    onThread("manicule.closeThread", (thread) => actOnThread(control, store, "manicule.threadDone", thread)),
    onThread("manicule.parkThread", (thread) => actOnThread(control, store, "manicule.threadPark", thread)),
    onThread("manicule.openThreadAgain", (thread) => actOnThread(control, store, "manicule.reopenThread", thread)),
    // The middleware asks for the name.
    onThread("manicule.giveThread", (thread) => vscode.commands.executeCommand("manicule.handThread", thread.uuid)),
    command("manicule.openPlace", (line) => {
      if (line?.content.kind !== "item") return undefined;
      const { item } = line.content;
      // Where the list of what needs attention is worked through, its keys go on working.
      const stays = line.id.startsWith(`${attentionLines}:`);
      return item.location ? openPlace(control, item, stays) : cards.show(item.uuid, false, item.uri, stays);
    }),
    onItem("manicule.openCard", (item) => cards.show(item.uuid, false, item.uri)),
    onItem("manicule.openFile", openFile),
    onItem("manicule.showHistory", (item) => history.show(item)),
    onItem("manicule.pinItem", (item) => act(control, store, "manicule.pinMemory", item)),
    onItem("manicule.unpinItem", (item) => act(control, store, "manicule.unpinMemory", item)),
    onItem("manicule.confirmItem", (item) => act(control, store, "manicule.confirmMemory", item)),
    onItem("manicule.dismissItem", (item) => act(control, store, "manicule.dismiss", item)),
    onItem("manicule.correctItem", (item) => cards.show(item.uuid, true, item.uri)),
    // The middleware asks what is wrong.
    onItem("manicule.disputeItem", (item) => vscode.commands.executeCommand("manicule.disputeMemory", refOf(item))),
    onItem("manicule.withdrawItem", (item) => act(control, store, "manicule.withdrawDispute", item)),
    onDoubtful("manicule.stillTrueItem", ({ state }) => state !== "orphaned", (item) => decide(control, store, "manicule.stillTrue", item)),
    onDoubtful("manicule.followItem", ({ suggestion }) => suggestion !== undefined, (item) => follow(control, store, item)),
    onItem("manicule.anchorItem", (item) => anchorHere(control, store, item)),
    onDoubtful("manicule.archiveItem", () => true, (item) => archive(control, store, item)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (needsRestart(event)) void control.restart();
      else if (event.affectsConfiguration(`manicule.${coverageSetting}`)) void coverage.refresh(true);
      else if (["manicule.margin.enabled", "manicule.codeLens.enabled", "editor.codeLens"].some((name) => event.affectsConfiguration(name))) margin.draw();
      else if (event.affectsConfiguration("manicule.currentLine.enabled")) currentLine.draw(vscode.window.activeTextEditor);
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      void control.restart();
      void welcome(context);
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void control.look()),
    vscode.window.onDidChangeWindowState(({ focused }) => (focused ? void control.look() : undefined)),
    watchForMemories(control),
  );
  void control.restart();
  void welcome(context);
}

/** Starts the server when a folder gets its first memories. */
function watchForMemories(control: ServerControl): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(`**/${memoryFolder}/config.toml`, false, true, true);
  return vscode.Disposable.from(
    watcher,
    watcher.onDidCreate(() => void control.look()),
  );
}

/** Called by VS Code when it shuts down; it waits for the promise. */
export function deactivate(): Promise<void> | undefined {
  return server?.close();
}

// What settles a memory where the key that was pressed does not.
function settlesHow({ state, suggestion }: Item): string {
  if (state !== "orphaned") return vscode.l10n.t("No other place is known for its code: t says that it is still true, x forgets it.");
  if (!suggestion) return vscode.l10n.t("Its code is gone: its menu ties it to the place of the cursor, x forgets it.");
  return vscode.l10n.t("Its code is gone: f follows it to where it may be now, its menu ties it to the place of the cursor, x forgets it.");
}

// The middleware lets the person choose a version.
function resolve(candidate: Candidate): Thenable<unknown> {
  return vscode.commands.executeCommand("manicule.resolveConflict", candidateRef(candidate));
}

// What has several versions can be neither accepted nor rejected: whichever key is pressed, a person decides between them.
function resolvingFirst(act: (candidates: readonly Candidate[]) => unknown): (candidates: readonly Candidate[]) => Promise<void> {
  return async (candidates) => {
    for (const candidate of candidates) if (candidate.versions.length > 0) await resolve(candidate);
    const rest = candidates.filter(({ versions }) => versions.length === 0);
    if (rest.length > 0) await act(rest);
  };
}

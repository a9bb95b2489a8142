// What the lines of the side bar's lists are about, and how each looks.

import * as vscode from "vscode";

import type { Candidate, CandidateDetail, Code } from "./candidates";
import type { LogEntry, Thread } from "./handover";
import type { Folder, Group, Item, Part, Place } from "./items";
import { nameOf, wordsOf } from "./l10n";
import type { Line, Outline } from "./lines";
import { startOf } from "./places";
import type { memoryTypes } from "./protocol";
import { pageOfGroup, type Store } from "./store";
import { ago, type Batch, batchDetail, broken, candidateDetail, cardOf, codeLines, detailOf, different, escapeMarkdown, groupDetail, groupIds, itemIds, oneLine, placeOf, threadCard, threadDetail } from "./words";

/** The longest label, in characters. */
const labelLength = 120;

/** How wide a text is that lies open in the side bar as it is at first, in characters: its lines are not broken there. */
const openWidth = 32;

/** How long a text is that a narrow side bar shows in full on its line, in characters. */
const shortText = 32;

/** What the ids of the lines begin with that need attention. */
export const attentionLines = "attention";

/** What a line of a tree is about. */
export type Node =
  | { readonly kind: "group"; readonly group: Group; readonly detail: string; readonly isFile: boolean; /** Its memories are requested when it is opened. */ readonly later: boolean }
  | { readonly kind: "more"; readonly group: string; readonly text: string }
  | { readonly kind: "item"; readonly item: Item }
  | { readonly kind: "batch"; readonly batch: Batch; readonly detail: string }
  | { readonly kind: "candidate"; readonly candidate: Candidate }
  | { readonly kind: "thread"; readonly thread: Thread }
  | { readonly kind: "fact"; readonly text: string; readonly whole: string; readonly icon: string }
  | { readonly kind: "place"; readonly text: string; readonly icon: string; readonly place: Place; readonly code: readonly string[] }
  | { readonly kind: "log"; readonly entry: LogEntry };

/** A line of a tree. What commands of the views get as their argument. */
export type NodeLine = Line<Node>;

export function itemOf(line: NodeLine): vscode.TreeItem {
  const { content } = line;
  switch (content.kind) {
    case "group":
      return groupItem(content);
    case "more":
      return new vscode.TreeItem(content.text, content.group === "" ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed);
    case "item":
      return memoryItem(line, content.item);
    case "batch":
      return batchItem(content);
    case "candidate":
      return candidateItem(content.candidate);
    case "thread":
      return threadItem(line, content.thread);
    case "fact":
      return factItem(content);
    case "place":
      return placeItem(content);
    case "log":
      return logItem(content.entry);
  }
}

/** A line that has nothing below it yet. */
export function lone(id: string, content: Node): NodeLine {
  return { id, content, print: "", below: [] };
}

/** A line whose looks follow from what it is about; more is what they follow from besides, as the time. */
function outline(id: string, content: Node, below: readonly Outline<Node>[] = [], more = ""): Outline<Node> {
  return { id, content, below, print: JSON.stringify([content, more]) };
}

export function groupLines({ filtered: groups, folders, grouping, later }: Store): Outline<Node>[] {
  const ids = groupIds(groups);
  return groups.map((group, index) => {
    const id = ids[index] ?? "";
    const named = group.path === "" ? { ...group, label: wordsOf(group.label) } : group;
    const isFile = grouping === "file" && group.uri !== "" && group.label === group.path;
    const content: Node = { kind: "group", group: named, detail: groupDetail(group, folders), isFile, later };
    return { id, content, below: pages(id, group, 0), print: JSON.stringify([named.label, content.detail, isFile, group.uri, later]) };
  });
}

/** The memories of a group from one on: a page of them, and below one more line those after it. */
function pages(id: string, group: Group, from: number): Outline<Node>[] {
  const lines = itemLines(id, group.items.slice(from, from + pageOfGroup));
  const next = from + pageOfGroup;
  if (lines.length === 0 || group.count <= next) return lines;
  const text = vscode.l10n.t("{0} more", String(group.count - next));
  return [...lines, { id: `${id}:from ${String(next)}`, content: { kind: "more", group: id, text }, below: pages(id, group, next), print: text }];
}

/** What stands below the first of a list that is too long. */
export function rest(list: string, { items, total }: Part<unknown>): Outline<Node>[] {
  return total <= items.length ? [] : [outline(`rest:${list}`, { kind: "more", group: "", text: vscode.l10n.t("{0} more, when these are decided", String(total - items.length)) })];
}

function groupItem({ group, detail, isFile, later }: Node & { kind: "group" }): vscode.TreeItem {
  const line = new vscode.TreeItem(group.label, later ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.Expanded);
  line.description = detail;
  if (!isFile) {
    line.iconPath = new vscode.ThemeIcon("symbol-folder");
    return line;
  }
  // The URI gives the line the icon of its file.
  line.resourceUri = vscode.Uri.parse(group.uri, true);
  line.iconPath = vscode.ThemeIcon.File;
  return line;
}

// A line stays the same line, selected or not, when its memory is written anew.
export function itemLines(below: string, items: readonly Item[]): Outline<Node>[] {
  const ids = itemIds(below, items);
  return items.map((item, index) => outline(ids[index] ?? "", { kind: "item", item }));
}

// One candidate that is alone about its place is no group.
export function batchLines(batch: Batch, folders: readonly Folder[]): Outline<Node>[] {
  const below = batch.candidates.map((candidate) => outline(`candidate:${candidate.uuid}`, { kind: "candidate", candidate }));
  if (below.length < 2) return below;
  const detail = batchDetail(batch, folders);
  return [{ id: `batch:${JSON.stringify([batch.folder, batch.about])}`, content: { kind: "batch", batch, detail }, below, print: detail }];
}

function batchItem({ batch: { about, candidates }, detail }: Node & { kind: "batch" }): vscode.TreeItem {
  const line = new vscode.TreeItem(about === "" ? vscode.l10n.t("whole project") : about, vscode.TreeItemCollapsibleState.Expanded);
  line.description = detail;
  line.iconPath = new vscode.ThemeIcon(about !== "" && candidates[0]?.scope.length === 0 ? "file" : "symbol-folder");
  line.contextValue = "candidates";
  return line;
}

export function tooltipOf(node: Node, now: number): vscode.MarkdownString | undefined {
  switch (node.kind) {
    case "item":
      return new vscode.MarkdownString(cardOf(node.item, now));
    case "thread":
      return new vscode.MarkdownString(threadCard(node.thread, now));
    case "log":
      return new vscode.MarkdownString(escapeMarkdown(`${node.entry.what}\n${vscode.l10n.t("Session {0}", node.entry.session)}`));
    default:
      return undefined;
  }
}

function memoryItem(own: NodeLine, item: Item): vscode.TreeItem {
  const line = new vscode.TreeItem(oneLine(item.what, labelLength));
  line.description = item.reason === "" ? detailOf(item) : `${detailOf(item)} · ${item.reason}`;
  line.iconPath = iconOf(item);
  line.contextValue = contextOf(item);
  line.command = { command: "manicule.openPlace", title: vscode.l10n.t("Open"), arguments: [own] };
  return line;
}

// The context values that the menus' conditions in package.json match.
function contextOf(item: Item): string {
  const words = ["memory", item.pinned ? "pinned" : "unpinned"];
  if (item.state === "stale" || item.state === "drifted" || item.state === "orphaned" || item.state === "followed") words.push("doubtful");
  if (item.state === "orphaned") words.push("lost");
  if (item.suggestion) words.push("suggested");
  if (item.disputed) words.push("disputed");
  return words.join(" ");
}

function candidateItem(candidate: Candidate): vscode.TreeItem {
  const line = new vscode.TreeItem(oneLine(candidate.what, labelLength), vscode.TreeItemCollapsibleState.Collapsed);
  line.description = candidateDetail(candidate);
  line.iconPath = new vscode.ThemeIcon(candidate.tainted ? "unverified" : iconName(candidate.type));
  if (candidate.versions.length > 0) line.iconPath = new vscode.ThemeIcon("git-merge");
  line.contextValue = candidate.versions.length > 0 ? "conflict" : "candidate";
  return line;
}

/** What lies below a candidate: all that it says, why, on what evidence, and where it applies, with the code there. */
export function factsOf(below: string, candidate: Candidate, { folder, code }: CandidateDetail): NodeLine[] {
  const reasons = [...openText(candidate.why, "question"), ...candidate.evidence.flatMap((text) => openText(text, "quote"))];
  const scope = candidate.scope.map((text): Node => ({ kind: "fact", text, whole: text, icon: "symbol-folder" }));
  const files = candidate.paths
    .filter((path) => !candidate.scope.includes(`${path}/**`) && !candidate.scope.includes(path) && !code.some((piece) => piece.path === path))
    .map((path): Node => fileNode(folder, path));
  const more = [...reasons, ...scope, ...code.map(codeNode), ...files];
  // Its own line says a short text in full.
  const facts = more.length > 0 && candidate.what.length <= shortText ? more : [...openText(candidate.what, "note"), ...more];
  return facts.map((node, at) => lone(`${below}:${String(at)}`, node));
}

/** A text in lines that the side bar has room for; the first has an icon, and each says all of it under the pointer. */
function openText(text: string, icon: string): Node[] {
  const lines = text.trim() === "" ? [] : text.trim().split("\n").flatMap((line) => broken(line, openWidth));
  return lines.map((line, at): Node => ({ kind: "fact", text: line, whole: text, icon: at === 0 ? icon : "blank" }));
}

function codeNode(piece: Code): Node {
  return { kind: "place", text: placeOf(piece), icon: "file-code", place: piece.location, code: codeLines(piece) };
}

function fileNode(folder: string, path: string): Node {
  if (folder === "") return { kind: "fact", text: path, whole: path, icon: "file" };
  const start = { line: 0, character: 0 };
  return { kind: "place", text: path, icon: "file", place: { uri: vscode.Uri.joinPath(vscode.Uri.parse(folder, true), path).toString(), range: { start, end: start } }, code: [] };
}

function factItem({ text, whole, icon }: Node & { kind: "fact" }): vscode.TreeItem {
  const line = new vscode.TreeItem(text);
  if (icon !== "") line.iconPath = new vscode.ThemeIcon(icon);
  line.tooltip = whole;
  // A screen reader would say the whole text with each line of it, and no icon.
  const kind = icon === "question" ? vscode.l10n.t("Why: {0}", text) : icon === "quote" ? vscode.l10n.t("Evidence: {0}", text) : text;
  line.accessibilityInformation = { label: kind };
  return line;
}

function placeItem({ text, icon, place, code }: Node & { kind: "place" }): vscode.TreeItem {
  const line = new vscode.TreeItem(text, code.length > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None);
  line.iconPath = new vscode.ThemeIcon(icon);
  line.command = { command: "vscode.open", title: vscode.l10n.t("Open"), arguments: [vscode.Uri.parse(place.uri, true), { selection: startOf(place), preview: true }] };
  return line;
}

export function threadOutline(thread: Thread): Outline<Node> {
  return outline(`thread:${thread.uuid}`, { kind: "thread", thread }, [], ago(thread.updatedAt, Date.now()));
}

function threadItem(own: NodeLine, thread: Thread): vscode.TreeItem {
  const line = new vscode.TreeItem(oneLine(thread.text, labelLength));
  line.description = threadDetail(thread, Date.now());
  line.iconPath = new vscode.ThemeIcon(thread.state === "parked" ? "debug-pause" : (threadIcons[thread.kind] ?? "circle-large-outline"));
  line.contextValue = thread.state === "parked" ? "thread parked" : "thread open";
  line.command = { command: "manicule.openThread", title: vscode.l10n.t("Open"), arguments: [own] };
  return line;
}

const threadIcons: Readonly<Record<string, string>> = { thread: "issues", next_step: "arrow-right", decision: "law", context: "info" };

// An entry has no id of its own: what was said at a time in a session is that entry, and the same again counts up.
export function logLines(log: readonly LogEntry[]): Outline<Node>[] {
  const ids = different(log.map(({ at, session, kind, memory, what }) => `log:${JSON.stringify([at, session, kind, memory, what])}`));
  return log.map((entry, index) => outline(ids[index] ?? "", { kind: "log", entry }, [], ago(entry.at, Date.now())));
}

function logItem(entry: LogEntry): vscode.TreeItem {
  const line = new vscode.TreeItem(oneLine(entry.what, labelLength));
  line.description = [nameOf(entry.kind), entry.agent, ago(entry.at, Date.now())].filter((part) => part !== "").join(" · ");
  line.iconPath = new vscode.ThemeIcon(logIcons[entry.kind] ?? "circle-small");
  if (entry.memory !== "") line.command = { command: "manicule.openMemory", title: vscode.l10n.t("Open"), arguments: [entry.memory] };
  return line;
}

const logIcons: Readonly<Record<string, string>> = { shown: "eye", learned: "lightbulb", written: "edit", ended: "debug-stop" };

/** The icon of a memory: that of its type, in the colour of its state. */
function iconOf(item: Item): vscode.ThemeIcon {
  return new vscode.ThemeIcon(iconName(item.type), colorOf(item));
}

function colorOf(item: Item): vscode.ThemeColor | undefined {
  switch (item.state) {
    case "stale":
    case "orphaned":
      return new vscode.ThemeColor("list.warningForeground");
    case "drifted":
      return new vscode.ThemeColor("editorInfo.foreground");
    default:
      return item.type === "dead_end" ? new vscode.ThemeColor("list.errorForeground") : undefined;
  }
}

const typeIcons: Readonly<Record<string, string>> = {
  gotcha: "alert",
  dead_end: "error",
  decision: "law",
  convention: "checklist",
  pattern: "symbol-structure",
  requirement: "pass",
  preference: "heart",
  error_pattern: "bug",
  module_insight: "lightbulb",
  causal_dependency: "link",
  workflow_recipe: "list-ordered",
} satisfies Record<(typeof memoryTypes)[number], string>;

function iconName(type: string): string {
  return typeIcons[type] ?? "note";
}

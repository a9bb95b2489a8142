// The types of our own requests and notifications, and how they are decoded.
// They mirror the server's packages lsp/panel and lsp/action. No input is trusted
// to have its type: what can't be decoded is left out, so that a server of another
// version shows less instead of failing.

import { t } from "./l10n";

/** Initialization options: what this client does beyond the protocol. */
export const clientAbilities = {
  /** The links of a hover may run commands. */
  commandLinks: true,
  /** The answers of manicule.showMemories and manicule.memoryActions are shown as lists here. */
  clientLists: true,
  /** The editor shows diagnostics above the hover of the same place. */
  diagnosticsInHover: true,
  /** manicule/changed, manicule/sessionEnded and manicule/compacted are handled. */
  extensions: true,
} as const;

/** Requests of the extension to the server. */
export const requests = {
  overview: "manicule/overview",
  tree: "manicule/tree",
  candidates: "manicule/candidates",
  candidate: "manicule/candidate",
  stale: "manicule/stale",
  history: "manicule/history",
  memory: "manicule/memory",
  search: "manicule/search",
  log: "manicule/log",
  threads: "manicule/threads",
  coverage: "manicule/coverage",
  sessionSummary: "manicule/sessionSummary",
} as const;

/** Notifications of the server to the extension. */
export const notifications = {
  changed: "manicule/changed",
  sessionEnded: "manicule/sessionEnded",
  compacted: "manicule/compacted",
} as const;

/** The kind of the code actions that offer to remember something. */
export const rememberKind = "refactor.manicule.remember";

/** Where the text is among the arguments of manicule.remember: URI, place, text, more. */
export const textAt = 2;

/** Where the text is among the arguments of manicule.rememberFile: URI, text. */
export const fileTextAt = 1;

/** Where the note is among the arguments of manicule.disputeMemory: UUID, note. */
export const noteAt = 1;

/** Where the name is among the arguments of manicule.handThread: id, name. */
export const nameAt = 1;

/** The kinds of threads. */
export const threadKinds = ["thread", "next_step", "decision", "context"] as const;

/** The types of memories, the ones that people write most first. */
export const memoryTypes = [
  "gotcha",
  "decision",
  "convention",
  "pattern",
  "requirement",
  "preference",
  "dead_end",
  "error_pattern",
  "module_insight",
  "causal_dependency",
  "workflow_recipe",
] as const;

/** A place in a document, in LSP's units: lines from 0, UTF-16 characters from 0. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface Place {
  readonly uri: string;
  readonly range: Range;
}

/** The state of the code that a memory is about; "" if it is about none. */
export type State = "fresh" | "followed" | "drifted" | "stale" | "orphaned" | "";

/** A memory as lists and trees show it. */
export interface Item {
  readonly uuid: string;
  readonly type: string;
  readonly what: string;
  readonly why: string;
  /** The memory's own file; empty for one that has none. */
  readonly uri: string;
  readonly location: Place | undefined;
  /** Relative to its workspace, with slashes. */
  readonly path: string;
  readonly scope: readonly string[];
  readonly tags: readonly string[];
  readonly state: State;
  /** A sentence about the state. */
  readonly reason: string;
  readonly suggestion: Suggestion | undefined;
  /** The index of the anchor that the state is about, if the server says it. */
  readonly anchor: number | undefined;
  readonly trust: { readonly origin: string; readonly tainted: boolean; readonly verifiedBy: string };
  readonly contributor: string;
  readonly confidence: number;
  readonly pinned: boolean;
  /** The branch that a personal memory belongs to; empty for none. */
  readonly branch: string;
  /** The agent that it is for alone; empty for everybody. */
  readonly owner: string;
  readonly disputed: boolean;
  readonly draft: boolean;
  /** RFC 3339; empty if unknown. */
  readonly updatedAt: string;
}

/** A memory as its card shows it: its texts are as they are in its file. */
export interface FullItem extends Item {
  /** Of a dead end: what works. */
  readonly instead: string;
  /** Of a recipe. */
  readonly steps: readonly string[];
  readonly version: number;
  /** Who disputes it, and what they say instead; the newest first. */
  readonly disputes: readonly { readonly by: string; readonly says: string }[];
}

/** Where the code of a memory may have gone. */
export interface Suggestion {
  readonly location: Place;
  readonly confidence: number;
  /** The code there. */
  readonly preview: string;
}

/** What can be done with a memory: the answer of manicule.memoryActions. */
export interface Menu {
  readonly type: string;
  readonly what: string;
  readonly entries: readonly { readonly title: string; readonly command: string; readonly arguments: readonly unknown[] }[];
}

/** One of several versions of a memory that a merge could not combine. */
export interface ConflictVersion {
  /** From 1, which is what the memory says now. */
  readonly number: number;
  /** The words that tell it from the other versions. */
  readonly label: string;
  readonly type: string;
  readonly what: string;
  readonly why: string;
  readonly author: string;
  /** RFC 3339; empty if unknown. */
  readonly updatedAt: string;
  /** Its author deleted the memory, which said this. */
  readonly deleted: boolean;
}

/** A memory of which a person chooses a version. */
export interface Conflict {
  readonly uuid: string;
  /** Of the memory that was read. */
  readonly version: number;
  /** A shared thread, which keeps one version. */
  readonly thread: boolean;
  readonly versions: readonly ConflictVersion[];
}

/** The second argument of manicule.resolveConflict. */
export interface Resolution {
  readonly keep: number;
  readonly rest: "drop" | "keep" | "supersede";
  readonly version: number;
}

/** A memory that is proposed, or has several versions, and waits for a person's decision. */
export interface Candidate {
  /** The URI of the open folder in which it waits; "" if the server does not say. */
  readonly folder: string;
  readonly uuid: string;
  readonly type: string;
  readonly what: string;
  readonly why: string;
  readonly evidence: readonly string[];
  readonly paths: readonly string[];
  readonly scope: readonly string[];
  readonly confidence: number;
  readonly sessions: number;
  readonly tainted: boolean;
  readonly origin: string;
  /** Of a memory with several versions: its own version, else 0. */
  readonly version: number;
  /** What such a memory may say; empty for a candidate. */
  readonly versions: readonly ConflictVersion[];
}

/** A place that a candidate is about, and how its code begins. */
export interface Code {
  /** Relative to its workspace, with slashes. */
  readonly path: string;
  readonly location: Place;
  readonly text: string;
  /** How many lines of it are left out. */
  readonly more: number;
}

/** What the list of candidates leaves out of each. */
export interface CandidateDetail {
  /** The URI of the folder to which its paths are relative. */
  readonly folder: string;
  readonly code: readonly Code[];
}

/** How much of what changes in a workspace folder has memories. */
export interface Coverage {
  readonly uri: string;
  /** From 0 to 100. */
  readonly score: number;
  readonly folders: readonly { readonly uri: string; readonly path: string; readonly score: number; readonly changes: number; readonly covered: number }[];
  /** Files that change much and have no memory. */
  readonly files: readonly { readonly uri: string; readonly path: string; readonly changes: number }[];
}

export interface Group {
  /** Names it to the server among those of its folder; empty if the server does not say, and then all items are there. */
  readonly id: string;
  readonly label: string;
  /** The URI of the open folder that it is of; empty if the server does not say. */
  readonly folder: string;
  readonly path: string;
  readonly uri: string;
  /** How many memories it has; fewer items where they were left out. */
  readonly count: number;
  readonly items: readonly Item[];
}

/** The first of a list, and how many it has in all. */
export interface Part<T> {
  readonly items: readonly T[];
  readonly total: number;
}

export interface Folder {
  readonly uri: string;
  readonly name: string;
  readonly memories: number;
  readonly candidates: number;
  readonly stale: number;
  readonly orphaned: number;
  readonly invalid: number;
  /** Why its memories can't be opened; empty if they can. */
  readonly error: string;
  readonly index: { readonly state: string; readonly done: number; readonly total: number };
}

export interface Version {
  readonly version: number;
  readonly at: string;
  readonly author: string;
  readonly kind: string;
  readonly note: string;
  readonly current: boolean;
  /** Names the version to the server. */
  readonly hash: string;
  /** The memory's file of that version. */
  readonly text: string;
}

/** An entry of the log of agents' sessions. */
export interface LogEntry {
  readonly at: string;
  readonly session: string;
  readonly agent: string;
  readonly memory: string;
  readonly what: string;
  readonly kind: string;
}

/** What a session has left for the next one. */
export interface Thread {
  readonly uuid: string;
  readonly kind: string;
  readonly state: string;
  readonly text: string;
  readonly why: string;
  /** Why it was parked or reopened. */
  readonly resolution: string;
  readonly owner: string;
  readonly by: string;
  /** Nobody wrote it: it is what a session left undone. */
  readonly observed: boolean;
  /** It may repeat text from outside. */
  readonly tainted: boolean;
  /** It is a file of the repository. */
  readonly shared: boolean;
  readonly branch: string;
  readonly path: string;
  /** Where its code is, if that was found. */
  readonly location: Place | undefined;
  readonly updatedAt: string;
}

/** What to ask about what a session taught, by the trust level of its repository. */
export type Asks = "each" | "all" | "needed" | "none";

export interface SessionEnd {
  readonly session: string;
  readonly agent: string;
  readonly used: number;
  readonly learned: number;
  readonly asks: Asks;
  /** How many of the learned ones should be read before they are accepted. */
  readonly needLook: number;
  readonly balance: Balance;
}

/** What a session was told, in tokens, and what that spared at most. */
export interface Balance {
  readonly tokens: number;
  readonly saved: number;
}

/** A memory in the answer of manicule.showMemories. */
export interface Entry {
  readonly uuid: string;
  readonly type: string;
  readonly what: string;
  readonly why: string;
  readonly author: string;
  readonly age: string;
  /** The memory's own file. */
  readonly uri: string;
}

/** The arguments of manicule.acceptMemory besides the UUID. */
export interface Edits {
  what?: string;
  why?: string;
  type?: string;
  scope?: string[];
}

/**
 * A memory as the first argument of a command. Worktrees of one repository have the same ids: the URI, of the memory's file or of
 * its folder, says which of the open folders is meant.
 */
export function refOf({ uuid, uri }: { readonly uuid: string; readonly uri: string }): string | { uuid: string; uri: string } {
  return uri === "" ? uuid : { uuid, uri };
}

/** {@link refOf} of a candidate. */
export function candidateRef({ uuid, folder }: Candidate): string | { uuid: string; uri: string } {
  return refOf({ uuid, uri: folder });
}

/** Reads the answer of manicule.showMemories. */
export function entriesOf(answer: unknown): Entry[] {
  return records(answer).flatMap((item) => {
    const entry: Entry = {
      uuid: text(item, "uuid"),
      type: text(item, "type"),
      what: text(item, "what"),
      why: text(item, "why"),
      author: text(item, "author"),
      age: text(item, "age"),
      uri: text(item, "uri"),
    };
    return entry.what !== "" && entry.uri !== "" ? [entry] : [];
  });
}

/** Reads the folders of manicule/overview. */
export function foldersOf(answer: unknown): Folder[] {
  return records(member(answer, "folders")).map((folder) => {
    const index = member(folder, "index");
    return {
      uri: text(folder, "uri"),
      name: text(folder, "name"),
      memories: count(folder, "memories"),
      candidates: count(folder, "candidates"),
      stale: count(folder, "stale"),
      orphaned: count(folder, "orphaned"),
      invalid: count(folder, "invalid"),
      error: text(folder, "error"),
      index: { state: text(index, "state"), done: count(index, "done"), total: count(index, "total") },
    };
  });
}

/** Reads the folders of manicule/coverage. */
export function coverageOf(answer: unknown): Coverage[] {
  const changed = (of: unknown): { uri: string; path: string; changes: number } => ({ uri: text(of, "uri"), path: text(of, "path"), changes: count(of, "changes") });
  return records(member(answer, "folders")).map((folder) => ({
    uri: text(folder, "uri"),
    score: count(folder, "score"),
    folders: records(member(folder, "folders"))
      .map((below) => ({ ...changed(below), score: count(below, "score"), covered: count(below, "covered") }))
      .filter(({ uri }) => uri !== ""),
    files: records(member(folder, "files"))
      .map(changed)
      .filter(({ uri }) => uri !== ""),
  }));
}

/** Reads the groups of manicule/tree; those without a memory are left out. */
export function groupsOf(answer: unknown): Group[] {
  return records(member(answer, "groups")).flatMap((group) => {
    const items = itemsOf(group);
    const number = Math.max(count(group, "count"), items.length);
    return number === 0 ? [] : [{ id: text(group, "id"), label: text(group, "label"), folder: text(group, "folder"), path: text(group, "path"), uri: text(group, "uri"), count: number, items }];
  });
}

/** Reads the items of an answer, or of one group. */
export function itemsOf(answer: unknown): Item[] {
  return records(member(answer, "items")).flatMap((item) => {
    const uuid = text(item, "uuid");
    const trust = member(item, "trust");
    const anchor = member(item, "anchor");
    return uuid === ""
      ? []
      : [
          {
            uuid,
            type: text(item, "type"),
            what: text(item, "what"),
            why: text(item, "why"),
            uri: text(item, "uri"),
            location: placeOf(member(item, "location")),
            path: text(item, "path"),
            scope: texts(item, "scope"),
            tags: texts(item, "tags"),
            state: stateOf(text(item, "state")),
            reason: text(item, "reason"),
            suggestion: suggestionOf(member(item, "suggestion")),
            anchor: typeof anchor === "number" ? anchor : undefined,
            trust: { origin: text(trust, "origin"), tainted: flag(trust, "tainted"), verifiedBy: text(trust, "verifiedBy") },
            contributor: text(item, "contributor"),
            confidence: count(item, "confidence"),
            pinned: flag(item, "pinned"),
            branch: text(item, "branch"),
            owner: text(item, "owner"),
            disputed: flag(item, "disputed"),
            draft: flag(item, "draft"),
            updatedAt: text(item, "updatedAt"),
          },
        ];
  });
}

/** Reads the answer of manicule/memory; undefined if it is none. */
export function fullItemOf(answer: unknown): FullItem | undefined {
  const [item] = itemsOf({ items: [answer] });
  return item && { ...item, instead: text(answer, "instead"), steps: texts(answer, "steps"), version: count(answer, "version"), disputes: records(member(answer, "disputes")).map((view) => ({ by: text(view, "by"), says: text(view, "says") })) };
}

/** Reads code actions: the places about which something can be remembered. */
export function placesOf(answer: unknown): { readonly title: string; readonly uri: string; readonly place: string }[] {
  return records(answer).flatMap((action) => {
    const command = member(action, "command");
    const found = member(command, "arguments");
    const [uri, place] = (Array.isArray(found) ? found : []) as unknown[];
    if (text(command, "command") !== "manicule.remember" || typeof uri !== "string" || typeof place !== "string") return [];
    return [{ title: text(action, "title"), uri, place }];
  });
}

/** The first of a list, with the total that a server says that was given a limit. */
function partOf<T>(answer: unknown, items: readonly T[]): Part<T> {
  return { items, total: Math.max(count(answer, "total"), items.length) };
}

/** Reads the answer of manicule/stale with a limit. */
export function firstItemsOf(answer: unknown): Part<Item> {
  return partOf(answer, itemsOf(answer));
}

/** Reads the answer of manicule/candidates with a limit. */
export function firstCandidatesOf(answer: unknown): Part<Candidate> {
  return partOf(answer, candidatesOf(answer));
}

/** Reads the answer of manicule/threads with a limit; *open* counts those that are not parked. */
export function firstThreadsOf(answer: unknown): Part<Thread> & { readonly open: number } {
  const items = threadsOf(answer);
  return { ...partOf(answer, items), open: Math.max(count(answer, "open"), items.filter(({ state }) => state === "open").length) };
}

/** Reads the answer of manicule/candidates. */
export function candidatesOf(answer: unknown): Candidate[] {
  return records(member(answer, "candidates")).flatMap((item) => {
    const uuid = text(item, "uuid");
    return uuid === ""
      ? []
      : [
          {
            folder: text(item, "folder"),
            uuid,
            type: text(item, "type"),
            what: text(item, "what"),
            why: text(item, "why"),
            evidence: texts(item, "evidence"),
            paths: texts(item, "paths"),
            scope: texts(item, "scope"),
            confidence: count(item, "confidence"),
            sessions: count(item, "sessions"),
            tainted: flag(item, "tainted"),
            origin: text(item, "origin"),
            version: count(item, "version"),
            versions: conflictVersionsOf(item),
          },
        ];
  });
}

/** Reads the answer of manicule/candidate. */
export function candidateDetailOf(answer: unknown): CandidateDetail {
  const code = records(member(answer, "code")).flatMap((piece) => {
    const location = placeOf(member(piece, "location"));
    return location ? [{ path: text(piece, "path"), location, text: text(piece, "text"), more: count(piece, "more") }] : [];
  });
  return { folder: text(answer, "folder"), code };
}

function conflictVersionsOf(value: unknown): ConflictVersion[] {
  return records(member(value, "versions")).map((item) => ({
    number: count(item, "number"),
    label: text(item, "label"),
    type: text(item, "type"),
    what: text(item, "what"),
    why: text(item, "why"),
    author: text(item, "author"),
    updatedAt: text(item, "updatedAt"),
    deleted: flag(item, "deleted"),
  }));
}

/** Reads the answer of a manicule.resolveConflict without a choice; undefined for any other answer. */
export function conflictOf(answer: unknown): Conflict | undefined {
  const uuid = text(answer, "uuid");
  const versions = conflictVersionsOf(answer);
  return flag(answer, "needsResolution") && uuid !== "" && versions.length > 1 ? { uuid, version: count(answer, "version"), thread: flag(answer, "thread"), versions } : undefined;
}

/** Reads the answer of manicule.memoryActions; undefined if nothing can be done. */
export function menuOf(answer: unknown): Menu | undefined {
  const entries = records(member(answer, "entries"))
    .map((item) => ({ title: text(item, "title"), command: text(item, "command"), arguments: list(item, "arguments") }))
    .filter(({ command }) => command.startsWith("manicule."));
  return entries.length > 0 ? { type: text(answer, "type"), what: text(answer, "what"), entries } : undefined;
}

/** The entries that a person chooses from: to open a memory and to edit it is one card, and of a candidate there is only the second. */
export function choicesIn({ entries }: Menu): Menu["entries"] {
  const opens = entries.some(({ command }) => command === "manicule.openMemory");
  return entries.filter(({ command }) => !opens || command !== "manicule.editMemory");
}

/** Reads the answer of manicule/history, newest first. */
export function versionsOf(answer: unknown): Version[] {
  return records(member(answer, "versions")).map((item) => ({
    version: count(item, "version"),
    at: text(item, "at"),
    author: text(item, "author"),
    kind: text(item, "kind"),
    note: text(item, "note"),
    current: flag(item, "current"),
    hash: text(item, "hash"),
    text: text(item, "text"),
  }));
}

/** Reads the answer of manicule/log, newest first. */
export function logOf(answer: unknown): LogEntry[] {
  return records(member(answer, "entries")).map((item) => ({
    at: text(item, "at"),
    session: text(item, "session"),
    agent: text(item, "agent"),
    memory: text(item, "memory"),
    what: text(item, "what"),
    kind: text(item, "kind"),
  }));
}

/** Reads the answer of manicule/threads: open ones first, then parked ones. */
export function threadsOf(answer: unknown): Thread[] {
  return records(member(answer, "threads")).map((item) => ({
    uuid: text(item, "uuid"),
    kind: text(item, "kind"),
    state: text(item, "state"),
    text: text(item, "text"),
    why: text(item, "why"),
    resolution: text(item, "resolution"),
    owner: text(item, "owner"),
    by: text(item, "by"),
    observed: flag(item, "observed"),
    shared: flag(item, "shared"),
    tainted: flag(item, "tainted"),
    branch: text(item, "branch"),
    path: text(item, "path"),
    location: placeOf(member(item, "location")),
    updatedAt: text(item, "updatedAt"),
  }));
}

/** A memory that a search found. */
export interface Found {
  readonly uuid: string;
  readonly type: string;
  readonly what: string;
  readonly why: string;
  readonly file: string;
  readonly score: number;
  readonly scope: readonly string[];
}

/** Reads the answer of manicule/search, the best of all workspaces first. */
export function foundOf(answer: unknown): Found[] {
  const found = records(answer).flatMap((workspace) =>
    records(member(workspace, "hits")).map((hit) => {
      const memory = member(hit, "memory");
      return {
        uuid: text(memory, "uuid"),
        type: text(memory, "type"),
        what: text(memory, "what"),
        why: text(memory, "why"),
        file: text(hit, "file"),
        score: count(hit, "score"),
        scope: texts(memory, "scope"),
      };
    }),
  );
  return found.filter(({ file, what }) => file !== "" && what !== "").sort((a, b) => b.score - a.score);
}

/** Memories that say the same, as manicule.consolidate finds them. */
export interface SameGroup {
  readonly id: string;
  /** The text of the memory that stays. */
  readonly kept: string;
  /** The texts of those that would be archived. */
  readonly others: string[];
  /** What the one that stays gets from them: the name of each field and what it becomes. */
  readonly adds: string[];
}

/** What manicule.consolidate answers, of all workspaces. */
export interface Consolidation {
  readonly groups: SameGroup[];
  /** How many groups were merged. */
  readonly merged: number;
  /** Why groups could not be merged, or nothing was compared. */
  readonly problems: string[];
  /** Whether nothing was compared because there is no model. */
  readonly needsModel: boolean;
}

/** Reads the answer of manicule.consolidate. */
export function consolidationOf(answer: unknown): Consolidation {
  const folders = records(member(answer, "folders"));
  return {
    groups: folders.flatMap((folder) =>
      records(member(folder, "clusters")).map((group) => ({
        id: text(group, "id"),
        kept: text(member(group, "kept"), "what"),
        others: records(member(group, "others")).map((other) => text(other, "what")),
        adds: records(member(group, "adds")).map((field) => `${text(field, "name")}: ${text(field, "new")}`),
      })),
    ).filter(({ id, others }) => id !== "" && others.length > 0),
    merged: folders.reduce((sum, folder) => sum + records(member(folder, "merged")).length, 0),
    needsModel: folders.some((folder) => text(folder, "unavailable") !== ""),
    problems: [
      ...folders.map((folder) => [text(folder, "unavailable"), text(folder, "hint")].filter((part) => part !== "").join(". ")),
      ...folders.flatMap((folder) => records(member(folder, "failed")).map((failed) => text(failed, "reason"))),
    ].filter((problem) => problem !== ""),
  };
}

/** Reads the answer of manicule/sessionSummary. */
export function sessionSummaryOf(answer: unknown): { used: Item[]; learned: Candidate[]; balance: Balance } {
  return {
    used: itemsOf({ items: member(answer, "used") }),
    learned: candidatesOf({ candidates: member(answer, "learned") }),
    balance: balanceOf(answer),
  };
}

/** Reads the parameters of manicule/sessionEnded. */
export function sessionEndOf(params: unknown): SessionEnd {
  const asks = text(params, "asks");
  return {
    session: text(params, "session"),
    agent: text(params, "agent"),
    used: count(params, "used"),
    learned: count(params, "learned"),
    asks: asks === "each" || asks === "needed" || asks === "none" ? asks : "all",
    needLook: count(params, "needLook"),
    balance: balanceOf(params),
  };
}

function balanceOf(value: unknown): Balance {
  return { tokens: count(value, "tokens"), saved: count(value, "saved") };
}

/** Reads the answer of manicule.acceptSession. */
export function sessionAcceptedOf(answer: unknown): { accepted: number; left: number } {
  return { accepted: count(answer, "accepted"), left: count(answer, "left") };
}

/** The agent that manicule/compacted is about. */
export function agentOf(params: unknown): string {
  return text(params, "agent") || t("an agent");
}

/** The memory that a person wants to correct. */
export interface CorrectionStart {
  readonly uuid: string;
}

/** Reads the answer of a manicule.correctMemory without changes; undefined for any other answer. */
export function correctionStartOf(answer: unknown): CorrectionStart | undefined {
  const uuid = text(answer, "uuid");
  if (!flag(answer, "needsCorrection") || uuid === "") return undefined;
  return { uuid };
}

/** Reads the answer of a manicule.editMemory of a candidate without changes; undefined for any other answer. */
export function editStartOf(answer: unknown): Candidate | undefined {
  return flag(answer, "needsEdit") ? candidatesOf({ candidates: [answer] })[0] : undefined;
}

/** Whether a command was not run because its text is missing. */
export function needsText(answer: unknown): boolean {
  return flag(answer, "needsText");
}

/** Why a write was not stored; "" if it was. */
export function refusalOf(answer: unknown): string {
  if (!isRecord(answer) || answer["accepted"] !== false || flag(answer, "draft")) return "";
  return text(answer, "reason") || t("it was not stored");
}

/** Whether an edit changed nothing: no version was written. */
export function isUnchanged(answer: unknown): boolean {
  return text(answer, "code") === "unchanged";
}

/** What an import of rule files did or would do. */
export interface Import {
  readonly added: number;
  readonly known: number;
  /** The files with what is new in them, and how much that is. */
  readonly files: readonly (readonly [name: string, count: number])[];
}

/** Reads the answer of `manicule import --json`. */
export function importOf(answer: unknown): Import {
  const files = new Map<string, number>();
  for (const rule of records(member(answer, "rules"))) {
    if (text(rule, "result") === "new") files.set(text(rule, "from"), (files.get(text(rule, "from")) ?? 0) + 1);
  }
  return { added: count(answer, "new"), known: count(answer, "known"), files: [...files] };
}

/** Reads the answer of `manicule model install --json`. */
export function installOf(answer: unknown): { readonly model: string; readonly embedded: number } {
  return { model: text(answer, "model"), embedded: count(answer, "embedded") };
}

/** Why a command of the program failed, from its answer with --json; "" if it does not say. */
export function failureOf(answer: unknown): string {
  return [text(answer, "error"), text(answer, "hint")].filter((part) => part !== "").join(". ");
}

/** Whether manicule.takeBackReview can take back what was decided about a candidate. */
export function canUndo(answer: unknown): boolean {
  return flag(answer, "undo");
}

/** The memory that a command wrote as a new one; undefined if it was merged into another one, waits for review, or was refused. */
export function writtenOf(answer: unknown): { readonly uuid: string; readonly what: string } | undefined {
  const memory = member(answer, "memory");
  const uuid = text(memory, "uuid");
  if (!flag(answer, "accepted") || flag(answer, "draft") || flag(answer, "deduped") || text(answer, "merged_into") !== "" || uuid === "") return undefined;
  return { uuid, what: text(memory, "what") };
}

function suggestionOf(value: unknown): Suggestion | undefined {
  const location = placeOf(member(value, "location"));
  return location && { location, confidence: count(value, "confidence"), preview: text(value, "preview") };
}

function placeOf(value: unknown): Place | undefined {
  const uri = text(value, "uri");
  const range = member(value, "range");
  const start = positionOf(member(range, "start"));
  const end = positionOf(member(range, "end"));
  return uri !== "" && start && end ? { uri, range: { start, end } } : undefined;
}

function positionOf(value: unknown): Position | undefined {
  const line = member(value, "line");
  const character = member(value, "character");
  return typeof line === "number" && typeof character === "number" ? { line, character } : undefined;
}

function stateOf(name: string): State {
  switch (name) {
    case "fresh":
    case "followed":
    case "drifted":
    case "stale":
    case "orphaned":
      return name;
    default:
      return "";
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function list(value: unknown, name: string): unknown[] {
  const found = member(value, name);
  return Array.isArray(found) ? found : [];
}

function member(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function text(value: unknown, name: string): string {
  const found = member(value, name);
  return typeof found === "string" ? found : "";
}

// A scope may be one pattern instead of a list.
function texts(value: unknown, name: string): string[] {
  const found = member(value, name);
  if (typeof found === "string") return [found];
  return Array.isArray(found) ? found.filter((entry) => typeof entry === "string") : [];
}

function count(value: unknown, name: string): number {
  const found = member(value, name);
  return typeof found === "number" ? found : 0;
}

function flag(value: unknown, name: string): boolean {
  return member(value, name) === true;
}

// Memories as lists, trees and cards show them, and how the server's answers are read.
// They mirror the server's package lsp/panel.

import { count, flag, member, records, text, texts } from "./decode";

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

/**
 * A memory as the first argument of a command. Worktrees of one repository have the same ids: the URI, of the memory's file or of
 * its folder, says which of the open folders is meant.
 */
export function refOf({ uuid, uri }: { readonly uuid: string; readonly uri: string }): string | { uuid: string; uri: string } {
  return uri === "" ? uuid : { uuid, uri };
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

/** The first of a list, with the total that a server says that was given a limit. */
export function partOf<T>(answer: unknown, items: readonly T[]): Part<T> {
  return { items, total: Math.max(count(answer, "total"), items.length) };
}

/** Reads the answer of manicule/stale with a limit. */
export function firstItemsOf(answer: unknown): Part<Item> {
  return partOf(answer, itemsOf(answer));
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

function suggestionOf(value: unknown): Suggestion | undefined {
  const location = placeOf(member(value, "location"));
  return location && { location, confidence: count(value, "confidence"), preview: text(value, "preview") };
}

export function placeOf(value: unknown): Place | undefined {
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

// What waits for a person's decision: candidates, and memories of which a merge kept
// several versions.

import { count, flag, member, records, text, texts } from "./decode";
import { type Part, partOf, type Place, placeOf, refOf } from "./items";

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

/** The arguments of manicule.acceptMemory besides the UUID. */
export interface Edits {
  what?: string;
  why?: string;
  type?: string;
  scope?: string[];
}

/** {@link refOf} of a candidate. */
export function candidateRef({ uuid, folder }: Candidate): string | { uuid: string; uri: string } {
  return refOf({ uuid, uri: folder });
}

/** Reads the answer of manicule/candidates with a limit. */
export function firstCandidatesOf(answer: unknown): Part<Candidate> {
  return partOf(answer, candidatesOf(answer));
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

/** Reads the answer of a manicule.editMemory of a candidate without changes; undefined for any other answer. */
export function editStartOf(answer: unknown): Candidate | undefined {
  return flag(answer, "needsEdit") ? candidatesOf({ candidates: [answer] })[0] : undefined;
}

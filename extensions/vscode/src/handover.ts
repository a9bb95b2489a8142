// What sessions of agents were shown, learned and left for the next one.

import { type Candidate, candidatesOf } from "./candidates";
import { count, flag, member, records, text } from "./decode";
import { type Item, itemsOf, type Part, type Place, placeOf, partOf } from "./items";
import { t } from "./l10n";

/** The kinds of threads. */
export const threadKinds = ["thread", "next_step", "decision", "context"] as const;

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

/** Reads the answer of manicule/threads with a limit; *open* counts those that are not parked. */
export function firstThreadsOf(answer: unknown): Part<Thread> & { readonly open: number } {
  const items = threadsOf(answer);
  return { ...partOf(answer, items), open: Math.max(count(answer, "open"), items.filter(({ state }) => state === "open").length) };
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

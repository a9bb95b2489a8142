// The names of our own requests, notifications and arguments. They mirror the server's
// packages lsp/panel and lsp/action.

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

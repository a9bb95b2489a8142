// walk_words.mjs: what the person of walk.sh says, the same on every surface, and what
// the memories of its workspace say.

export const words = {
  what: "The id of a token is never empty",
  why: "The gateway checks it",
  wrong: "A cache in front of Validate kept revoked tokens alive",
  right: "A cache in front of Validate kept revoked tokens alive for an hour",
  more: " for an hour", // where the text from before is there
  note: "They did run out",
  accepted: "Sessions are never kept in the browser",
  edited: "Reports are run on the first of a month, at night",
  later: ", at night",
  reason: "says nothing",
  mine: "Amounts are in cents",
  theirs: "Amounts are in cents, also in exports",
  drifted: "Totals leave out returns",
  moved: "A discount is never more than the price",
};

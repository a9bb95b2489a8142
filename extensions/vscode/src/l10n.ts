// The extension's texts in the person's language, for the modules that must not know VS Code:
// main.ts gives them VS Code's own function. Without it, as in tests, they are English.

type Argument = string | number;

/** Says a text, whose {0}, {1} and so on are the arguments. */
export type Translate = (text: string, ...args: Argument[]) => string;

const asIs: Translate = (text, ...args) => text.replace(/\{(\d+)\}/gu, (place, index) => String(args[Number(index)] ?? place));

let translate = asIs;
let names: ReadonlyMap<string, string> | undefined;
let spoken = "en";
let times = new Intl.RelativeTimeFormat(spoken, { numeric: "always" });

/** From now on, texts are in a language. */
export function speak(language: string, how: Translate): void {
  translate = how;
  spoken = language;
  names = undefined;
  times = new Intl.RelativeTimeFormat(spoken, { numeric: "always" });
}

/** The language that texts are in. */
export function language(): string {
  return spoken;
}

/** A text in the person's language. l10n/bundle.l10n.de.json has its German. */
export function t(text: string, ...args: Argument[]): string {
  return translate(text, ...args);
}

/** One of two texts, by a number: "1 memory", "2 memories". */
export function counted(n: number, one: string, more: string): string {
  return n === 1 ? one : more;
}

/** How long ago: "2 days ago". */
export function timeAgo(n: number, unit: Intl.RelativeTimeFormatUnit): string {
  return times.format(-n, unit);
}

/** What the server calls by an id; what is not known is said in the words of the id. */
export function nameOf(id: string): string {
  return lookUp(id) ?? id.replaceAll("_", " ");
}

/** What a memory of a type says, in a few words; "" if nobody has said it. */
export function meaningOf(type: string): string {
  switch (type) {
    case "gotcha":
      return t("what surprises here");
    case "decision":
      return t("what was chosen, and against what");
    case "convention":
      return t("how it is done here");
    case "pattern":
      return t("a solution that returns");
    case "requirement":
      return t("what must hold");
    case "preference":
      return t("how somebody wants it");
    case "dead_end":
      return t("what was tried and failed");
    case "error_pattern":
      return t("an error's text, its cause and fix");
    case "module_insight":
      return t("what a part is for, and how it works");
    case "causal_dependency":
      return t("what changes together");
    case "workflow_recipe":
      return t("the steps of a task");
    default:
      return "";
  }
}

/** What an act on a memory is for, where its name does not say it. */
export function purposeOf(command: string): string {
  switch (command) {
    case "manicule.openMemory":
      return t("to read, change or trace it");
    case "manicule.correctMemory":
      return t("it was wrong, and you know what is right");
    case "manicule.disputeMemory":
      return t("it is wrong");
    case "manicule.confirmMemory":
      return t("it is true");
    case "manicule.forgetMemory":
      return t("for everybody; to be restored for 30 days");
    default:
      return "";
  }
}

/** What the server says in English words, as the title of an act; what is not known, such as a path, stays as it is. */
export function wordsOf(text: string): string {
  return lookUp(text) ?? lookUp(text.replaceAll(" ", "_")) ?? text;
}

function lookUp(id: string): string | undefined {
  names ??= new Map(known());
  return names.get(id);
}

function known(): (readonly [string, string])[] {
  return [
    // types of memories
    ["gotcha", t("gotcha")],
    ["decision", t("decision")],
    ["convention", t("convention")],
    ["pattern", t("pattern")],
    ["requirement", t("requirement")],
    ["preference", t("preference")],
    ["dead_end", t("dead end")],
    ["error_pattern", t("error pattern")],
    ["module_insight", t("module insight")],
    ["causal_dependency", t("causal dependency")],
    ["workflow_recipe", t("workflow recipe")],
    // kinds of threads
    ["thread", t("thread")],
    ["next_step", t("next step")],
    ["context", t("context")],
    // groups of memories
    ["whole project", t("whole project")],
    ["without an anchor", t("without an anchor")],
    // states
    ["fresh", t("fresh")],
    ["followed", t("followed")],
    ["drifted", t("drifted")],
    ["stale", t("stale")],
    ["orphaned", t("orphaned")],
    // where a memory comes from
    ["user_taught", t("taught by a person")],
    ["agent_explicit", t("written by an agent")],
    ["qa_auto", t("from a test run")],
    ["mcp_auto", t("from an agent's tool")],
    ["commit_auto", t("from a commit")],
    ["observer_inferred", t("inferred from sessions")],
    ["from_git_not_reviewed_here", t("from git, not reviewed here")],
    ["not_stated", t("not stated")],
    ["written_as_a_draft", t("written as a draft")],
    // what a version was made for
    ["create", t("create")],
    ["edit", t("edit")],
    ["import", t("import")],
    ["verify", t("verify")],
    ["dispute", t("dispute")],
    ["deprecate", t("deprecate")],
    ["undeprecate", t("undeprecate")],
    ["correct", t("correct")],
    ["pin", t("pin")],
    ["restore", t("restore")],
    ["merge", t("merge")],
    ["resolve", t("resolve")],
    ["promote", t("promote")],
    // what happened in a session
    ["shown", t("shown")],
    ["learned", t("learned")],
    ["written", t("written")],
    ["ended", t("ended")],
    // what can be done with a memory
    ["Accept", t("Accept")],
    ["Reject", t("Reject")],
    ["Open", t("Open")],
    ["Edit", t("Edit")],
    ["Pin", t("Pin")],
    ["Unpin", t("Unpin")],
    ["Confirm", t("Confirm")],
    ["Correct", t("Correct")],
    ["Dispute", t("Dispute")],
    ["Withdraw your dispute", t("Withdraw your dispute")],
    ["Decide between its versions", t("Decide between its versions")],
    ["Forget", t("Forget")],
    ["Don't show here", t("Don't show here")],
    ["Show here again", t("Show here again")],
    // what a new memory may be about
    ["this line", t("this line")],
    ["these lines", t("these lines")],
    ["this file", t("this file")],
  ];
}

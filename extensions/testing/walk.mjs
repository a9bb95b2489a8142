// walk.mjs shell|tui|neovim: what walk.sh says, in a terminal. $MANICULE_WALK_SHOP is the
// workspace, $MANICULE_BIN the program, $MANICULE_WALK_NVIM an editor; pictures go into
// $MANICULE_PICTURES. Ends with 1 at the first thing that is not as it should be.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { words } from "./walk_words.mjs";

const [surface] = process.argv.slice(2);
const { MANICULE_WALK_SHOP: shop, MANICULE_BIN: program, MANICULE_WALK_NVIM: nvim, MANICULE_PICTURES: pictures } = process.env;
const here = dirname(fileURLToPath(import.meta.url));

const tmux = (...args) => spawnSync("tmux", ["-L", `manicule-walk-${process.pid}`, "-f", "/dev/null", ...args], { encoding: "utf8" }).stdout;

/** Ends the walk. */
function fail(why) {
  console.log(`FAIL ${surface}, ${task}: ${why}\n${screen()}`);
  tmux("kill-server");
  process.exit(1);
}

let task = "start", steps = 0, keys = 0, said = 0;

const screen = () => tmux("capture-pane", "-p", "-J");

/** Waits until the terminal shows a text, or no longer shows it. */
async function until(text, gone = false) {
  for (let tries = 0; tries < 200; tries++) {
    const shown = typeof text === "string" ? screen().includes(text) : text.test(screen());
    if (shown !== gone) return;
    await pause(50);
  }
  fail(`the terminal ${gone ? "still shows" : "never showed"} ${text}`);
}

/** The same for what is read and answered: a step. */
async function sees(text) {
  await until(text);
  steps++;
}

/** Waits until the shell asks for a command again. */
const prompt = () => until(/\$\s*$/);

/** Presses keys, by their names for tmux. */
function press(...names) {
  for (const name of names) tmux("send-keys", name);
  keys += names.length;
}

/** Types what a command or a search needs: each character is a key. */
function type(text) {
  tmux("send-keys", "-l", "--", text);
  keys += text.length;
}

/** Types what only the person knows. */
function say(text) {
  tmux("send-keys", "-l", "--", text);
  said += text.length;
}

function begin(name) {
  [task, steps, keys, said] = [name, 0, 0, 0];
}

/** The memory files, read. */
function memories() {
  const root = join(shop, ".manicule", "memories");
  return readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".json")).flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(join(root, name), "utf8"))];
    } catch {
      return []; // it is being written
    }
  });
}

/** Waits until the memories are as a task wants them, and prints its row. */
async function done(holds) {
  for (let tries = 0; tries < 200 && !holds(memories()); tries++) await pause(50);
  if (!holds(memories())) fail("the memories are not as they should be");
  console.log([surface.padEnd(8), task.padEnd(9), `${steps} steps`.padStart(9), `${keys} keys`.padStart(9), "0 clicks".padStart(9), `${said} words`.padStart(10)].join(" "));
}

/** A picture of the terminal. */
async function picture(name) {
  if (!pictures) return;
  await pause(200); // a cursor or a message may still be drawn
  const file = join(shop, "..", "shot.ansi");
  writeFileSync(file, tmux("capture-pane", "-e", "-p"));
  spawnSync("node", [join(here, "terminal-shot.mjs"), file, join(pictures, `walk-${surface}-${name}.png`)]);
}

/** Starts a program in a terminal. */
function start(...command) {
  const env = ["env", "TERM=tmux-256color", "COLORTERM=truecolor", `PATH=${dirname(program)}:${process.env.PATH}`];
  tmux("new-session", "-d", "-x", "118", "-y", "34", "-c", shop, ...env, ...command);
  tmux("set", "-g", "status", "off");
  tmux("set", "-ga", "terminal-overrides", ",*:Tc");
  tmux("set", "-g", "escape-time", "0");
}

/** The id that stands in the line of a text. */
function idOf(text) {
  const found = screen().split("\n").find((line) => line.includes(text))?.match(/\b[0-9a-f]{8}\b/);
  return found ? found[0] : fail(`no id stands beside ${text}`);
}

const is = (what) => (all) => all.some((memory) => memory.what === what);
const corrected = (all) => all.some((memory) => memory.what === words.right && memory.lineage?.change_note === words.note);
const reviewed = (all) => is(words.accepted)(all) && is(words.edited)(all) && !all.some((memory) => /^Everything/.test(memory.what));
const resolved = (all) => all.some((memory) => memory.what === words.theirs && !(memory.conflict?.length > 0));
const settled = (all) => all.some((memory) => memory.what === words.moved && /^web\/(shop|club)\.ts$/.test(memory.anchors[0].path)) && all.some((memory) => memory.what === words.drifted && memory.lineage.version > 1);

const at = {
  async shell() {
    start("PS1=$ ", `EDITOR=${nvim} -u NONE -i NONE`, "bash", "--norc", "--noprofile");
    await until("$ ");

    begin("remember");
    type('manicule remember "'), say(words.what), type('" --why "'), say(words.why), type('" --at auth/token.go#Store.Refresh'), press("Enter");
    await sees("☞ remembered");
    await picture("remember");
    await done(is(words.what));

    await prompt();
    begin("correct");
    type("manicule recall auth/token.go"), press("Enter");
    await sees(words.wrong);
    await prompt();
    type(`manicule edit ${idOf(words.wrong)} --what "`), say(words.right), type('" --correct "'), say(words.note), type('"'), press("Enter");
    await sees("☞ changed");
    await picture("correct");
    await done(corrected);

    await prompt();
    begin("resolve");
    type("clear; manicule review"), keys -= 7, press("Enter");
    await sees("keep version");
    await picture("resolve");
    press(screen().match(/(\d)\W+.*also in exports/)?.[1] ?? "2");
    await done(resolved);

    begin("review");
    keys += "manicule review".length + 1; // as if it began here
    for (let left = 4; left > 0; left--) {
      await sees(new RegExp(`${5 - left} of 4[^]*\\[q\\]uit\\?\\s*$`));
      const draft = screen().slice(screen().lastIndexOf(`${5 - left} of 4`));
      if (left === 4) await picture("review");
      if (draft.includes(words.accepted)) press("a");
      else if (draft.includes("Reports are run")) {
        press("e");
        await sees("text (empty to keep it):");
        say(words.edited), press("Enter");
        await sees(/\[q\]uit\?\s*$/);
        press("a");
      } else {
        press("r");
        await sees("why not?");
        say(words.reason), press("Enter");
      }
    }
    await done(reviewed);

    await prompt();
    begin("settle");
    type("clear; manicule verify"), keys -= 7, press("Enter");
    await sees(words.drifted);
    await picture("settle");
    await prompt();
    const [drifted, moved] = [idOf(words.drifted), idOf(words.moved)];
    type(`manicule verify ${drifted} --still-true`), press("Enter");
    await sees("is recorded as it is now");
    await prompt();
    type(`manicule verify ${moved} --follow`), press("Enter");
    await done(settled);

    await prompt();
    begin("find");
    type("clear; manicule search "), keys -= 7, say("redis"), press("Enter");
    await sees("Refresh fails silently");
    await picture("find");
    await done(() => true);
  },

  // Nothing is remembered in the list, and code that changed is settled in the shell.
  async tui() {
    start("PS1=$ ", `EDITOR=${nvim} -u NONE -i NONE`, "bash", "--norc", "--noprofile");
    await until("$ ");

    begin("resolve");
    type("manicule tui --review"), press("Enter");
    await sees("Amounts are in cents");
    press("G", "r");
    await sees(words.theirs);
    await picture("resolve");
    press(screen().match(/(\d)[^\n]*also in exports/)?.[1] ?? "2");
    await done(resolved);

    begin("review");
    keys += "manicule tui --review".length + 1; // as if it began here
    await until("4 waiting");
    press("g");
    await sees("The agent was corrected twice");
    await picture("review");
    press("a");
    await until("3 waiting");
    await sees("Seen in the scheduler's log");
    press("e");
    await sees("~"); // the editor
    press("A"), say(words.later), press("Escape"), type(":wq"), press("Enter");
    await until("3 waiting");
    await until("at night");
    press("a");
    await until("2 waiting");
    await sees(/☞ pattern Everything is (fine|well)/);
    press("x");
    await until("1 waiting");
    await sees(/☞ pattern Everything is (fine|well)/);
    press("x");
    await done(reviewed);

    begin("find");
    keys += "manicule tui".length + 1; // as if it began here
    press("Tab", "/");
    await until(/^\/▏/m);
    say("redis");
    await sees("Refresh fails silently");
    await until("Incident in May");
    await picture("find");
    await done(() => true);
  },

  async neovim() {
    start(`MANICULE_E2E_PLUGIN=${process.env.MANICULE_E2E_PLUGIN}`, `MANICULE_SERVER=${program}`, nvim, "-u", join(here, "nvim_init.lua"), "-i", "NONE", "-c", "set cmdheight=1", "auth/token.go");
    await until("☞ 1 memory here");
    // Goes where the task begins, which is not of it.
    const go = async (file, line, column) => {
      tmux("send-keys", "-l", `:edit ${file}`), tmux("send-keys", "Enter");
      tmux("send-keys", "-l", `${line}G0${column}`);
      await until(new RegExp(`${line},\\d`));
    };

    await go("auth/token.go", 12, "fR");
    begin("remember");
    type(":Manicule remember"), press("Enter");
    await sees("# Why");
    say(words.what), press("Tab"), say(words.why), press("C-s");
    await until("# Why", true);
    await picture("remember");
    await done(is(words.what));

    await go("auth/token.go", 21, "fV");
    begin("correct");
    type(":Manicule correct"), press("Enter");
    await sees("# What was wrong");
    press("i"), say(words.note), press("Tab"), say(words.more);
    await picture("correct");
    press("C-s");
    await done(corrected);

    begin("resolve");
    type(":Manicule review"), press("Enter");
    await sees("also in exports");
    type(`/${words.mine.slice(0, 7)}`), press("Enter", "a");
    await sees("Keep version 2");
    await picture("resolve");
    type("2"), press("Enter");
    await until("Keep version 2", true);
    await done(resolved);

    begin("review");
    keys += ":Manicule review".length + 1; // as if it began here
    await sees(words.accepted);
    await picture("review");
    type("/Sess"), press("Enter", "a");
    await until(`convention ${words.accepted}`, true);
    type("/Reports"), press("Enter", "e");
    await sees("Accept, edited");
    press("A"), say(words.later), press("C-s");
    await until("Accept, edited", true);
    for (const text of ["Everything is fine", "Everything is well"]) {
      type(`/${text.slice(-4)}`), press("Enter", "X");
      await sees(/[Ww]hy/);
      say(words.reason), press("Enter");
      await until(`pattern ${text}`, true);
    }
    await done(reviewed);
    tmux("send-keys", "q");

    begin("settle");
    type(":Manicule stale"), press("Enter");
    await sees(words.drifted);
    await picture("settle");
    type("/Totals"), press("Enter", "t");
    await until(`gotcha ${words.drifted}`, true);
    type("/discount"), press("Enter", "f");
    await done(settled);
    tmux("send-keys", "q");

    begin("find");
    type(":Manicule search "), say("redis"), press("Enter");
    await sees("Refresh fails silently");
    await picture("find");
    type("1"), press("Enter");
    await until('"what": "Refresh fails silently');
    await done(() => true);
  },
};

await at[surface]();
tmux("kill-server");

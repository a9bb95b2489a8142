// terminal-shot.mjs IN.ansi OUT.png: a picture of a terminal's screen, as
// "tmux capture-pane -e" writes it: text with SGR escape sequences.

import { readFile } from "node:fs/promises";

import { withBrowser } from "./browser.mjs";

const background = "#14161b";
const foreground = "#e0e2ea";
const named = [
  "#07080d", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8",
  "#4f5258", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8",
];
const flags = { 1: "bold", 2: "dim", 3: "italic", 7: "reverse", 9: "strike" };
const unflags = { 22: ["bold", "dim"], 23: ["italic"], 24: ["underline"], 27: ["reverse"], 29: ["strike"], 39: ["fg"], 49: ["bg"] };
const lines = { 1: "solid", 2: "double", 3: "wavy", 4: "dotted", 5: "dashed" };

/** The colour of one of the 256 of a terminal. */
function indexed(n) {
  if (n < 16) return named[n];
  if (n >= 232) return `rgb(${Array(3).fill((n - 232) * 10 + 8).join()})`;
  const level = (v) => (v === 0 ? 0 : v * 40 + 55);
  return `rgb(${[Math.floor((n - 16) / 36), Math.floor((n - 16) / 6) % 6, (n - 16) % 6].map(level).join()})`;
}

/** Applies the parameters of one SGR sequence to a style; returns the new style. */
function applied(style, parameters) {
  const next = { ...style };
  const todo = parameters === "" ? ["0"] : parameters.split(";");
  while (todo.length > 0) {
    const item = todo.shift();
    const [code, ...sub] = item.split(":").map((part) => Number(part || 0));
    if (code === 0) for (const key of Object.keys(next)) delete next[key];
    else if (code === 4) next.underline = lines[sub[0] ?? 1];
    else if (code in flags) next[flags[code]] = true;
    else if (code in unflags) for (const key of unflags[code]) delete next[key];
    else if (code === 38 || code === 48 || code === 58) {
      const args = sub.length > 0 ? sub : todo.splice(0, todo[0] === "5" ? 2 : 4).map(Number);
      const colour = args[0] === 5 ? indexed(args[1]) : `rgb(${args.slice(-3).join()})`;
      next[{ 38: "fg", 48: "bg", 58: "lineColour" }[code]] = colour;
    } else if (code >= 30 && code <= 37) next.fg = named[code - 30];
    else if (code >= 90 && code <= 97) next.fg = named[code - 82];
    else if (code >= 40 && code <= 47) next.bg = named[code - 40];
    else if (code >= 100 && code <= 107) next.bg = named[code - 92];
  }
  return next;
}

function css(style) {
  let [fg, bg] = [style.fg ?? foreground, style.bg ?? background];
  if (style.reverse) [fg, bg] = [bg, fg];
  const rules = [`color:${fg}`];
  if (bg !== background) rules.push(`background:${bg}`);
  if (style.bold) rules.push("font-weight:bold");
  if (style.dim) rules.push("opacity:.7");
  if (style.italic) rules.push("font-style:italic");
  if (style.strike) rules.push("text-decoration:line-through");
  if (style.underline) rules.push(`text-decoration:underline ${style.underline} ${style.lineColour ?? fg} 1px`);
  return rules.join(";");
}

/** HTML spans for a text with SGR sequences. */
function html(text) {
  const escaped = (part) => part.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
  let style = {};
  let out = "";
  for (const part of text.split(/(\x1b\[[0-9;:]*m)/)) {
    const sequence = /^\x1b\[([0-9;:]*)m$/.exec(part);
    if (sequence) style = applied(style, sequence[1]);
    else if (part !== "") out += `<span style="${css(style)}">${escaped(part)}</span>`;
  }
  return out;
}

const [input, output] = process.argv.slice(2);
if (!output) {
  console.error("usage: terminal-shot.mjs IN.ansi OUT.png");
  process.exit(2);
}
const text = (await readFile(input, "utf8")).replace(/\x1b\]8;[^\x07\x1b]*(\x07|\x1b\\)/g, "").replace(/\n+$/, "");
await withBrowser({ width: 1400, height: 900 }, async (context) => {
  const page = await context.newPage();
  const font = "font:15px/18px 'DejaVu Sans Mono',monospace";
  await page.setContent(`<pre style="display:inline-block;margin:0;padding:10px;background:${background};${font}">${html(text)}</pre>`);
  await page.locator("pre").screenshot({ path: output });
});

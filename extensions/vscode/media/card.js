// The page of a card: shows what the extension sends, and tells it what a person does.
// What a memory says is only ever set as text, never as HTML.

const host = acquireVsCodeApi();
const at = (id) => document.getElementById(id);
const fields = ["type", "what", "why", "scope", "tags", "instead", "note"];
let card; // what is shown, without what the person wrote

const draft = () => Object.fromEntries(fields.map((name) => [name, at(name).value]));
const start = () => ({ type: card.type, what: card.what, why: card.why, scope: card.scope.join("\n"), tags: card.tags.join(", "), instead: card.instead, note: "" });
const dirty = () => fields.some((name) => at(name).value !== start()[name]);

/** What a person wrote that differs from the card, by field. */
const written = () => Object.fromEntries(Object.entries(draft()).filter(([name, value]) => value !== start()[name]));

/** Makes an element with a text. */
function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  Object.assign(made, attributes);
  return made;
}

/** A list of elements in place of an element's content; without any, its section is hidden. */
function list(id, elements) {
  at(id).replaceChildren(...elements);
  at(id).closest("section").hidden = elements.length === 0;
}

function mark() {
  const changed = dirty();
  at("insteadField").hidden = card.kind === "candidate" || at("type").value !== "dead_end";
  at("save").disabled = !changed && card.kind === "memory";
  at("revert").hidden = !changed;
  host.postMessage({ kind: "draft", fields: changed ? draft() : undefined });
}

function fill(values) {
  for (const name of fields) at(name).value = values[name];
}

/** Where the button stands that has the keyboard, if it is about to be made anew. */
function keyboard() {
  const within = document.activeElement?.closest("#warnings, #acts, #versions");
  return within && document.hasFocus() ? { within, index: [...within.querySelectorAll("button")].indexOf(document.activeElement) } : undefined;
}

/** Gives the keyboard to the button that stands there now; to the text if there is none. */
function giveKeyboard({ within, index }) {
  const buttons = [...within.querySelectorAll("button")];
  (buttons[Math.min(index, buttons.length - 1)] ?? at("what")).focus();
}

/** Shows a card: with a person's draft of it, or with the fields that they change meanwhile if the card was only read again. */
function show(next, draft, reread) {
  const before = keyboard();
  const meanwhile = reread && card ? written() : {};
  card = next;
  document.body.dataset.kind = card.kind;
  at("title").textContent = card.title;
  at("facts").textContent = card.facts;
  at("facts").hidden = card.facts === "";
  at("warnings").replaceChildren(...card.warnings.map((text) => element("p", text, { className: "warning" })));
  if (card.withdraw >= 0) at("warnings").append(element("button", card.acts[card.withdraw], { id: "withdraw", type: "button", onclick: () => host.postMessage({ kind: "act", index: card.withdraw }) }));
  at("type").replaceChildren(...card.types.map(({ id, name }) => element("option", name, { value: id })));
  fill(draft ?? { ...start(), ...meanwhile });
  at("noteField").hidden = !card.corrects;
  at("tagsField").hidden = card.kind === "candidate";
  at("save").textContent = card.save;
  at("reject").hidden = card.kind !== "candidate";
  at("toCorrect").hidden = card.kind !== "memory" || card.corrects;
  at("place").textContent = card.place;
  at("place").parentElement.hidden = card.place === "";
  at("json").hidden = card.kind !== "memory";
  list("steps", card.steps.map((text) => element("li", text)));
  list("evidence", card.evidence.map((text) => element("li", text)));
  list("acts", card.acts.flatMap((title, index) => index === card.withdraw ? [] : element("button", title, { onclick: () => host.postMessage({ kind: "act", index }) })));
  list("versions", card.versions.map((text, index) => {
    const line = document.createElement("li");
    line.append(element("button", text, { className: "link", onclick: () => host.postMessage({ kind: "version", index }) }));
    return line;
  }));
  refuse("");
  mark();
  if (before) giveKeyboard(before);
}

function refuse(reason) {
  at("form").inert = false;
  at("refused").textContent = reason;
  at("refused").hidden = reason === "";
}

function save() {
  if (at("save").disabled) return;
  refuse("");
  at("form").inert = true; // until there is an answer
  host.postMessage({ kind: "save", fields: draft() });
}

window.addEventListener("message", ({ data }) => {
  switch (data.kind) {
    case "show":
      show(data.card, data.draft, data.reread);
      if (data.focus) at(card.corrects ? "note" : "what").focus();
      break;
    case "refused":
      refuse(data.reason);
      break;
  }
});
for (const name of fields) {
  at(name).addEventListener("input", () => {
    refuse(""); // it is another text now
    mark();
  });
}
at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
document.addEventListener("keydown", (event) => {
  const send = event.key.toLowerCase() === "s" || (event.key === "Enter" && event.target instanceof HTMLTextAreaElement);
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && send) {
    event.preventDefault();
    event.stopPropagation();
    save();
  }
});
for (const kind of ["reject", "place", "json", "toCorrect"]) at(kind).addEventListener("click", () => host.postMessage({ kind }));
at("revert").addEventListener("click", () => {
  fill(start());
  refuse("");
  mark();
});

host.postMessage({ kind: "ready" });

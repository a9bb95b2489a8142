// The search: a quick pick whose entries are the server's answer to what is typed.

import * as vscode from "vscode";

import type { Cards } from "./cards";
import type { Server } from "./client";
import { showError } from "./error";
import { type Found, foundOf } from "./items";
import { nameOf } from "./l10n";
import { requests } from "./protocol";

/** How long typing must rest before the server is asked, in milliseconds. */
const rest = 150;

/** How many memories are listed. */
const limit = 30;

interface Choice extends vscode.QuickPickItem {
  readonly found: Found;
}

/** Opens the search. */
export function searchMemories(server: Server, cards: Cards): void {
  const pick = vscode.window.createQuickPick<Choice>();
  pick.title = vscode.l10n.t("☞ Search the memories");
  pick.placeholder = vscode.l10n.t("Words, or a question");
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  let timer: NodeJS.Timeout | undefined;
  let last = 0;
  const ask = async (question: string): Promise<void> => {
    const mine = ++last;
    pick.busy = true;
    try {
      const found = question === "" ? [] : foundOf(await server.request(requests.search, { text: question, limit }));
      // An answer that was overtaken by a later question is dropped.
      if (mine === last) pick.items = found.map(choiceOf);
    } catch (error) {
      if (mine === last) pick.items = [];
      showError(error);
    } finally {
      if (mine === last) pick.busy = false;
    }
  };
  pick.onDidChangeValue((value) => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(value.trim()), rest);
  });
  pick.onDidAccept(() => {
    const [choice] = pick.selectedItems;
    pick.hide();
    if (choice) open(cards, choice.found.uuid).catch(showError);
  });
  pick.onDidHide(() => {
    clearTimeout(timer);
    last++;
    pick.dispose();
  });
  pick.show();
}

async function open(cards: Cards, uuid: string): Promise<void> {
  if (!(await cards.show(uuid))) void vscode.window.showInformationMessage(vscode.l10n.t("This memory is no longer there."));
}

function choiceOf(found: Found): Choice {
  return {
    label: found.what,
    description: [nameOf(found.type), ...found.scope].join(" · "),
    detail: found.why,
    // What the server found by meaning would fail the editor's own filter.
    alwaysShow: true,
    found,
  };
}

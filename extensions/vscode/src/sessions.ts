// The end of an agent's session: what the agent was shown and what was learned. A
// notification leads to a list with accept, edit and reject for each, and to the
// review queue behind it.

import * as vscode from "vscode";

import type { Candidate } from "./candidates";
import type { Server } from "./client";
import { showError } from "./error";
import { sessionAcceptedOf, sessionEndOf, sessionSummaryOf } from "./handover";
import type { Item } from "./items";
import { counted } from "./l10n";
import { openPlace } from "./memory";
import { requests } from "./protocol";
import type { Review } from "./review";
import { candidateDetail, detailOf, memories, type SessionAnswer, sessionAnswers, sessionText } from "./words";

/** Notifies a person of sessions that end, for as long as the extension lives. */
export function tellOfSessions(server: Server, review: Review): vscode.Disposable {
  return server.onSessionEnded((params) => {
    void tell(server, review, params);
  });
}

async function tell(server: Server, review: Review, params: unknown): Promise<void> {
  const end = sessionEndOf(params);
  const { session, agent } = end;
  const text = sessionText(end);
  if (text === "") return;
  const answers = sessionAnswers(end);
  if (answers.length === 0) {
    // Nothing to ask: don't interrupt.
    vscode.window.setStatusBarMessage(text, 10_000);
    return;
  }
  const choice = (await vscode.window.showInformationMessage(text, ...answers.map((answer) => ({ title: titleOf(answer), answer }))))?.answer;
  try {
    if (choice === "acceptAll") {
      const { accepted, left } = sessionAcceptedOf(await server.run("manicule.acceptSession", session));
      const done = left > 0 ? vscode.l10n.t("☞ Accepted: {0}; {1} should be read first", memories(accepted), left) : vscode.l10n.t("☞ Accepted: {0}", memories(accepted));
      vscode.window.setStatusBarMessage(done, 10_000);
      if (left === 0) return;
    } else if (choice !== "review") return;
    await vscode.commands.executeCommand("manicule.review.focus");
    const summary = sessionSummaryOf(await server.request(requests.sessionSummary, { session }));
    if (summary.learned.length > 0) list(server, review, agent, summary);
  } catch (error) {
    // The review queue, which is open now, also has what was learned.
    showError(error);
  }
}

function titleOf(answer: SessionAnswer): string {
  switch (answer) {
    case "acceptAll":
      return vscode.l10n.t("Accept All");
    case "review":
      return vscode.l10n.t("Review");
    case "later":
      return vscode.l10n.t("Later");
  }
}

interface Line extends vscode.QuickPickItem {
  readonly learned?: Candidate;
  readonly used?: Item;
}

const accept: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("check"), tooltip: vscode.l10n.t("Accept") };
const edit: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("edit"), tooltip: vscode.l10n.t("Edit, then accept") };
const reject: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("close"), tooltip: vscode.l10n.t("Reject") };

function list(server: Server, review: Review, agent: string, summary: ReturnType<typeof sessionSummaryOf>): void {
  const pick = vscode.window.createQuickPick<Line>();
  const learned = vscode.l10n.t("{0} learned", memories(summary.learned.length));
  const used = vscode.l10n.t("{0} used", summary.used.length);
  const { tokens, saved } = summary.balance;
  const cost = counted(tokens, vscode.l10n.t("{0} used for 1 token", summary.used.length), vscode.l10n.t("{0} used for {1} tokens", summary.used.length, tokens));
  const spared = saved > 0 ? `, ${vscode.l10n.t("at most {0} spared", saved)}` : "";
  pick.title = `☞ ${agent}: ${learned}, ${tokens > 0 ? cost : used}${spared}`;
  pick.placeholder = vscode.l10n.t("Enter edits what was learned, and opens what was used");
  pick.ignoreFocusOut = true;
  pick.items = [
    { label: vscode.l10n.t("learned"), kind: vscode.QuickPickItemKind.Separator },
    ...summary.learned.map((learned) => ({ label: learned.what, description: candidateDetail(learned), detail: learned.why, learned, buttons: [accept, edit, reject] })),
    { label: vscode.l10n.t("used"), kind: vscode.QuickPickItemKind.Separator },
    ...summary.used.map((used) => ({ label: used.what, description: detailOf(used), used })),
  ];
  const settled = (line: Line): void => {
    pick.items = pick.items.filter((other) => other !== line);
    if (!pick.items.some(({ learned }) => learned)) pick.hide();
  };
  pick.onDidTriggerItemButton(({ item, button }) => {
    const { learned } = item;
    if (!learned) return;
    if (button === edit) pick.hide();
    void decide(review, learned, button).then((done) => {
      if (done) settled(item);
    });
  });
  pick.onDidAccept(() => {
    const [line] = pick.selectedItems;
    pick.hide();
    if (line?.learned) void decide(review, line.learned, edit);
    else if (line?.used) openPlace(server, line.used).catch(showError);
  });
  pick.onDidHide(() => {
    pick.dispose();
  });
  pick.show();
}

/** Runs a button's action; resolves to whether the candidate is done. */
async function decide(review: Review, candidate: Candidate, button: vscode.QuickInputButton): Promise<boolean> {
  try {
    if (button === edit) {
      review.edit(candidate);
      return false;
    }
    return button === accept ? await review.accept(candidate) : await review.drop(candidate);
  } catch (error) {
    showError(error);
    return false;
  }
}

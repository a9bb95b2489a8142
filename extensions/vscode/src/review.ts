// The review queue: accept, edit and reject what is proposed. A candidate is edited
// on its card.

import * as vscode from "vscode";

import { canUndo, refusalOf } from "./answers";
import { type Candidate, candidateRef, type Edits } from "./candidates";
import type { CardFields } from "./cardpage";
import type { Cards, Reviewer } from "./cards";
import type { Server } from "./client";
import { showError } from "./error";
import type { Store } from "./store";
import { oneLine } from "./words";

/** How many characters of a memory's text a message shows. */
const shown = 60;

/** A candidate that was decided about, with the server's answer. */
interface Decision {
  readonly candidate: Candidate;
  readonly answer: unknown;
}

export class Review {
  constructor(
    private readonly server: Server,
    private readonly store: Store,
    private readonly cards: Cards,
  ) {
    const reviewer: Reviewer = {
      accept: (candidate, fields) => this.acceptEdited(candidate, fields),
      reject: (candidate) => this.reject(candidate),
    };
    cards.reviewer = reviewer;
  }

  /**
   * Accepts a candidate as it is, and resolves to whether it was accepted. One
   * that may repeat text from outside is asked about first.
   */
  async accept(candidate: Candidate): Promise<boolean> {
    return (await this.acceptAll([candidate])) === 1;
  }

  /** Accepts several, one after the other, and resolves to how many: each may ask, and a refusal of one does not keep the others. */
  async acceptAll(candidates: readonly Candidate[]): Promise<number> {
    const done = await this.decide(candidates, (all) => vscode.l10n.t("☞ Accepted: {0}", said(all)), async (candidate) => {
      if (candidate.tainted && !(await confirmTainted(candidate))) return undefined;
      const answer = await this.server.run("manicule.acceptMemory", candidateRef(candidate));
      return refusalOf(answer) === "" ? answer : undefined;
    });
    return done.length;
  }

  /** Opens the cards of several. */
  editAll(candidates: readonly Candidate[]): void {
    for (const candidate of candidates) this.edit(candidate);
  }

  /** Rejects several for one reason. */
  async rejectAll(candidates: readonly Candidate[]): Promise<void> {
    const [first] = candidates;
    if (!first) return;
    const reason = await this.reasonAgainst(candidates.length === 1 ? oneLine(first.what, shown) : vscode.l10n.t("{0} drafts", candidates.length));
    if (reason === undefined) return;
    await this.decide(candidates, (all) => vscode.l10n.t("☞ Rejected: {0}", said(all)), (candidate) => this.refuse(candidate, reason));
  }

  // Decides about several, one after the other; undefined leaves one in the queue. What was decided before one that fails is
  // told, and can be taken back.
  private async decide(candidates: readonly Candidate[], text: (done: readonly Decision[]) => string, one: (candidate: Candidate) => Promise<unknown>): Promise<Decision[]> {
    const done: Decision[] = [];
    try {
      await this.store.act(async () => {
        for (const candidate of candidates) {
          const answer = await one(candidate);
          if (answer !== undefined) done.push({ candidate, answer });
        }
      });
    } finally {
      if (done.length > 0) this.tell(done, text(done));
    }
    return done;
  }

  /** Opens the card of a candidate, which accepts it as edited. */
  edit(candidate: Candidate): void {
    this.cards.showCandidate(candidate);
  }

  /** Rejects a candidate, for a reason if a person gives one; resolves to whether it is gone. */
  async reject(candidate: Candidate): Promise<boolean> {
    const reason = await this.reasonAgainst(oneLine(candidate.what, shown));
    return reason !== undefined && this.drop(candidate, reason);
  }

  private async reasonAgainst(what: string): Promise<string | undefined> {
    const reason = await vscode.window.showInputBox({
      title: vscode.l10n.t("Reject: {0}", what),
      prompt: vscode.l10n.t("Why not? Enter without a text rejects without a reason, Escape leaves it in the queue."),
    });
    return reason?.trim();
  }

  /** Rejects a candidate without a question. */
  async drop(candidate: Candidate, reason = ""): Promise<boolean> {
    const answer = await this.store.act(() => this.refuse(candidate, reason));
    this.tell([{ candidate, answer }], vscode.l10n.t("☞ Rejected: {0}", oneLine(candidate.what, shown)));
    return true;
  }

  private refuse(candidate: Candidate, reason: string): Promise<unknown> {
    return this.server.run("manicule.rejectMemory", candidateRef(candidate), ...(reason === "" ? [] : [reason]));
  }

  // Says what was decided, and takes it back if the person wants. Nobody waits for that.
  private tell(done: readonly Decision[], text: string): void {
    const back = done.filter(({ answer }) => canUndo(answer)).map(({ candidate }) => candidate.uuid);
    if (back.length === 0) vscode.window.setStatusBarMessage(text, 5000);
    else this.offerUndo(back, text).catch(showError);
  }

  private async offerUndo(uuids: readonly string[], text: string): Promise<void> {
    const undo = vscode.l10n.t("Undo");
    if ((await vscode.window.showInformationMessage(text, undo)) !== undo) return;
    await this.store.act(async () => {
      for (const uuid of uuids) await vscode.commands.executeCommand("manicule.takeBackReview", uuid);
    });
  }

  // Resolves to why it was refused, or "".
  private async acceptEdited(candidate: Candidate, { what, why, type, scope }: CardFields): Promise<string> {
    if (candidate.tainted && !(await confirmTainted(candidate))) return vscode.l10n.t("It was not accepted.");
    const edits: Edits = { what, why, type, scope: [...scope] };
    const answer = await this.store.act(() => this.server.run("manicule.acceptMemory", candidateRef(candidate), { ...edits, quiet: true }));
    const refusal = refusalOf(answer);
    if (refusal !== "") return refusal;
    this.tell([{ candidate, answer }], vscode.l10n.t("☞ Accepted: {0}", oneLine(what, shown)));
    return "";
  }
}

function said(done: readonly Decision[]): string {
  const [first] = done;
  return first && done.length === 1 ? oneLine(first.candidate.what, shown) : vscode.l10n.t("{0} drafts", done.length);
}

async function confirmTainted(candidate: Candidate): Promise<boolean> {
  const accept = vscode.l10n.t("Accept");
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t("This memory may repeat text from outside of the repository."),
    { modal: true, detail: `${candidate.what}\n\n${candidate.why}\n\n${vscode.l10n.t("Agents will be told it as yours.")}` },
    accept,
  );
  return choice === accept;
}

import { ButtonComponent, ItemView, TextAreaComponent } from "obsidian";
import type { WorkspaceLeaf } from "obsidian";
import { messageOf } from "./agenda_modal";
import type { Client } from "./client";
import type { Answer, Citation } from "./documents";

export const ASK_PANE = "lacuna-ask-pane";

/** Asks the vault and the library; each excerpt opens where it stands. */
export class AskPane extends ItemView {
  private asked = 0;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly client: Client,
  ) {
    super(leaf);
  }

  override getViewType(): string {
    return ASK_PANE;
  }

  override getDisplayText(): string {
    return "Ask Lacuna";
  }

  override getIcon(): string {
    return "message-circle-question";
  }

  override onOpen(): Promise<void> {
    this.contentEl.empty();
    this.contentEl.addClass("lacuna-pane");
    const input = new TextAreaComponent(this.contentEl).setPlaceholder("Ask your notes…");
    input.inputEl.setAttribute("aria-label", "Question");
    const answerEl = createDiv({ attr: { "aria-live": "polite" } });
    const ask = () => void this.ask(input.getValue(), answerEl);
    input.inputEl.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        ask();
      }
    });
    new ButtonComponent(this.contentEl).setButtonText("Ask").setCta().onClick(ask);
    this.contentEl.append(answerEl);
    return Promise.resolve();
  }

  private async ask(question: string, answerEl: HTMLElement): Promise<void> {
    if (question.trim() === "") {
      return;
    }
    const number = ++this.asked; // a later question replaces the answer of an earlier one
    answerEl.empty();
    answerEl.createEl("p", { text: "Reading your notes…", cls: "lacuna-muted" });
    try {
      const answer = await this.client.ask(question.trim());
      if (number === this.asked) {
        answerEl.empty();
        this.show(answer, answerEl);
      }
    } catch (error) {
      if (number === this.asked) {
        answerEl.empty();
        answerEl.createEl("p", { text: messageOf(error), cls: "lacuna-muted" });
      }
    }
  }

  private show(answer: Answer, parent: HTMLElement): void {
    for (const citation of answer.citations) {
      this.citation(citation, parent);
    }
    if (answer.citations.length === 0) {
      parent.createEl("p", { text: "Your notes say nothing about this." });
      if (answer.nearest.length > 0) {
        parent.createEl("h4", { text: "Closest" });
      }
      for (const citation of answer.nearest) {
        this.citation(citation, parent);
      }
    }
    for (const remark of answer.remarks) {
      parent.createEl("p", { text: remark, cls: "lacuna-muted" });
    }
  }

  private citation(citation: Citation, parent: HTMLElement): void {
    const card = parent.createDiv({ cls: "lacuna-card" });
    card.createEl("blockquote", { text: citation.text });
    const place = citation.heading === "" ? citation.name : `${citation.name} › ${citation.heading}`;
    if (citation.origin === "library") {
      card.createDiv({ text: `${place} (library)`, cls: "lacuna-muted" });
      return;
    }
    const target = citation.heading === "" ? citation.path : `${citation.path}#${citation.heading}`;
    const link = card.createEl("a", { text: place, cls: "internal-link", href: "#" });
    link.addEventListener("click", (event) => {
      event.preventDefault();
      void this.app.workspace.openLinkText(target, "", false);
    });
  }
}

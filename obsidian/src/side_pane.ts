import { ButtonComponent, ItemView, Notice, TFile } from "obsidian";
import type { WorkspaceLeaf } from "obsidian";
import { messageOf } from "./agenda_modal";
import type { Client } from "./client";
import type { Finding, Gap, Hit } from "./documents";
import type { Choice, Inbox } from "./inbox";

export const SIDE_PANE = "lacuna-side-pane";

const SIMILAR = 8;
const GAPS_KEPT = 10 * 60_000; // milliseconds: gaps are an analysis of the whole vault
const CHOICES: [Choice, string][] = [
  ["accept", "Accept"],
  ["dismiss", "Dismiss"],
  ["never", "Never"],
];

/** The inbox, and what concerns the open note: similar notes that are not linked, and gaps. */
export class SidePane extends ItemView {
  private readonly inboxEl: HTMLElement;
  private readonly noteEl: HTMLElement;
  private decided: [Finding, Choice] | null = null;
  private gaps: Gap[] | null = null;
  private gapsAt = 0;
  private shownNote = "";

  constructor(
    leaf: WorkspaceLeaf,
    private readonly client: Client,
    private readonly inbox: Inbox,
    private readonly research: (file: TFile, topic: string) => void,
  ) {
    super(leaf);
    this.contentEl.addClass("lacuna-pane");
    this.inboxEl = this.contentEl.createDiv({ cls: "lacuna-inbox" });
    this.noteEl = this.contentEl.createDiv({ cls: "lacuna-note" });
  }

  override getViewType(): string {
    return SIDE_PANE;
  }

  override getDisplayText(): string {
    return "Lacuna";
  }

  override getIcon(): string {
    return "telescope";
  }

  override async onOpen(): Promise<void> {
    this.registerEvent(this.app.workspace.on("file-open", () => void this.showNote()));
    await Promise.all([this.showInbox(), this.showNote()]);
  }

  async showInbox(): Promise<void> {
    try {
      const { findings, offline } = await this.inbox.pending();
      const quotes = await Promise.all(findings.map((each) => this.inbox.quoteOf(each)));
      this.inboxEl.empty();
      this.heading(this.inboxEl, `Inbox (${findings.length})`);
      if (offline !== null) {
        this.remark(this.inboxEl, `${offline} Your decisions are ticked in the files, and read when Lacuna runs.`);
      }
      if (findings.length === 0) {
        this.remark(this.inboxEl, "Nothing is waiting for you.");
      }
      findings.forEach((each, index) => this.finding(each, quotes[index] ?? ""));
      this.undoButton();
    } catch (error) {
      this.inboxEl.empty();
      this.heading(this.inboxEl, "Inbox");
      this.remark(this.inboxEl, messageOf(error));
    }
  }

  /** Show what concerns the open note; keep it while the pane itself has the focus. */
  async showNote(): Promise<void> {
    const file = this.app.workspace.getActiveFile();
    if (file === null || file.extension !== "md") {
      return;
    }
    this.shownNote = file.path;
    try {
      const [hits, gaps] = await Promise.all([
        this.client.similar(file.path, SIMILAR),
        this.gapsOf(file.path),
      ]);
      if (this.shownNote === file.path) {
        this.noteEl.empty();
        this.showSimilar(file, hits);
        this.showGaps(file, gaps);
      }
    } catch (error) {
      this.noteEl.empty();
      this.heading(this.noteEl, "Similar but not linked");
      this.remark(this.noteEl, messageOf(error));
    }
  }

  private finding(finding: Finding, quote: string): void {
    const card = this.inboxEl.createDiv({ cls: "lacuna-card" });
    this.link(card, finding.title, finding.path);
    if (quote !== "") {
      card.createEl("blockquote", { text: quote });
    }
    const host = hostOf(finding.source);
    if (host !== "") {
      card.createDiv({ text: host, cls: "lacuna-muted" });
    }
    const buttons = card.createDiv({ cls: "lacuna-buttons" });
    for (const [choice, label] of CHOICES) {
      new ButtonComponent(buttons).setButtonText(label).onClick(() => {
        void this.carryOut(async () => {
          await this.inbox.decide(finding, choice);
          this.decided = [finding, choice];
          await this.showInbox();
        });
      });
    }
  }

  private undoButton(): void {
    if (this.decided === null) {
      return;
    }
    const [finding, choice] = this.decided;
    new ButtonComponent(this.inboxEl.createDiv({ cls: "lacuna-buttons" }))
      .setButtonText(`Undo: ${finding.title}`)
      .onClick(() => {
        void this.carryOut(async () => {
          await this.inbox.undo(finding, choice);
          this.decided = null;
          await this.showInbox();
        });
      });
  }

  private showSimilar(file: TFile, hits: Hit[]): void {
    this.heading(this.noteEl, "Similar but not linked");
    if (hits.length === 0) {
      this.remark(this.noteEl, "No other note is similar to this one.");
    }
    for (const hit of hits) {
      const row = this.noteEl.createDiv({ cls: "lacuna-card" });
      this.link(row, nameOf(hit), hit.path);
      row.createDiv({ text: hit.snippet, cls: "lacuna-muted lacuna-snippet" });
      new ButtonComponent(row.createDiv({ cls: "lacuna-buttons" }))
        .setButtonText("Add link")
        .setTooltip("Add a link at the end of the open note")
        .onClick(() => {
          void this.carryOut(() => this.addLink(file, hit));
        });
    }
  }

  private async addLink(file: TFile, hit: Hit): Promise<void> {
    const target = this.app.vault.getAbstractFileByPath(hit.path);
    if (!(target instanceof TFile)) {
      throw new Error(`${hit.path} is not in the vault any more.`);
    }
    const link = this.app.fileManager.generateMarkdownLink(target, file.path);
    await this.app.vault.process(file, (text) => `${text.trimEnd()}\n\n${link}\n`);
    new Notice(`Linked to ${nameOf(hit)}.`);
  }

  private showGaps(file: TFile, gaps: Gap[]): void {
    this.heading(this.noteEl, "Gaps");
    if (gaps.length === 0) {
      this.remark(this.noteEl, "Nothing is missing here.");
    }
    for (const gap of gaps) {
      const card = this.noteEl.createDiv({ cls: "lacuna-card" });
      card.createDiv({ text: gap.query === "" ? gap.topic : gap.query });
      card.createDiv({ text: gap.why, cls: "lacuna-muted" });
      const buttons = card.createDiv({ cls: "lacuna-buttons" });
      new ButtonComponent(buttons).setButtonText("Research").onClick(() => {
        this.research(file, gap.topic);
      });
      new ButtonComponent(buttons).setButtonText("Never").onClick(() => {
        void this.carryOut(async () => {
          await this.client.neverSuggest(gap.topic);
          this.gaps = null;
          card.remove();
        });
      });
    }
  }

  private async gapsOf(path: string): Promise<Gap[]> {
    if (this.gaps === null || Date.now() - this.gapsAt > GAPS_KEPT) {
      this.gaps = await this.client.gaps();
      this.gapsAt = Date.now();
    }
    return this.gaps.filter((gap) => gap.note === path);
  }

  private async carryOut(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      new Notice(messageOf(error));
    }
  }

  private link(parent: HTMLElement, text: string, path: string): void {
    const link = parent.createEl("a", { text, cls: "internal-link", href: "#" });
    link.addEventListener("click", (event) => {
      event.preventDefault();
      void this.app.workspace.openLinkText(path, "", false);
    });
  }

  private heading(parent: HTMLElement, text: string): void {
    parent.createEl("h4", { text });
  }

  private remark(parent: HTMLElement, text: string): void {
    parent.createEl("p", { text, cls: "lacuna-muted" });
  }
}

function nameOf(hit: Hit): string {
  return hit.name ?? hit.path.replace(/^.*\//, "").replace(/\.md$/, "");
}

/** Return the host of an address, or "" if it has none. */
export function hostOf(address: string): string {
  try {
    return new URL(address).hostname;
  } catch {
    return "";
  }
}

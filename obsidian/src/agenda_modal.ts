import { ButtonComponent, Modal, Notice, Setting } from "obsidian";
import type { App, TFile } from "obsidian";
import { OfflineError } from "./client";
import type { Client } from "./client";
import type { Agenda } from "./documents";

/** Shows every query before it is sent; nothing is sent until it is started. */
export class AgendaModal extends Modal {
  private readonly blocked = new Set<string>();

  constructor(
    app: App,
    private readonly client: Client,
    private readonly file: TFile,
  ) {
    super(app);
  }

  override onOpen(): void {
    this.setTitle(`Research ${this.file.basename}`);
    this.contentEl.createEl("p", { text: "Planning…", cls: "lacuna-muted" });
    void this.plan();
  }

  override onClose(): void {
    this.contentEl.empty();
  }

  private async plan(): Promise<void> {
    try {
      const agenda = await this.client.plan(this.file.path);
      this.contentEl.empty();
      if (agenda === null || agenda.tasks.length === 0) {
        this.say("There is nothing to research in this note: no question, gap or topic was found.");
      } else {
        this.show(agenda);
      }
    } catch (error) {
      this.contentEl.empty();
      if (error instanceof OfflineError) {
        this.offerMark();
      } else {
        this.say(messageOf(error));
      }
    }
  }

  private show(agenda: Agenda): void {
    this.say(`These queries are sent as they stand. ${agenda.may_take}`);
    for (const task of agenda.tasks) {
      new Setting(this.contentEl)
        .setName(task.query)
        .setDesc(`${task.sources.join(", ")}: ${task.because}`)
        .addToggle((toggle) =>
          toggle.setValue(true).onChange((isWanted) => {
            if (isWanted) {
              this.blocked.delete(task.id);
            } else {
              this.blocked.add(task.id);
            }
          }),
        );
    }
    if (agenda.runs_at !== null) {
      const time = new Date(agenda.runs_at).toLocaleTimeString([], { timeStyle: "short" });
      this.say(`If you only close this window, the research starts at ${time}.`);
    }
    const buttons = this.contentEl.createDiv({ cls: "modal-button-container" });
    new ButtonComponent(buttons)
      .setButtonText("Start")
      .setCta()
      .onClick(() => this.finish(this.start(agenda), "Lacuna is researching. Findings appear in the inbox."));
    new ButtonComponent(buttons)
      .setButtonText("Cancel")
      .onClick(() => this.finish(this.client.cancel(agenda.id), "The research is cancelled."));
  }

  private async start(agenda: Agenda): Promise<void> {
    if (agenda.tasks.every((task) => this.blocked.has(task.id))) {
      await this.client.cancel(agenda.id);
    } else {
      await this.client.approve(agenda.id, [...this.blocked]);
    }
  }

  private finish(work: Promise<void>, done: string): void {
    work.then(
      () => {
        new Notice(done);
        this.close();
      },
      (error: unknown) => {
        new Notice(messageOf(error));
      },
    );
  }

  /** Without Lacuna, the note itself can ask for research when it starts. */
  private offerMark(): void {
    this.say("Lacuna is not running. You can mark the note: it is researched when Lacuna starts.");
    const buttons = this.contentEl.createDiv({ cls: "modal-button-container" });
    new ButtonComponent(buttons)
      .setButtonText("Add the property research: true")
      .setCta()
      .onClick(() =>
        this.finish(
          this.app.fileManager.processFrontMatter(this.file, (properties: Record<string, unknown>) => {
            properties["research"] = true;
          }),
          "The note is marked for research.",
        ),
      );
  }

  private say(text: string): void {
    this.contentEl.createEl("p", { text, cls: "lacuna-muted" });
  }
}

/** Return what to show of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

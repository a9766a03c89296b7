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
    /** The topic to research, if only one of the note was asked for: other tasks are then off at first. */
    private readonly topic?: string,
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
      const { daemon } = await this.client.status();
      const agenda = await this.client.plan(this.file.path);
      this.contentEl.empty();
      if (agenda === null || agenda.tasks.length === 0) {
        this.say("There is nothing to research in this note: no question, gap or topic was found.");
      } else {
        this.show(agenda, daemon !== null);
      }
    } catch (error) {
      this.contentEl.empty();
      if (error instanceof OfflineError) {
        this.offerMark(error.message);
      } else {
        this.say(messageOf(error));
      }
    }
  }

  private show(agenda: Agenda, isRunning: boolean): void {
    this.say(`These queries are sent as they stand. ${agenda.may_take}`);
    const isOffered = agenda.tasks.some((task) => task.topic === this.topic);
    for (const task of agenda.tasks) {
      if (isOffered && task.topic !== this.topic) {
        this.blocked.add(task.id);
      }
      new Setting(this.contentEl)
        .setName(task.query)
        .setDesc(`${task.sources.join(", ")}: ${task.because}`)
        .addToggle((toggle) =>
          toggle.setValue(!this.blocked.has(task.id)).onChange((isWanted) => {
            if (isWanted) {
              this.blocked.delete(task.id);
            } else {
              this.blocked.add(task.id);
            }
          }),
        );
    }
    if (!isRunning) {
      this.say("No daemon runs now: the research starts when `lacuna run` does.");
    } else if (agenda.runs_at !== null) {
      const time = new Date(agenda.runs_at).toLocaleTimeString([], { timeStyle: "short" });
      this.say(`If you only close this window, the research starts at ${time}.`);
    }
    const started = isRunning
      ? "Lacuna is researching. Findings appear in the inbox."
      : "The research is planned. It starts when the daemon does.";
    const buttons = this.contentEl.createDiv({ cls: "modal-button-container" });
    new ButtonComponent(buttons)
      .setButtonText("Start")
      .setCta()
      .onClick(() => this.finish(this.start(agenda), started));
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
  private offerMark(why: string): void {
    this.say(`${why} You can mark the note: it is researched when Lacuna sees it.`);
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

import { Platform, Plugin, TFile } from "obsidian";
import type { TAbstractFile, WorkspaceLeaf } from "obsidian";
import { AgendaModal } from "./agenda_modal";
import { ASK_PANE, AskPane } from "./ask_pane";
import { Client } from "./client";
import type { Status } from "./documents";
import { Inbox } from "./inbox";
import { DEFAULTS, SettingTab } from "./settings";
import type { Settings } from "./settings";
import { SIDE_PANE, SidePane } from "./side_pane";
import { statusText } from "./status_bar";

const POLL = 10_000; // milliseconds between two looks at the status

export default class LacunaPlugin extends Plugin {
  settings: Settings = { ...DEFAULTS };
  client = new Client(
    () => this.settings.address,
    () => this.app.secretStorage.getSecret(this.settings.tokenSecret) ?? "",
    () => Platform.isMobile,
  );
  private pending = -1; // findings at the last look

  override async onload(): Promise<void> {
    this.settings = { ...DEFAULTS, ...((await this.loadData()) as Partial<Settings> | null) };
    const inbox = new Inbox(this.app, this.client);
    this.registerView(
      SIDE_PANE,
      (leaf) =>
        new SidePane(leaf, this.client, inbox, (file, topic) => {
          this.research(file, topic);
        }),
    );
    this.registerView(ASK_PANE, (leaf) => new AskPane(leaf, this.client));
    this.addCommands();
    this.addRibbonIcon("telescope", "Research this note", () => {
      const file = this.app.workspace.getActiveFile();
      if (file !== null) {
        this.research(file);
      }
    });
    this.registerEvent(
      this.app.workspace.on("file-menu", (menu, file: TAbstractFile) => {
        if (file instanceof TFile && file.extension === "md") {
          menu.addItem((item) =>
            item
              .setTitle("Research this note")
              .setIcon("telescope")
              .onClick(() => {
                this.research(file);
              }),
          );
        }
      }),
    );
    this.addSettingTab(new SettingTab(this.app, this));
    this.addStatus();
  }

  async saveSettings(): Promise<void> {
    await this.saveData(this.settings);
  }

  private addCommands(): void {
    this.addCommand({
      id: "research-note",
      name: "Research this note",
      checkCallback: (isChecking) => {
        const file = this.app.workspace.getActiveFile();
        if (file === null || file.extension !== "md") {
          return false;
        }
        if (!isChecking) {
          this.research(file);
        }
        return true;
      },
    });
    this.addCommand({ id: "open-inbox", name: "Open the inbox", callback: () => void this.open(SIDE_PANE) });
    this.addCommand({ id: "ask", name: "Ask your notes", callback: () => void this.open(ASK_PANE) });
  }

  private research(file: TFile, topic?: string): void {
    new AgendaModal(this.app, this.client, file, topic).open();
  }

  private async open(type: string): Promise<void> {
    const { workspace } = this.app;
    const leaf: WorkspaceLeaf | null = workspace.getLeavesOfType(type)[0] ?? workspace.getRightLeaf(false);
    if (leaf !== null) {
      await leaf.setViewState({ type, active: true });
      await workspace.revealLeaf(leaf);
    }
  }

  /** Mobile has no status bar. */
  private addStatus(): void {
    const element = this.addStatusBarItem();
    element.addClass("mod-clickable");
    element.setAttribute("aria-label", "Open Lacuna's inbox");
    element.addEventListener("click", () => void this.open(SIDE_PANE));
    const show = async () => {
      if (document.hidden) {
        return;
      }
      const status = await this.client.status().catch(() => null);
      element.setText(statusText(status));
      this.refresh(status);
    };
    this.app.workspace.onLayoutReady(() => void show());
    this.registerInterval(window.setInterval(() => void show(), POLL));
  }

  /** Show the inbox again when the number of its findings changed. */
  private refresh(status: Status | null): void {
    const pending = status?.pending_findings ?? -1;
    if (pending === this.pending) {
      return;
    }
    this.pending = pending;
    for (const leaf of this.app.workspace.getLeavesOfType(SIDE_PANE)) {
      if (leaf.view instanceof SidePane) {
        void leaf.view.showInbox();
      }
    }
  }
}

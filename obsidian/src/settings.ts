import { PluginSettingTab, SecretComponent, Setting } from "obsidian";
import type { App, TextComponent } from "obsidian";
import { messageOf } from "./agenda_modal";
import { localAddress } from "./client";
import type LacunaPlugin from "./main";

export interface Settings {
  address: string;
  /** Name of the secret that holds the token: secrets stay on this device, settings may be synced. */
  tokenSecret: string;
}

export const DEFAULTS: Settings = { address: "http://127.0.0.1:7431", tokenSecret: "lacuna-token" };

interface Row {
  name: string;
  desc?: string;
  render: (setting: Setting) => void;
}

export class SettingTab extends PluginSettingTab {
  constructor(
    app: App,
    private readonly plugin: LacunaPlugin,
  ) {
    super(app, plugin);
  }

  override getSettingDefinitions(): Row[] {
    return [
      {
        name: "Address",
        desc: "Where `lacuna web` listens on this computer.",
        render: (setting) => void setting.addText((text) => this.address(text)),
      },
      {
        name: "Token",
        desc: "Run `lacuna obsidian token` and paste what it prints. It is kept on this device.",
        render: (setting) => void setting.addComponent((element) => this.token(element)),
      },
      {
        name: "Connection",
        render: (setting) =>
          void setting.addButton((button) =>
            button.setButtonText("Test").onClick(async () => {
              setting.setDesc("Connecting…");
              setting.setDesc(await this.tested());
            }),
          ),
      },
    ];
  }

  /** Obsidian before 1.13 calls this and does not know definitions. */
  override display(): void {
    this.containerEl.empty();
    for (const row of this.getSettingDefinitions()) {
      const setting = new Setting(this.containerEl).setName(row.name);
      if (row.desc !== undefined) {
        setting.setDesc(row.desc);
      }
      row.render(setting);
    }
  }

  private address(text: TextComponent): void {
    text.setPlaceholder(DEFAULTS.address).setValue(this.plugin.settings.address);
    text.onChange(async (value) => {
      text.inputEl.toggleClass("lacuna-wrong", localAddress(value) === null);
      this.plugin.settings.address = value;
      await this.plugin.saveSettings();
    });
  }

  private token(element: HTMLElement): SecretComponent {
    const component = new SecretComponent(this.app, element);
    return component.setValue(this.plugin.settings.tokenSecret).onChange(async (name) => {
      this.plugin.settings.tokenSecret = name;
      await this.plugin.saveSettings();
    });
  }

  private async tested(): Promise<string> {
    try {
      const status = await this.plugin.client.status();
      const who = status.daemon === null ? "No daemon runs" : "The daemon runs";
      return `Connected to ${status.vault}. ${who}.`;
    } catch (error) {
      return messageOf(error);
    }
  }
}

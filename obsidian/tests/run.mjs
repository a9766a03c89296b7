// Bundles each test with the stub in place of Obsidian, and runs it with node's own test runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), "lacuna-plugin-"));
const names = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: names.map((name) => join(here, name)),
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  alias: { obsidian: join(here, "stub.mjs") },
  logLevel: "error",
});
const made = names.map((name) => join(folder, name.replace(/\.ts$/, ".mjs")));
const done = spawnSync(process.execPath, ["--test", ...made], { stdio: "inherit" });
rmSync(folder, { recursive: true });
process.exit(done.status ?? 1);

import { build } from "esbuild";

await build({
  entryPoints: ["src/main.ts"],
  outfile: process.argv[2] ?? "main.js",
  bundle: true,
  external: ["obsidian"],
  format: "cjs",
  target: "es2022",
  treeShaking: true,
  banner: { js: "// Built from obsidian/src by `npm run build`. MIT licence." },
});

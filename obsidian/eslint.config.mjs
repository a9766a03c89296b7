import { defineConfig } from "eslint/config";
import obsidianmd from "eslint-plugin-obsidianmd";

export default defineConfig([
  { ignores: ["main.js", "tests/**", "*.mjs"] },
  ...obsidianmd.configs.recommended,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  { rules: { "obsidianmd/ui/sentence-case": ["warn", { brands: ["Lacuna"], enforceCamelCaseLower: false }] } },
]);

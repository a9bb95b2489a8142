import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "node_modules/"] },
  eslint.configs.recommended,
  {
    files: ["src/**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      eqeqeq: "error",
    },
  },
  {
    files: ["media/**/*.js"],
    languageOptions: { sourceType: "script", globals: { acquireVsCodeApi: "readonly", document: "readonly", window: "readonly", HTMLTextAreaElement: "readonly" } },
  },
  {
    files: ["test/**/*.mjs", "scripts/**/*.mjs"],
    languageOptions: { globals: { URL: "readonly", Buffer: "readonly", console: "readonly", process: "readonly" } },
  },
);

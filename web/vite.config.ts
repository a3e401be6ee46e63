import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** `npm run dev -w web`: the process whose API the pages ask. */
const api = process.env.CONSILIUM_API ?? "http://127.0.0.1:7080";

export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: [
      { find: /^@consilium\/core\/(.+)$/, replacement: file("../core/src/$1.ts") },
      { find: /^node:crypto$/, replacement: file("src/shared/nodeCrypto.ts") },
    ],
  },
  server: { host: "127.0.0.1", proxy: { "/api": api, "/releases": api } },
  build: {
    target: "es2022",
    // Inlined files would need `data:` in more places of the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        operator: file("operator.html"),
        hospital: file("hospital.html"),
        catalogue: file("catalogue.html"),
      },
    },
  },
});

// `npm run bench -- <name>`: see bench/README.md.
import { build, install, root, runTypeScript } from "./prepare.mjs";

install();
build();
// Packages' test support is found by these paths, for no package exports it.
process.env.TSX_TSCONFIG_PATH ??= `${root}tsconfig.check.json`;
runTypeScript("bench/src/main.ts", process.argv.slice(2));

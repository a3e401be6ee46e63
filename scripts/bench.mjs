// `npm run bench -- <name>`: see bench/README.md.
import { build, install, runTypeScript, testSupport } from "./prepare.mjs";

install();
build();
runTypeScript("bench/src/main.ts", process.argv.slice(2), testSupport);

// `npm run demo`: see scripts/demo.ts.
import { build, install, runTypeScript } from "./prepare.mjs";

install();
build();
runTypeScript("scripts/demo.ts", process.argv.slice(2));

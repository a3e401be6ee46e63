// `npm run audit`: see scripts/audit.ts.
import { build, install, runTypeScript, testSupport } from "./prepare.mjs";

install();
build();
runTypeScript("scripts/audit.ts", process.argv.slice(2), testSupport);

// `npm run tutorials`: see scripts/tutorials/main.ts.
import { build, install, runTypeScript } from "./prepare.mjs";

install();
build();
runTypeScript("scripts/tutorials/main.ts", process.argv.slice(2));

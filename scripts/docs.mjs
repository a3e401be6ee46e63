// `npm run docs`: the documentation as a site, into docs/.vitepress/dist. With --serve: on this machine, as it is edited.
import { install, must, root } from "./prepare.mjs";

install();
const verb = process.argv.includes("--serve") ? "dev" : "build";
must(process.execPath, [`${root}node_modules/vitepress/bin/vitepress.js`, verb, "docs"], { stdout: 1 });

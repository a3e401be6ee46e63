// `npm run docs`: the documentation as a site, into docs/.vitepress/dist, with the pages that are made from the sources. With --serve: on this machine, as it is edited.
import { install, makePages, must, root } from "./prepare.mjs";

install();
makePages();
const verb = process.argv.includes("--serve") ? "dev" : "build";
must(process.execPath, [`${root}node_modules/vitepress/bin/vitepress.js`, verb, "docs"], { stdout: 1 });

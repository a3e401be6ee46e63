// `npm test`: everything that gates. `npm run check` without its tests, then the unit and the system tests in one
// run of the test runner, so that its counts are the whole.
import { build, install, must, root } from "./prepare.mjs";

const node = process.execPath;
install();
build();
must(node, ["scripts/check.mjs", "--no-tests"]);
must(node, [`${root}node_modules/vitest/vitest.mjs`, "run", ...process.argv.slice(2)], {
  stdout: 1,
  env: { CONSILIUM_BUILT: "1" },
});

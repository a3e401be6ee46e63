import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { defaultBudget, defaultBudgetYaml } from "@consilium/core/privacy/defaultBudget";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { isMap, parseDocument } from "yaml";
import { systemCode } from "../failure.js";
import type { Population } from "./populations.js";

/** The policy options of `site enroll`; the hospital edits the file afterwards. */
interface PolicyChoices {
  readonly allowPaperVariants: boolean;
  /** Null: unchanged, or person. */
  readonly approval: "person" | "automatic" | null;
  /** Null: unchanged, or one for all tables. */
  readonly populations: readonly Population[] | null;
}

/**
 * Writes policy.yaml into a site's state folder, or changes only the chosen settings in an existing one.
 * @returns the file's path
 */
export async function writeSitePolicy(state: string, choices: PolicyChoices): Promise<string> {
  const path = join(state, "policy.yaml");
  const present = await readFile(path, "utf8").catch((cause: unknown) => {
    if (systemCode(cause) === "ENOENT") return undefined;
    throw cause;
  });
  const document = parseDocument(present ?? template);
  if (document.errors.length > 0 || !isMap(document.contents)) {
    throw new ConsiliumError("POLICY_INVALID", `${path} is not a YAML policy`, {
      remedy: "correct it, or move it away, and enrol again",
    });
  }
  if (choices.allowPaperVariants)
    document.set("variants", document.createNode(["sound", "paper"], { flow: true }));
  if (choices.approval !== null) document.set("approval", choices.approval);
  // Automatic approval requires a limit per study.
  if (choices.approval === "automatic") {
    for (const [key, value] of Object.entries(automaticLimits))
      if (!document.hasIn(["perStudy", key])) document.setIn(["perStudy", key], value);
  }
  if (choices.populations !== null) {
    if (present === undefined) document.set("populations", document.createNode({}));
    for (const { name, tables } of choices.populations) {
      const own = tables.length === 0 ? {} : { tables };
      document.setIn(
        ["populations", name],
        document.createNode({ ...own, ...defaultBudget }, { flow: true }),
      );
    }
  }
  const chosen = choices.allowPaperVariants || choices.approval !== null || choices.populations !== null;
  const text = chosen ? document.toString({ lineWidth: 0 }) : (present ?? template);
  if (text !== present) await writeFileDurable(path, text, { mode: 0o600 });
  return path;
}

/** The limit of an automatically approved study. */
const automaticLimits = { epsilon: 1.5, delta: 1e-5 };

const template = `# Which studies this hospital joins. The agent reads this file again before each decision; while it is invalid,
# every study is refused. Further keys (columns, perStudy, minimumRows, members, ...): docs/samples/policy.yaml.
# sound: privacy is proven. paper: it is claimed by the method's authors, and not proven.
variants: [sound]
# Who decides on a study that the rules allow. person: it waits for \`consilium site approve\`. automatic: nobody is asked;
# then perStudy says what one study may cost.
approval: person
# A population is a set of tables with the same patients: its lifetime privacy budget, epsilon at this delta, is for all their
# studies together. \`default\` has the tables that no other population names.
populations:
  default: { ${defaultBudgetYaml} }
`;

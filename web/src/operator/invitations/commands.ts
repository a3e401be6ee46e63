import { t } from "../../shared/language";

/** The commands to enrol a hospital, by deployment. */
export interface Way {
  readonly id: "command" | "compose";
  readonly title: string;
  readonly steps: readonly { readonly text: string; readonly command: string }[];
}

/**
 * Two commands for each deployment. The token is read from standard input or a file, so that it never appears in a
 * process list.
 * @param site - the site's id
 */
export function waysToEnrol(site: string, token: string): readonly Way[] {
  return [
    {
      id: "command",
      title: t("With the consilium command"),
      steps: [
        {
          text: t(
            "Creates the hospital's keys, which never leave its machine, and has them certified. Give the table's name and path.",
          ),
          command: `printf '%s' '${token}' | consilium site enroll --token-file - --csv-header --table patients=/data/patients.csv`,
        },
        {
          text: t("Runs the agent. It connects to the aggregator; no inbound port is opened."),
          command: `consilium serve site --site ${site}`,
        },
      ],
    },
    {
      id: "compose",
      title: t("With Docker Compose"),
      steps: [
        {
          text: t("In the folder deploy/site: the token as a file for the agent, and the path of the table."),
          command: `printf '%s\\n' '${token}' > invitation.token && cp .env.example .env && \${EDITOR:-vi} .env`,
        },
        {
          text: t("Enrols at the first start, then runs the agent. The token is invalid afterwards."),
          command: "docker compose up --detach --wait",
        },
      ],
    },
  ];
}

/**
 * What the operator sends to a hospital: one text, with the commands, which hold the token.
 * @param until - when the token becomes invalid, in words
 */
export function messageTo(site: string, { steps }: Way, until: string): string {
  return [
    t("{site} is invited to the federation. The token in the first command is for one use, until {until}.", {
      site,
      until,
    }),
    ...steps.map(({ text, command }, index) => `${index + 1}. ${text}\n\n   ${command}`),
    t("If it does not come online, `consilium doctor` shows why, and what to request from the network team."),
  ].join("\n\n");
}

/** The command that expels a site. It needs the federation's root key, so no page can run it. */
export function expelCommand(site: string): string {
  return `consilium expel ${site} --reason "why, in a few words" --authority /path/to/authority`;
}

/** The error in a site's id as it is typed; null for a valid one. */
export function siteIdFault(id: string): string | null {
  if (id === "") return null;
  if (id.length > 40) return t("at most 40 characters");
  if (!/^[a-z0-9-]+$/.test(id)) return t("only lowercase letters, digits and hyphens");
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id) ? null : t("single hyphens, between letters or digits");
}

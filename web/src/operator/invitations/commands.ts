/** What a hospital runs to enrol, by how it runs the agent. */
interface Way {
  readonly id: "command" | "compose";
  readonly title: string;
  readonly steps: readonly { readonly text: string; readonly command: string }[];
}

/**
 * Two commands, either way. The token is read from standard input or a file, so that it stands in no list of processes.
 * @param site - the site's id
 */
export function waysToEnrol(site: string, token: string): readonly Way[] {
  return [
    {
      id: "command",
      title: "With the consilium command",
      steps: [
        {
          text: "Makes the hospital's keys, which never leave its machine, and has them certified. Name its table and where it lies.",
          command: `printf '%s' '${token}' | consilium site enroll --token-file - --csv-header --table patients=/data/patients.csv`,
        },
        {
          text: "Runs the agent. It dials the aggregator; nothing listens for the outside.",
          command: `consilium serve site --site ${site}`,
        },
      ],
    },
    {
      id: "compose",
      title: "With Docker Compose",
      steps: [
        {
          text: "In the folder deploy/site: the token as a file that the agent reads, and the place of the table.",
          command: `printf '%s\\n' '${token}' > invitation.token && cp .env.example .env && \${EDITOR:-vi} .env`,
        },
        {
          text: "Enrols at the first start, then runs the agent. The token is of no use afterwards.",
          command: "docker compose up --detach --wait",
        },
      ],
    },
  ];
}

/** The command that expels a site; it needs the federation's root key, so no page can do it. */
export function expelCommand(site: string): string {
  return `consilium expel ${site} --reason "why, in a few words" --authority /path/to/authority`;
}

/** What is wrong with a site's id as it is typed; null for a good one. */
export function siteIdFault(id: string): string | null {
  if (id === "") return null;
  if (id.length > 40) return "at most 40 characters";
  if (!/^[a-z0-9-]+$/.test(id)) return "small letters, digits and hyphens alone";
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id) ? null : "single hyphens, between letters or digits";
}

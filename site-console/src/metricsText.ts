/**
 * Two expositions of Prometheus's text format as one: lines of one metric must stand together, under one description.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-format-details
 */
export function mergedMetrics(first: string, second: string): string {
  const merged = families(first);
  for (const [name, { head, samples }] of families(second)) {
    const known = merged.get(name);
    if (known === undefined) merged.set(name, { head, samples });
    else known.samples.push(...samples);
  }
  return [...merged.values()].map(({ head, samples }) => `${[...head, ...samples].join("\n")}\n`).join("\n");
}

interface Family {
  /** `# HELP` and `# TYPE`. */
  readonly head: string[];
  readonly samples: string[];
}

/** Each sample belongs to the description above it, as Prometheus's own client writes them. */
function families(text: string): Map<string, Family> {
  const found = new Map<string, Family>();
  let current: Family = { head: [], samples: [] };
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const name = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];
    if (name === undefined) {
      current.samples.push(line);
      continue;
    }
    current = found.get(name) ?? { head: [], samples: [] };
    found.set(name, current);
    current.head.push(line);
  }
  return found;
}

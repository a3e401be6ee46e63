/** What a study may state of who wants it, as people read it. */
export const requestTitles = {
  investigator: "Investigator",
  contact: "Contact",
  purpose: "Purpose",
  protocol: "Protocol",
  ethicsVote: "Ethics vote",
  legalBasis: "Legal basis",
  retention: "Retention",
} as const;

export type RequestKey = keyof typeof requestTitles;
export const requestKeys = Object.keys(requestTitles) as readonly RequestKey[];

interface Requested {
  readonly request?: { readonly [key in RequestKey]?: string | undefined } | undefined;
}

/** What a study states, in the order of the keys. */
export function statedRequest({ request }: Requested): { readonly title: string; readonly text: string }[] {
  return requestKeys.flatMap((key) => {
    const text = request?.[key];
    return text === undefined ? [] : [{ title: requestTitles[key], text }];
  });
}

/** The titles of what it does not state. */
export function unstatedRequest({ request }: Requested): string[] {
  return requestKeys.flatMap((key) => (request?.[key] === undefined ? [requestTitles[key]] : []));
}

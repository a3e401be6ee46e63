/** Whom to ask, as somebody wrote it: a link where it is an address alone. */
export function Contact({ of }: { readonly of: string }) {
  const address = contactAddress(of);
  return address === null ? of : <a href={address}>{of}</a>;
}

export function contactAddress(text: string): string | null {
  if (/^[^\s@<>,;:"()]+@[^\s@<>,;:"()]+$/.test(text)) return `mailto:${text}`;
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text) ? text : null;
}

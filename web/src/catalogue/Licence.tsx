import type { ReleaseView } from "@consilium/core/release/views";
import { rich, t } from "../shared/language";
import { Contact } from "./Contact";
import { licenceAddress } from "./licenceAddress";

/** A release's licence; one with an SPDX identifier is a link to its text. Without one, whom to ask. */
export function Licence({ view: { content, operatorContact } }: { readonly view: ReleaseView }) {
  const { license, contact = operatorContact ?? undefined } = content;
  if (license === null)
    return contact === undefined
      ? t("No licence is stated: ask the publisher before reuse.")
      : rich("No licence is stated: ask {contact} before reuse.", { contact: <Contact of={contact} /> });
  const address = licenceAddress(license);
  return address === null ? license : <a href={address}>{license}</a>;
}

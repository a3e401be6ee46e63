import { licenceAddress } from "./licenceAddress";

/** A licence; one with an SPDX identifier is a link to its text. */
export function Licence({ name }: { readonly name: string }) {
  const address = licenceAddress(name);
  return address === null ? name : <a href={address}>{name}</a>;
}

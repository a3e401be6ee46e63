import { type Creator, creatorsOf } from "@consilium/core/release/creators";

/** Creators as schema.org has them. @param prefix - of its types, such as `sc:` */
export function schemaCreators(creator: string, prefix = ""): object[] {
  return creatorsOf(creator).map((one) => schemaCreator(one, prefix));
}

function schemaCreator(one: Creator, prefix: string): object {
  if (one.kind === "institution") return { "@type": `${prefix}Organization`, name: one.name };
  const { family, given, affiliation } = one;
  return {
    "@type": `${prefix}Person`,
    name: `${given} ${family}`,
    givenName: given,
    familyName: family,
    ...(affiliation === null ? {} : { affiliation: { "@type": `${prefix}Organization`, name: affiliation } }),
  };
}

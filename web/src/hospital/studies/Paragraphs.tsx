import { Served } from "../../shared/language";

/** Paragraphs; those that begin with `- ` are a list's items. */
export function Paragraphs({ of }: { readonly of: readonly string[] }) {
  const runs: { readonly isList: boolean; readonly texts: string[] }[] = [];
  for (const text of of) {
    const isList = text.startsWith("- ");
    const last = runs.at(-1);
    if (last?.isList === true && isList) last.texts.push(text.slice(2));
    else runs.push({ isList, texts: [isList ? text.slice(2) : text] });
  }
  return runs.map(({ isList, texts }) =>
    isList ? (
      <ul key={texts[0]}>
        {texts.map((text) => (
          <li key={text}>
            <Served text={text} />
          </li>
        ))}
      </ul>
    ) : (
      <p key={texts[0]}>
        <Served text={texts[0]!} />
      </p>
    ),
  );
}

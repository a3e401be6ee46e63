import type { FiguresFile, ReleaseView } from "@consilium/core/release/views";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { requestFile } from "../shared/api";
import { Loaded, Loading } from "../shared/components";
import { rich, t } from "../shared/language";
import { onDemand } from "../shared/onDemand";
import { AnchoredCard } from "./Anchor";

const ReleaseFigure = onDemand(() => import("../shared/figures/ReleaseFigure"));

const figuresFile = "figures.json";

/** Validated with the schema that wrote them, loaded together with them: no other part of the page needs it. */
async function figuresOf(folder: string): Promise<FiguresFile> {
  const [{ figuresFileSchema }, response] = await Promise.all([
    import("@consilium/core/release/views"),
    requestFile(`${folder}${figuresFile}`),
  ]);
  return figuresFileSchema.parse(await response.json());
}

const hasFigures = ({ files }: ReleaseView) => files.some(({ name }) => name === figuresFile);

/** Loaded once for all parts of a page. */
export const figuresQuery = (view: ReleaseView) => ({
  queryKey: ["figures", view.content.id],
  queryFn: () => figuresOf(new URL(view.url).pathname),
  enabled: hasFigures(view),
  staleTime: Number.POSITIVE_INFINITY,
});

export function FiguresCard({ view }: { readonly view: ReleaseView }) {
  return (
    <AnchoredCard id="figures" title={t("Figures")}>
      <Figures view={view} />
    </AnchoredCard>
  );
}

/** The release's figures, drawn from its data; older releases have only the images. */
export function Figures({ view }: { readonly view: ReleaseView }) {
  const folder = new URL(view.url).pathname;
  const pictures = view.files.filter(({ name }) => name.startsWith("plots/"));
  return (
    <>
      {hasFigures(view) ? (
        <Drawn view={view} />
      ) : (
        pictures.map(({ name }) => <img key={name} className="picture" src={`${folder}${name}`} alt={name} />)
      )}
      <p>
        {rich("Images for papers and slides: {value}", {
          value: pictures.map(({ name }, index) => (
            <span key={name}>
              {index === 0 ? "" : ", "}
              <a href={`${folder}${name}`}>{name.slice("plots/".length)}</a>
            </span>
          )),
        })}
      </p>
    </>
  );
}

function Drawn({ view }: { readonly view: ReleaseView }) {
  const query = useQuery(figuresQuery(view));
  return (
    <Loaded query={query} what={t("the figures")}>
      {({ figures }) => (
        <Suspense fallback={<Loading what={t("the plots")} />}>
          <div className="figures">
            {figures.map((figure) => (
              <div key={figure.name} className={figure.kind === "tree" ? "wide" : undefined}>
                <ReleaseFigure figure={figure} />
              </div>
            ))}
          </div>
        </Suspense>
      )}
    </Loaded>
  );
}

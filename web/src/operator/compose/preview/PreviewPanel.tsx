import { Badge } from "../../../shared/components";
import { FigurePicture } from "../../../shared/figures/ReleaseFigure";
import { plural, served, t } from "../../../shared/language";
import type { Preview, PreviewTable } from "./preview";

/** Figures beyond these are told in a line. */
const figuresShown = 2;

/** What the release of the draft will hold, with the draft's own names and no record's value. */
export function PreviewPanel({ preview }: { readonly preview: Preview | null }) {
  if (preview === null)
    return <p className="muted">{t("The preview appears once the study has a question and a column.")}</p>;
  const { data, isOfRows, tables, figures, files } = preview;
  const rows = data === null ? null : <Table table={data} />;
  const more = figures.slice(figuresShown);
  return (
    <div className="preview">
      <p>
        <Badge tone="info">{t("Illustration, no data")}</Badge>{" "}
        <span className="muted">
          {t(
            "Names are those of the draft. Dots stand for what the records will say; the figures' values are made up.",
          )}
        </span>
      </p>
      {tables.map((table) => (
        <Table key={table.name} table={table} />
      ))}
      {isOfRows ? rows : null}
      {figures.slice(0, figuresShown).map((figure) => (
        <figure key={figure.name}>
          <figcaption>
            {served(figure.title)} <span className="illustration">{t("illustration, no data")}</span>
          </figcaption>
          <FigurePicture
            figure={figure}
            label={t("Illustration, no data. {title}", { title: served(figure.title) })}
          />
        </figure>
      ))}
      {more.length === 0 ? null : (
        <details>
          <summary>{plural(more.length, "{count} more figure", "{count} more figures")}</summary>
          <ul>
            {more.map(({ name, title }) => (
              <li key={name}>{served(title)}</li>
            ))}
          </ul>
        </details>
      )}
      {isOfRows ? null : rows}
      <h3>{t("Files")}</h3>
      <dl className="facts">
        {files.map(({ name, about }) => (
          <div key={name} style={{ display: "contents" }}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{served(about)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Table({ table: { title, columns, rows, more } }: { readonly table: PreviewTable }) {
  return (
    <section
      className="table-frame"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
      tabIndex={0}
      aria-label={t("Illustration, no data: {title}", { title: served(title) })}
    >
      <table className="preview-table">
        <caption>{served(title)}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {served(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, r) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of an illustration have no other key
            <tr key={r}>
              {row.map((cell, c) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={c}>{served(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more === 0 ? null : (
        <p className="muted">
          {more === null
            ? t("More rows follow.")
            : plural(more, "{count} more row follows.", "{count} more rows follow.")}
        </p>
      )}
    </section>
  );
}

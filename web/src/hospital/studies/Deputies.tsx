import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DataTable, FailureNotice, Field, Fold, Loaded, Moment } from "../../shared/components";
import { t } from "../../shared/language";
import { useSession } from "../../shared/session/session";
import { hospital } from "../api";

const day = 86_400_000;
const today = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10);
/** Days are those of the browser's time zone; the last one counts. */
const period = (from: string, until: string) => ({
  from: new Date(`${from}T00:00:00`).toISOString(),
  until: new Date(new Date(`${until}T00:00:00`).getTime() + day).toISOString(),
});

export const deputiesQuery = { queryKey: ["deputies"], queryFn: hospital.deputies };

/** Who may approve in whose place, and when. */
export function Deputies() {
  const { account } = useSession();
  const queries = useQueryClient();
  const query = useQuery(deputiesQuery);
  const onSettled = () => queries.invalidateQueries({ queryKey: deputiesQuery.queryKey });
  const remove = useMutation({ mutationFn: hospital.removeDeputy, onSettled });
  return (
    <Fold title={t("Deputies")} hint={query.data === undefined ? undefined : `${query.data.length}`}>
      <p>
        {t(
          "A deputy may approve studies in your place for a period. Of two approvals that a study needs, yours and your deputy's count as one.",
        )}
      </p>
      {remove.error === null ? null : <FailureNotice error={remove.error} />}
      <Loaded query={query} what={t("the deputies")}>
        {(deputies) => (
          <DataTable
            caption={t("Deputies")}
            hideCaption
            columns={[
              { title: t("Deputy"), cell: (one) => one.deputy },
              { title: t("In place of"), cell: (one) => one.principal },
              { title: t("From|date"), cell: (one) => <Moment iso={one.from} /> },
              { title: t("Until|date"), cell: (one) => <Moment iso={one.until} /> },
              {
                title: "",
                cell: (one) =>
                  one.principal === account.name || account.role === "administrator" ? (
                    <button type="button" onClick={() => remove.mutate(one.id)}>
                      {t("Remove")}
                    </button>
                  ) : null,
              },
            ]}
            rows={deputies}
            keyOf={(one) => one.id}
            empty={t("No deputies are named.")}
          />
        )}
      </Loaded>
      <NameDeputy onSettled={onSettled} />
    </Fold>
  );
}

function NameDeputy({ onSettled }: { readonly onSettled: () => unknown }) {
  const [deputy, setDeputy] = useState("");
  const [from, setFrom] = useState(today(0));
  const [until, setUntil] = useState(today(14));
  const name = useMutation({
    mutationFn: () => hospital.nameDeputy(deputy.trim(), period(from, until)),
    onSuccess: () => setDeputy(""),
    onSettled,
  });
  const fields = [
    [t("First day"), from, setFrom],
    [t("Last day"), until, setUntil],
  ] as const;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        name.mutate();
      }}
    >
      {name.error === null ? null : <FailureNotice error={name.error} />}
      <div className="field-row">
        <Field label={t("Account of the deputy")}>
          {(ids) => <input {...ids} value={deputy} onChange={(event) => setDeputy(event.target.value)} />}
        </Field>
        {fields.map(([label, value, set]) => (
          <Field key={label} label={label}>
            {(ids) => (
              <input
                {...ids}
                type="date"
                required
                value={value}
                onChange={(event) => set(event.target.value)}
              />
            )}
          </Field>
        ))}
      </div>
      <div className="actions">
        <button type="submit" disabled={deputy.trim() === "" || name.isPending}>
          {t("Name deputy")}
        </button>
      </div>
    </form>
  );
}

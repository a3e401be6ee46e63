import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SelectField } from "../../shared/choices";
import { Card, FailureNotice, Field, Loaded, Page } from "../../shared/components";
import { t } from "../../shared/language";
import { hospital } from "../api";
import { outcomeOf, outcomeWords } from "../studies/statusWords";
import { NeverLeaves, Report } from "./Report";
import { TableCheck } from "./TableCheck";

/** The local profile of a table, for an offered study or a study file. */
export default function ProfilePage() {
  const [text, setText] = useState("");
  const [offered, setOffered] = useState("");
  const read = useMutation({
    mutationFn: () => (offered === "" ? hospital.profile(text) : hospital.profileOf(offered)),
  });
  const canRead = offered !== "" || text.trim() !== "";
  return (
    <Page
      title={t("Table")}
      lead={t("How a study would use this hospital's table: rows used, clamped and rejected.")}
    >
      <NeverLeaves />
      <TableCheck />
      <Card title={t("Study")}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            read.mutate();
          }}
        >
          <OfferedChoice value={offered} onChange={setOffered} />
          {offered === "" ? <StudyFile text={text} onChange={setText} /> : null}
          <div className="actions">
            <button type="submit" data-kind="primary" disabled={!canRead || read.isPending}>
              {read.isPending ? t("Reading…") : t("Check my data")}
            </button>
          </div>
        </form>
      </Card>
      {read.isPending ? <p role="status">{t("A large table takes several minutes…")}</p> : null}
      {read.error === null ? null : <FailureNotice error={read.error} />}
      {read.data === undefined ? null : (
        <Card
          title={t("Table {table}, as used by {study}", {
            table: read.data.report.table,
            study: read.data.report.study,
          })}
        >
          <Report profile={read.data} />
        </Card>
      )}
    </Page>
  );
}

function OfferedChoice(props: { readonly value: string; readonly onChange: (id: string) => void }) {
  const query = useQuery({ queryKey: ["studies"], queryFn: hospital.studies });
  return (
    <Loaded query={query} what={t("the studies")}>
      {(studies) => (
        <SelectField
          label={t("Study")}
          hint={t("A study offered to this hospital, or a study file that you received.")}
          value={props.value}
          options={[
            ["", t("a study file")],
            ...studies.map(
              (study) => [study.id, `${study.name} (${outcomeWords[outcomeOf(study)]})`] as const,
            ),
          ]}
          onChange={props.onChange}
        />
      )}
    </Loaded>
  );
}

const fileMaxBytes = 2_000_000;

function StudyFile(props: { readonly text: string; readonly onChange: (text: string) => void }) {
  const [fault, setFault] = useState<string | null>(null);
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    const isTooLarge = file.size > fileMaxBytes;
    setFault(isTooLarge ? t("The file is over 2 MB: a study file is a few kilobytes.") : null);
    if (!isTooLarge) props.onChange(await file.text());
  };
  return (
    <>
      <Field
        label={t("Study file")}
        hint={t("YAML or JSON; choose a file or paste its text below.")}
        fault={fault}
      >
        {(ids) => (
          <input
            {...ids}
            type="file"
            accept=".yaml,.yml,.json"
            onChange={(event) => void take(event.target.files?.[0])}
          />
        )}
      </Field>
      <Field label={t("Text of the study file")}>
        {(ids) => (
          <textarea
            {...ids}
            className="code"
            rows={12}
            spellCheck={false}
            value={props.text}
            onChange={(event) => props.onChange(event.target.value)}
          />
        )}
      </Field>
    </>
  );
}

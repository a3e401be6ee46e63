import { useQuery } from "@tanstack/react-query";
import { Badge } from "../../shared/components";
import { t } from "../../shared/language";
import { hospital } from "../api";
import { sentKinds } from "../studies/summaryWords";

/** What the lines of one study mean, in the words of its page; nothing of a study whose text is not kept. */
export function SentOf({ study: id }: { readonly study: string }) {
  const { data: study } = useQuery({
    queryKey: ["studies", id],
    queryFn: () => hospital.study(id),
    retry: false,
  });
  if (study === undefined) return null;
  return (
    <>
      <ul>
        {sentKinds(study).map(({ form, name, tone, text }) => (
          <li key={form}>
            <Badge tone={tone}>{name}</Badge> {text}
          </li>
        ))}
      </ul>
      <p>
        {study.leaving.every(({ form }) => form === "masked sum")
          ? t("No records, and no other data that depend on a record, are sent.")
          : t("No other data from the table are sent.")}{" "}
        {t("The other lines are keys, signatures and receipts, which say nothing of records.")}
      </p>
    </>
  );
}

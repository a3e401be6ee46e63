import { queryOptions, useQuery } from "@tanstack/react-query";
import { Card, FailureNotice } from "../../shared/components";
import { t } from "../../shared/language";
import { hospital } from "../api";
import { NeverLeaves, Report } from "./Report";

/** The hospital's table as a study would see it: read once for the page and the dialogue that approves, and again when asked. */
export const profileQuery = (id: string) =>
  queryOptions({
    queryKey: ["profile", id],
    queryFn: () => hospital.profileOf(id),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** The hospital's table as a waiting study would see it. */
export function OfferedProfile({ id }: { readonly id: string }) {
  const read = useQuery({ ...profileQuery(id), enabled: false });
  const again = () => void read.refetch();
  return (
    <Card
      title={t("Your data, as this study would use them")}
      actions={
        <button type="button" disabled={read.isFetching} onClick={again}>
          {read.isFetching ? t("Reading…") : read.data === undefined ? t("Check my data") : t("Check again")}
        </button>
      }
    >
      <NeverLeaves />
      {read.isFetching ? <p role="status">{t("A large table takes several minutes…")}</p> : null}
      {read.error === null ? null : <FailureNotice error={read.error} retry={again} />}
      {read.data === undefined ? null : <Report profile={read.data} />}
    </Card>
  );
}

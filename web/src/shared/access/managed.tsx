import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { request } from "../api";
import { CodeBlock, Notice } from "../components";
import { t } from "../language";

/** A managed list, refetched after every change. */
export function useManaged<Item>(what: "accounts" | "tokens") {
  const queries = useQueryClient();
  const path = `/api/${what}`;
  const query = useQuery({ queryKey: [what], queryFn: () => request<Item[]>("GET", path) });
  const again = () => queries.invalidateQueries({ queryKey: [what] });
  const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`;
  const remove = async (id: string) => {
    await request("DELETE", pathOf(id));
    await again();
  };
  return { query, again, path, pathOf, remove };
}

/** A secret that is shown only once. */
export function ShownOnce(props: {
  readonly what: string;
  readonly label: string;
  readonly secret: string;
  readonly children: ReactNode;
}) {
  return (
    <Notice tone="warn" title={t("{what}, shown only once.", { what: props.what })}>
      <p>{props.children}</p>
      <CodeBlock label={props.label} code={props.secret} />
    </Notice>
  );
}

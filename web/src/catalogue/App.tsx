import type { ReleaseSummary } from "@consilium/core/release/views";
import { useQuery } from "@tanstack/react-query";
import { request } from "../shared/api";
import { DataTable, Loaded, Moment, Page } from "../shared/components";
import { Shell } from "../shared/Shell";

interface Found {
  readonly total: number;
  readonly releases: readonly ReleaseSummary[];
}

export function App() {
  return (
    <Shell name="releases" nav={[{ href: "/", title: "Releases" }]}>
      <Releases />
    </Shell>
  );
}

function Releases() {
  const query = useQuery({ queryKey: ["releases"], queryFn: () => request<Found>("GET", "/api/releases") });
  return (
    <Page title="Releases">
      <Loaded query={query} what="the releases">
        {({ releases }) => (
          <DataTable
            caption="Releases"
            columns={[
              {
                title: "Release",
                cell: (release) => <a href={`/releases/${release.id}/`}>{release.title}</a>,
              },
              { title: "Method", cell: (release) => `${release.study.method}, ${release.study.variant}` },
              { title: "Privacy", cell: (release) => release.verdict },
              { title: "Published", cell: (release) => <Moment iso={release.createdAt} /> },
            ]}
            rows={releases}
            keyOf={(release) => release.id}
            empty="Nothing has been released yet."
          />
        )}
      </Loaded>
    </Page>
  );
}

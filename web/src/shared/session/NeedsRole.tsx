import type { AccountRole } from "@consilium/core/access/views";
import type { ReactNode } from "react";
import { Notice, Page } from "../components";
import { rich, t } from "../language";
import { useSession } from "./session";

/** A page for one role: people with another role see why it is empty. */
export function NeedsRole(props: {
  readonly needed: AccountRole;
  readonly title: string;
  readonly children: ReactNode;
}) {
  const { account } = useSession();
  if (account.role === props.needed) return props.children;
  return (
    <Page title={props.title}>
      <Notice title={t("This page needs the role {needed}.", { needed: props.needed })}>
        <p>
          {rich("You are signed in as {name}, whose role is {role}. Ask someone with the role {needed}.", {
            name: account.name,
            role: account.role,
            needed: props.needed,
          })}
        </p>
      </Notice>
    </Page>
  );
}

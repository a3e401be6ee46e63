import type { AccountRole } from "@consilium/core/access/views";
import type { ReactNode } from "react";
import { Notice, Page } from "../components";
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
      <Notice title={`This page needs the role ${props.needed}.`}>
        <p>
          You are signed in as {account.name}, whose role is {account.role}. Ask someone with the role{" "}
          {props.needed}.
        </p>
      </Notice>
    </Page>
  );
}

import { type ReactNode, useState } from "react";
import { Field } from "./components";

/** As `questionMaxLength` of the API has it. */
const maxLength = 1_000;

export interface Utterance {
  readonly id: string;
  readonly who: ReactNode;
  readonly text: string;
}

/** What people wrote, as plain text: nothing of it is read as markup. */
export function Conversation({ of, below }: { readonly of: Utterance; readonly below: ReactNode }) {
  return (
    <li className="conversation">
      <p className="muted">{of.who}</p>
      <p className="person-text">{of.text}</p>
      {below}
    </li>
  );
}

/** A text to be sent; empty at first, and filled in by nobody else. */
export function WriteForm(props: {
  readonly label: string;
  readonly hint: string;
  readonly button: string;
  readonly isPending: boolean;
  readonly onSend: (text: string, sent: () => void) => void;
}) {
  const [text, setText] = useState("");
  const written = text.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        props.onSend(written, () => setText(""));
      }}
    >
      <Field label={props.label} hint={props.hint}>
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            maxLength={maxLength}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div className="actions">
        <button type="submit" disabled={written === "" || props.isPending}>
          {props.button}
        </button>
      </div>
    </form>
  );
}

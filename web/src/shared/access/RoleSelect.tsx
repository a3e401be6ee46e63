import type { AccessWords } from "./service";

export function RoleSelect(props: {
  readonly roles: AccessWords["roles"];
  readonly value: string;
  readonly onChange: (role: string) => void;
  readonly [attribute: string]: unknown;
}) {
  const { roles, value, onChange, ...attributes } = props;
  return (
    <select {...attributes} value={value} onChange={(event) => onChange(event.target.value)}>
      {roles.map(({ role, title }) => (
        <option key={role} value={role}>
          {title}
        </option>
      ))}
    </select>
  );
}

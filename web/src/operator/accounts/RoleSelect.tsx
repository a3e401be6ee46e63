/** What each role may do, the least first. */
const roles = [
  { role: "viewer", title: "viewer: sees everything, changes nothing" },
  { role: "operator", title: "operator: may do everything" },
];

export function RoleSelect(props: {
  readonly value: string;
  readonly onChange: (role: string) => void;
  readonly [attribute: string]: unknown;
}) {
  const { value, onChange, ...attributes } = props;
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

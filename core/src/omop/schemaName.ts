/** A schema's name, or a catalogue's and a schema's. */
export const omopSchemaPattern = /^[A-Za-z_][A-Za-z0-9_$]{0,127}(?:\.[A-Za-z_][A-Za-z0-9_$]{0,127})?$/;

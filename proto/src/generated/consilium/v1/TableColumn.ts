// Original file: consilium/v1/federation.proto


export interface TableColumn {
  'name'?: (string);
  'type'?: (string);
}

export interface TableColumn__Output {
  'name': (string);
  'type': (string);
}

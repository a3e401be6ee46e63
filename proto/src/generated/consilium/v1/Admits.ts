// Original file: consilium/v1/federation.proto


export interface Admits {
  'analyses'?: (string)[];
  'variants'?: (string)[];
  'maxEpsilon'?: (number | string);
  'maxDelta'?: (number | string);
  'minimumSites'?: (number);
  'tolerateColluding'?: (number);
  'perHospital'?: (boolean);
  'requires'?: (string)[];
}

export interface Admits__Output {
  'analyses': (string)[];
  'variants': (string)[];
  'maxEpsilon': (number);
  'maxDelta': (number);
  'minimumSites': (number);
  'tolerateColluding': (number);
  'perHospital': (boolean);
  'requires': (string)[];
}

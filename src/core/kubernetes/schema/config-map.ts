import type { ConfigMap } from '../objects/config-map.js';
import { object, stringMap } from './containers.js';
import { objectMeta } from './metadata.js';
import { boolean, constant, string } from './scalars.js';
import { required } from './schema.js';

/** `v1.ConfigMap`. Storage keeps `data` and `binaryData` only of those that policies take as params: see `ObjectRow.withheld`. */
export const configMap = object<ConfigMap>({
  apiVersion: required(string),
  binaryData: stringMap,
  data: stringMap,
  immutable: boolean,
  kind: required(constant('ConfigMap')),
  metadata: required(objectMeta),
});

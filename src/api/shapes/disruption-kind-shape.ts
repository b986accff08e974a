import { disruptionKind } from '../../contract/disruptions/disruption-kind.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const DisruptionKindShape = responseClass(disruptionKind);
export type DisruptionKindShape = Response<typeof disruptionKind>;

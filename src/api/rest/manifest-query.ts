import type { AdmissionMode } from '../../app/placements/placement-request.js';
import { ADMISSION } from '../shapes/admission-mode.js';
import { Given } from '../shapes/property.js';
import { StateQuery } from './read-at-query.js';

/** The query parameters of a question that brings a manifest; what the body says of admission goes before. */
export class ManifestQuery extends StateQuery {
  @Given(ADMISSION)
  admission?: AdmissionMode;
}

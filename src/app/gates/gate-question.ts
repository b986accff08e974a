import type { gateInput } from '../../contract/gates/gate-request.js';
import type { Request } from '../../contract/schema.js';
import { defined } from '../../core/collections/defined.js';
import type { GateObject } from '../../core/gate/step-gate.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { FieldValidation } from '../../core/kubernetes/manifests/check-fields.js';
import { readManifestText } from '../../ingest/read-yaml-document.js';
import { callerKey } from '../caller-key.js';
import type { TriedManifest } from '../connections/dry-runs.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';
import { documentsOf, stepGivenManifests } from '../manifests/given-manifests.js';
import { rawManifestsOf } from '../manifests/raw-manifests.js';
import type { AskedGates } from '../reads/state-under-gates.js';
import type { RequestContext } from '../request-context.js';
import { TimeSlices } from '../states/time-slices.js';
import { checkedConfiguration, configurationDetails } from '../schedulers/checked-configuration.js';
import { readConfiguration } from '../../core/scheduler-configuration/read-configuration.js';

export type GateRequest = Request<typeof gateInput>;

/** A gate's question as it is recorded: manifests are objects, whatever they were sent as. */
export interface GateQuestion {
  readonly objects: readonly GateObject[];
  readonly fieldValidation: FieldValidation;
  readonly proposeChanges: boolean;
  readonly featureGates?: AskedGates;
  /** A KubeSchedulerConfiguration or a legacy Policy. */
  readonly configuration?: JsonObject;
  /** What the API server answered, of the objects that have pods. */
  readonly dryRuns?: readonly GateDryRun[];
}

export interface GateDryRun {
  /** The index of the object. */
  readonly index: number;
  readonly tried: TriedManifest;
}

/**
 * Reads the manifests of a request.
 *
 * @param root path of the request's members in GraphQL
 * @throws {InvalidRequestError} with everything that is wrong with the request and its documents
 */
export async function gateQuestion(request: GateRequest, root: string, context: RequestContext): Promise<GateQuestion> {
  const { text, manifests, namespace, fieldValidation = 'Strict', proposeChanges = true } = request;
  const { featureGates, configuration } = request;
  const place = root === '' ? '' : `/${root}`;
  const errors = gateErrors(request, place);
  if (errors.length > 0) throw new InvalidRequestError(errors);
  const given =
    text !== undefined
      ? await readManifestText(text, callerKey(context))
      : (rawManifestsOf(manifests!) ?? { documents: documentsOf(manifests!, `${place}/manifests`) });
  const slices = new TimeSlices({ signal: context.signal });
  const { objects, fields } = await slices.run(stepGivenManifests(given, defined({ namespace })));
  if (configuration !== undefined) checkedConfiguration(configuration, `${place}/configuration`);
  return {
    objects: objects.map((object) => ({ object, fields: fields.get(object)! })),
    fieldValidation,
    proposeChanges,
    ...defined({ featureGates, configuration }),
  };
}

/** Errors of a request that can be found without its documents. */
export function gateErrors({ text, manifests, configuration }: GateRequest, place = ''): readonly ErrorDetail[] {
  const errors: ErrorDetail[] = [];
  if (text === undefined && manifests === undefined) {
    errors.push({
      pointer: place,
      code: 'required',
      message: 'there is no manifest: give manifests or text, or send manifests as the body',
    });
  }
  if (text !== undefined && manifests !== undefined) {
    errors.push({
      pointer: `${place}/text`,
      field: 'text',
      code: 'conflicting-fields',
      message: 'give either manifests or text, not both',
    });
  }
  if (configuration !== undefined) {
    errors.push(...configurationDetails(readConfiguration(configuration), `${place}/configuration`));
  }
  return errors;
}

import { clusterNameErrors } from '../../app/clusters/cluster-name.js';
import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { noteManifestChecks, type ManifestChecks } from '../../app/manifests/manifest-checks.js';
import { RawManifests } from '../../app/manifests/raw-manifests.js';
import { propertiesByName } from '../contract/field-decorators.js';
import { Slices } from '../../event-loop/slices.js';
import { manifestEnvelope, type ManifestEnvelope, type ManifestPlace } from './manifest-envelope.js';
import { furtherErrors, stepReading, type EnvelopeReading, type FurtherErrors } from './read-envelope.js';
import { queryReading } from './read-query.js';
import { isJsonObject } from '../../core/json/json-value.js';

/** What a REST request is read into. */
interface RequestClasses {
  /** Absent if the operation takes no query parameters. */
  readonly query: (new () => object) | undefined;
  /** Absent if the operation takes no body, or one whose format the service does not define. */
  readonly body: (new () => object) | undefined;
  /** The errors of a body that is one whole document, for a request that is already rejected. */
  readonly documentErrors?: ((document: never) => FurtherErrors) | undefined;
  /** The errors of the path's variables other than the cluster, for a request that is already rejected. */
  readonly pathErrors?: ((variables: Readonly<Record<string, string>>) => readonly ErrorDetail[]) | undefined;
}

interface GivenRequest {
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly variables: Readonly<Record<string, string>>;
  /** Where manifests belong, if the body may also be manifests. */
  readonly manifest?: ManifestPlace | undefined;
}

interface ReadRequest {
  readonly query: object;
  readonly body: unknown;
  /** What the API server would warn of in manifests, whatever its version. */
  readonly warnings: readonly string[];
  /** What is left to check in manifests when the version is known. */
  readonly checks: ManifestChecks | undefined;
}

/**
 * Reads the query parameters and the body of a request, and reports the errors of both together. A body that its class does
 * not describe is returned unchanged. An absent body is read as an empty one, so that its missing members are reported. If the
 * body may also be manifests, query parameters have those members that the body lacks.
 *
 * @param now the time of the request
 * @throws {InvalidRequestError}
 */
export async function readRequest(classes: RequestClasses, given: GivenRequest, now: Date): Promise<ReadRequest> {
  const query = queryReading(classes.query, given.query);
  const unreadable = new Set(query.errors.map(({ field }) => field));
  const { body: sent, ofRaw } = bodyOf(classes, given, query, unreadable);
  const body = classes.body && (await new Slices().run(stepReading(classes.body, sent ?? {})));
  const bodyErrors = (body?.errors ?? []).filter(
    ({ code, field }) => !(given.manifest !== undefined && code === 'required' && unreadable.has(field)),
  );
  const errors = [...query.errors, ...bodyErrors];
  if (errors.length === 0) {
    // Manifests that are the body have become members of it, and were checked with what their text says.
    const parts = [query, ofRaw ?? body].filter((part) => part !== undefined);
    const warnings = parts.flatMap((part) => part.warnings);
    const checks = noteManifestChecks(
      query.envelope!,
      parts.flatMap(({ unchecked }) => unchecked),
    );
    return { query: query.envelope!, body: body === undefined ? sent : body.envelope, warnings, checks };
  }
  throw new InvalidRequestError([
    ...errors,
    ...(classes.query === undefined ? [] : await furtherErrors(classes.query, query, now)),
    ...(classes.body === undefined ? [] : await furtherErrors(classes.body, body!, now)),
    ...((await classes.documentErrors?.(sent as never)) ?? []),
    ...(given.variables['cluster'] === undefined ? [] : clusterNameErrors(given.variables['cluster'])),
    ...(classes.pathErrors?.(given.variables) ?? []),
  ]);
}

function bodyOf(
  classes: RequestClasses,
  { body, manifest }: GivenRequest,
  query: EnvelopeReading<object>,
  unreadable: ReadonlySet<string | undefined>,
): { readonly body: unknown; readonly ofRaw?: Pick<ManifestEnvelope, 'warnings' | 'unchecked'> } {
  if (manifest === undefined || classes.body === undefined) return { body };
  const members = propertiesByName(classes.body);
  const given = Object.entries(query.envelope ?? {}).filter(
    ([name, value]) => value !== undefined && !unreadable.has(name),
  );
  const scalars = Object.fromEntries(
    given.filter(([name]) => members.has(name) || (body instanceof RawManifests && manifest.itemScalars.has(name))),
  );
  if (body instanceof RawManifests) {
    try {
      const { body: made, ...ofRaw } = manifestEnvelope(body, manifest, scalars);
      return { body: made, ofRaw };
    } catch (error) {
      if (!(error instanceof InvalidRequestError)) throw error;
      throw new InvalidRequestError([...query.errors, ...error.details]);
    }
  }
  const misplaced = given.filter(([name]) => manifest.itemScalars.has(name) && !members.has(name));
  if (misplaced.length > 0) {
    const message = `only for a body that is manifests; set it in each of ${manifest.list!}`;
    throw new InvalidRequestError(misplaced.map(([field]) => ({ field, code: 'unknown-parameter', message })));
  }
  return { body: isJsonObject(body) ? { ...scalars, ...body } : body };
}

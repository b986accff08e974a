import { checkFields, type FieldFindings, type FieldValidation } from '../../core/kubernetes/manifests/check-fields.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { ManifestObject } from '../../core/kubernetes/manifests/manifest-object.js';
import { checkKind, type KindCheck } from '../../core/kubernetes/manifests/served-kinds.js';
import type { ManifestServer } from '../../core/kubernetes/cluster-version.js';
import { DEFAULT_RULES, KNOWN_RULES } from '../../core/kubernetes/kubernetes-rules.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';

/** A manifest of a request, and how its fields are to be checked. */
export interface SentManifest {
  readonly object: ManifestObject;
  readonly fields: FieldFindings;
  readonly fieldValidation: FieldValidation;
}

/** The code of the API server's refusal of fields. */
const STRICT_DECODING = 'strict-decoding';
/** The code of what clients say of a kind in a version that the API server does not serve (`NoKindMatchError`). */
const NO_KIND_MATCH = 'no-kind-match';

/** One API server of each version, as far as these differ, and one that is newer. */
const SERVERS: readonly ManifestServer[] = [
  ...KNOWN_RULES.map((rules) => ({ rules })),
  { rules: DEFAULT_RULES, unknownVersion: 'of a later minor version' },
];

/** What the API server of every version says alike about manifests. */
export interface CommonChecks {
  readonly errors: readonly ErrorDetail[];
  readonly warnings: readonly string[];
  /** The manifests of which it depends on the version. */
  readonly others: readonly SentManifest[];
}

/** Checks the kinds and fields of manifests before the version of the API server is known. */
export function commonChecks(manifests: readonly SentManifest[]): CommonChecks {
  const errors: ErrorDetail[] = [];
  const warnings: string[] = [];
  const others: SentManifest[] = [];
  for (const manifest of manifests) {
    const { fields, object } = manifest;
    const isPlain = fields.faults.length === 0 && fields.keys.length === 0;
    if (isPlain && SERVERS.every((server) => isServed(checkKind(object.apiVersion, object.kind, server)))) continue;
    const checks = SERVERS.map((server) => checkBy(server, manifest));
    const [first] = checks;
    if (checks.some((check) => !isSame(check, first!))) others.push(manifest);
    else {
      errors.push(...errorsOf(manifest, first!));
      warnings.push(...first!.warnings);
    }
  }
  return { errors, warnings, others };
}

/** The checks of a request's manifests that depend on the version of Kubernetes; done when that is known, for each cluster that is asked. */
export class ManifestChecks {
  constructor(
    private readonly manifests: readonly SentManifest[],
    private readonly said = new Set<string>(),
  ) {}

  /** The checks of the manifests in one member of the request, and of the others: API servers of different versions may get them. */
  split(member: string): { readonly within: ManifestChecks; readonly others: ManifestChecks } {
    const isWithin = ({ object }: SentManifest): boolean => object.source.pointer.split('/').includes(member);
    return {
      within: new ManifestChecks(this.manifests.filter(isWithin), this.said),
      others: new ManifestChecks(
        this.manifests.filter((one) => !isWithin(one)),
        this.said,
      ),
    };
  }

  /**
   * @param server the API server that gets the manifests
   * @param reported the manifest of which the question itself tells whether its kind is served
   * @throws {InvalidRequestError} with its refusals
   */
  by(server: ManifestServer, reported?: JsonObject): void {
    const checks = this.manifests.map((manifest) => {
      const isReported = manifest.object.value === reported;
      return [manifest, isReported ? fieldsBy(server, manifest) : checkBy(server, manifest)] as const;
    });
    const errors = checks.flatMap(([manifest, check]) => errorsOf(manifest, check));
    if (errors.length > 0) throw new InvalidRequestError(errors);
    for (const [, { warnings }] of checks) for (const warning of warnings) this.said.add(warning);
  }

  /** What API servers warned of. */
  get warnings(): readonly string[] {
    return [...this.said];
  }
}

interface ManifestCheck {
  readonly warnings: readonly string[];
  readonly refusal?: { readonly code: string; readonly below: string; readonly message: string };
}

/** What is not known is a warning here: nothing else is answered about the manifest itself. */
function checkBy(server: ManifestServer, manifest: SentManifest): ManifestCheck {
  const { apiVersion, kind } = manifest.object;
  const { refusal: message, doubt } = checkKind(apiVersion, kind, server);
  if (message !== undefined) {
    return { warnings: [], refusal: { code: NO_KIND_MATCH, below: '/apiVersion', message } };
  }
  const ofFields = fieldsBy(server, manifest);
  return doubt === undefined ? ofFields : { ...ofFields, warnings: [doubt, ...ofFields.warnings] };
}

const isServed = ({ refusal, doubt }: KindCheck): boolean => refusal === undefined && doubt === undefined;

function fieldsBy(server: ManifestServer, { object, fields, fieldValidation }: SentManifest): ManifestCheck {
  const { warnings, refusal, doubt } = checkFields(object, fields, fieldValidation, server);
  return {
    warnings: doubt === undefined || fieldValidation === 'Ignore' ? warnings : [...warnings, doubt],
    ...(refusal !== undefined && { refusal: { code: STRICT_DECODING, below: '', message: refusal.message } }),
  };
}

const isSame = (one: ManifestCheck, other: ManifestCheck): boolean =>
  one.refusal?.message === other.refusal?.message &&
  one.warnings.length === other.warnings.length &&
  one.warnings.every((warning, index) => warning === other.warnings[index]);

const errorsOf = ({ object }: SentManifest, { refusal }: ManifestCheck): readonly ErrorDetail[] =>
  refusal === undefined
    ? []
    : [{ pointer: `${object.source.pointer}${refusal.below}`, code: refusal.code, message: refusal.message }];

/** A request of a question that reads no revision: it checks itself what is left to check of its manifests. */
export interface WithManifests {
  readonly manifests?: ManifestChecks;
}

const known = new WeakMap<object, ManifestChecks>();

/** Notes the checks that are left of a request. */
export function noteManifestChecks(request: object, manifests: readonly SentManifest[]): ManifestChecks | undefined {
  if (manifests.length === 0) return undefined;
  const checks = new ManifestChecks(manifests);
  known.set(request, checks);
  return checks;
}

/** The checks that are left of a request; undefined if there are none. */
export const manifestChecksOf = (request: object): ManifestChecks | undefined => known.get(request);

import {
  checkFields,
  type FieldCheck,
  type FieldFindings,
  type FieldValidation,
} from '../../core/kubernetes/manifests/check-fields.js';
import type { ManifestObject } from '../../core/kubernetes/manifests/manifest-object.js';
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
export const STRICT_DECODING = 'strict-decoding';

/** One API server of each version, as far as these differ, and one that is newer. */
const SERVERS: readonly ManifestServer[] = [
  ...KNOWN_RULES.map((rules) => ({ rules })),
  { rules: DEFAULT_RULES, unknownVersion: 'of a later minor version' },
];

/** What the API server of every version says alike about the fields of manifests. */
export interface CommonChecks {
  readonly errors: readonly ErrorDetail[];
  readonly warnings: readonly string[];
  /** The manifests of which it depends on the version. */
  readonly others: readonly SentManifest[];
}

/** Checks the fields of manifests before the version of the API server is known. */
export function commonChecks(manifests: readonly SentManifest[]): CommonChecks {
  const errors: ErrorDetail[] = [];
  const warnings: string[] = [];
  const others: SentManifest[] = [];
  for (const manifest of manifests) {
    if (manifest.fields.faults.length === 0 && manifest.fields.keys.length === 0) continue;
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
  private readonly said = new Set<string>();

  constructor(private readonly manifests: readonly SentManifest[]) {}

  /**
   * @param server the API server that gets the manifests
   * @throws {InvalidRequestError} with its refusals
   */
  by(server: ManifestServer): void {
    const checks = this.manifests.map((manifest) => [manifest, checkBy(server, manifest)] as const);
    const errors = checks.flatMap(([manifest, check]) => errorsOf(manifest, check));
    if (errors.length > 0) throw new InvalidRequestError(errors);
    for (const [, { warnings }] of checks) for (const warning of warnings) this.said.add(warning);
  }

  /** What API servers warned of. */
  get warnings(): readonly string[] {
    return [...this.said];
  }
}

/** What is not known of fields is a warning here: nothing else is answered about the manifest itself. */
function checkBy(server: ManifestServer, { object, fields, fieldValidation }: SentManifest): FieldCheck {
  const { doubt, ...check } = checkFields(object, fields, fieldValidation, server);
  if (doubt === undefined || fieldValidation === 'Ignore') return check;
  return { ...check, warnings: [...check.warnings, doubt] };
}

const isSame = (one: FieldCheck, other: FieldCheck): boolean =>
  one.refusal?.message === other.refusal?.message &&
  one.warnings.length === other.warnings.length &&
  one.warnings.every((warning, index) => warning === other.warnings[index]);

const errorsOf = ({ object }: SentManifest, { refusal }: FieldCheck): readonly ErrorDetail[] =>
  refusal === undefined ? [] : [{ pointer: object.source.pointer, code: STRICT_DECODING, message: refusal.message }];

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

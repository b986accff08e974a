import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { FieldPath } from '../kubernetes/field-path.js';

/** The fields of an `admission.k8s.io/v1` AdmissionRequest that are read. */
export interface AdmissionReviewRequest {
  readonly uid: string;
  /** The requested resource, as named in the webhook's rules. */
  readonly group: string;
  readonly resource: string;
  /** Empty for the object itself. */
  readonly subResource: string;
  readonly operation: string;
  readonly namespace: string;
  /** Empty if the API server has yet to generate the name. */
  readonly name: string;
  readonly username: string;
  readonly dryRun: boolean;
  readonly object: JsonValue | undefined;
  readonly oldObject: JsonValue | undefined;
}

export interface ReviewFault {
  readonly field: string;
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

export const REVIEW_API_VERSION = 'admission.k8s.io/v1';
export const REVIEW_KIND = 'AdmissionReview';

/**
 * Reads an AdmissionReview, and reports all faults together. Another version is a fault too: the API server accepts
 * only a response of the requested version, and requests `v1` from every webhook that lists it in
 * `admissionReviewVersions`.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/webhook/request/admissionreview.go.
 */
export function readAdmissionReview(
  body: JsonValue | undefined,
): { readonly request: AdmissionReviewRequest } | { readonly faults: readonly ReviewFault[] } {
  const faults: ReviewFault[] = [];
  const complain = (at: FieldPath, code: string, message: string): void => {
    faults.push({ field: at.toString(), pointer: at.toPointer(), code, message });
  };
  const review = isJsonObject(body) ? body : {};
  for (const [name, wanted] of [
    ['apiVersion', REVIEW_API_VERSION],
    ['kind', REVIEW_KIND],
  ] as const) {
    const given = own(review, name);
    if (given !== wanted) complain(FieldPath.of(name), 'unsupported', `must be ${wanted}, not ${shown(given)}`);
  }
  const request = own(review, 'request');
  const at = FieldPath.of('request');
  if (!isJsonObject(request)) {
    complain(at, 'required', 'must be an AdmissionRequest');
    return { faults };
  }
  const reader = new Reader(request, at, complain);
  const resource = reader.object('resource');
  const user = reader.object('userInfo');
  const read: AdmissionReviewRequest = {
    uid: reader.text('uid', 'required'),
    operation: reader.text('operation', 'required'),
    namespace: reader.text('namespace'),
    name: reader.text('name'),
    subResource: reader.text('subResource'),
    group: resource.text('group'),
    resource: resource.text('resource', 'required'),
    username: user.text('username'),
    dryRun: reader.flag('dryRun'),
    object: own(request, 'object') ?? undefined,
    oldObject: own(request, 'oldObject') ?? undefined,
  };
  return faults.length > 0 ? { faults } : { request: read };
}

type Complain = (at: FieldPath, code: string, message: string) => void;

class Reader {
  constructor(
    private readonly object_: JsonObject,
    private readonly at: FieldPath,
    private readonly complain: Complain,
  ) {}

  text(name: string, need?: 'required'): string {
    const value = own(this.object_, name) ?? '';
    if (typeof value !== 'string')
      this.complain(this.at.child(name), 'invalid', `must be a string, not ${shown(value)}`);
    else if (value === '' && need !== undefined) this.complain(this.at.child(name), 'required', 'must not be empty');
    return typeof value === 'string' ? value : '';
  }

  flag(name: string): boolean {
    const value = own(this.object_, name) ?? false;
    if (typeof value !== 'boolean') {
      this.complain(this.at.child(name), 'invalid', `must be true or false, not ${shown(value)}`);
    }
    return value === true;
  }

  object(name: string): Reader {
    const value = own(this.object_, name) ?? {};
    if (!isJsonObject(value)) this.complain(this.at.child(name), 'invalid', `must be an object, not ${shown(value)}`);
    return new Reader(isJsonObject(value) ? value : {}, this.at.child(name), this.complain);
  }
}

const own = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100));
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : `a value of type ${typeof value}`;
}

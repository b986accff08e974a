import type { ErrorCode } from '../../contract/error-code.js';
import type { ObjectClass } from '../contract/field-type.js';

export interface OperationResponse {
  readonly status: number;
  readonly description: string;
  /** Absent when the answer has no body. */
  readonly shape?: ObjectClass;
  readonly example?: unknown;
  /** Other than JSON. */
  readonly mediaType?: string;
}

/** What is said of a REST operation, for its documentation and for the check of its query parameters. */
export interface OperationInfo {
  readonly summary: string;
  readonly description: string;
  /** A class of `Given` properties; without one the operation takes no query parameter. */
  readonly query?: ObjectClass;
  /** Values for the parameters of the path and of the query that make an example that runs. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /** Headers that mean something to it; all may be left out. */
  readonly headers?: readonly { readonly name: string; readonly description: string }[];
  readonly body?: {
    /** Absent for a body that is not an envelope of ours. */
    readonly shape?: ObjectClass;
    readonly description: string;
    readonly example: unknown;
    readonly required?: boolean;
    /** Default: JSON and YAML. */
    readonly mediaTypes?: readonly string[];
  };
  readonly answers: readonly OperationResponse[];
  /** Headers that it sends with what it answers, beside those of every operation. */
  readonly responseHeaders?: readonly ('Location' | 'Content-Disposition')[];
  /** Those of the use case; what every operation can answer is added. */
  readonly errors: readonly ErrorCode[];
}

const operations = new WeakMap<object, OperationInfo>();

/** Documents a handler of a controller. */
export function Operation(info: OperationInfo): MethodDecorator {
  return (_prototype, _key, descriptor) => {
    operations.set(descriptor.value as object, info);
  };
}

export function operationOf(handler: object): OperationInfo | undefined {
  return operations.get(handler);
}
